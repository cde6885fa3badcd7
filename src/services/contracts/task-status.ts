/** In the order in which they are shown and completed. */
export const taskStatuses = [
  'todo',
  'queued',
  'in_progress',
  'waiting_user',
  'blocked',
  'done',
  'failed',
  'skipped',
] as const;

export type TaskStatus = (typeof taskStatuses)[number];
