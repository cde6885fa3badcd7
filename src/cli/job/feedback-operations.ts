import {createHash} from 'node:crypto';
import {userInfo} from 'node:os';
import * as overrule from '../../machines/actors/overrule-feedback.ts';
import {openFeedback} from '../../machines/actors/pending-feedback.ts';
import type {BrokenFeedback, PendingFeedback} from '../../services/contracts/feedback.ts';
import {createFeedbackStore} from '../../services/stores/feedback-store.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';

// What the commands and the TUI do with pending feedback.

export type KnownFeedback = {
  readonly pending: readonly PendingFeedback[];
  readonly broken: readonly BrokenFeedback[];
};

type Place = Pick<Project, 'folder'>;

const storesOf = ({folder}: Place) => ({
  feedback: createFeedbackStore({folder: folder.feedbackFolder}),
  runs: createRunStore({folder: folder.runsFolder}),
});

/** Feedback that waits for a response. A file that a crash left after its run was recorded no longer counts. */
export const listFeedback = (project: Place): Promise<KnownFeedback> => openFeedback(storesOf(project));

/** Whether resuming this task delivers feedback, so that no question is needed. */
export async function hasFeedback(project: Place, taskId: string): Promise<boolean> {
  return (await listFeedback(project)).pending.some(({childTaskId}) => childTaskId === taskId);
}

/** Overrules a review for these tasks. */
export const dismissFeedback = async (project: Project, taskIds: readonly string[], now: () => string) =>
  overrule.dismissFeedback(await overruleServices(project, now), taskIds, loginName());

/** Changes the review feedback a task will get; null if nothing is pending. */
export const editFeedback = async (project: Project, taskId: string, text: string, now: () => string) =>
  overrule.editFeedback(await overruleServices(project, now), taskId, text, loginName());

/** Another answer of the same user may be being written. */
const lockWaitSeconds = 2;

async function overruleServices(project: Project, now: () => string): Promise<overrule.OverruleServices> {
  const {createProjectLock} = await import('../../services/lock/project-lock.ts');
  return {
    ...storesOf(project),
    plans: project.plans,
    lock: createProjectLock(project.folder, {waitSeconds: lockWaitSeconds}),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    now,
  };
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a passwd entry, as in some containers.
    return '';
  }
}
