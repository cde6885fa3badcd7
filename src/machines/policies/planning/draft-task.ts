import {shellWord} from '../../../services/contracts/errors.ts';
import type {Question} from '../../../services/contracts/run.ts';

const prefix = 'plan:';

/** The id under which the runs of a draft are stored; no added task can have it. */
export const draftTaskId = (draftId: string) => `${prefix}${draftId}`;

export const isDraftTaskId = (taskId: string) => taskId.startsWith(prefix);

export const draftIdOf = (taskId: string) => taskId.slice(prefix.length);

/** Continues a draft. */
export const openDraftCommand = (draftId: string) => `blackbird plan drafts open ${draftId}`;

/** Continues a draft whose planner asked questions. */
export const answerCommand = (draftId: string, questions: readonly Question[]): string =>
  [openDraftCommand(draftId), ...questions.map(({id}) => `--answer ${shellWord(`${id}=…`)}`)].join(' ');
