const prefix = 'plan:';

/** Under this id the runs of a draft are kept; no task that was added here can have it. */
export const draftTaskId = (draftId: string) => `${prefix}${draftId}`;

export const isDraftTaskId = (taskId: string) => taskId.startsWith(prefix);
