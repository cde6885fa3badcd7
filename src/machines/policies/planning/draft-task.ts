import {shellWord} from '../../../services/contracts/errors.ts';
import type {Question} from '../../../services/contracts/run.ts';

const prefix = 'plan:';

/** Under this id the runs of a draft are kept; no task that was added here can have it. */
export const draftTaskId = (draftId: string) => `${prefix}${draftId}`;

export const isDraftTaskId = (taskId: string) => taskId.startsWith(prefix);

/** Goes on with a draft from where it stands. */
export const openDraftCommand = (draftId: string) => `blackbird plan drafts open ${draftId}`;

/** Goes on with a draft whose planner asks. */
export const answerCommand = (draftId: string, questions: readonly Question[]): string =>
  [openDraftCommand(draftId), ...questions.map(({id}) => `--answer ${shellWord(`${id}=…`)}`)].join(' ');
