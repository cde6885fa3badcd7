import {fromCallback, fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {LineComment} from '../../services/contracts/comment.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {requireTask, walkTree} from '../policies/plan/plan-graph.ts';
import {type Decision, type OpenDecision, openDecision} from '../policies/review/decisions.ts';
import {feedbackWith, unsentComments} from '../policies/review/line-comments.ts';
import {changesObstacle} from '../policies/run/changes-obstacle.ts';
import {withWordsKept} from '../policies/run/feedback-text.ts';
import {resumeRefusal} from '../policies/run/run-refusals.ts';
import type {
  AskDecisionInput,
  CheckDecisionInput,
  DecisionRequest,
  ReviewGateCommand,
} from '../review-gate.machine.ts';
import {lateChanges} from './late-changes.ts';
import {readableRuns} from './readable-runs.ts';
import {keepSentFeedback} from './sent-feedback.ts';
import {commentsAt} from './task-comments.ts';

/** The open questions by run, and how to answer each. */
export type OpenDecisions = Map<
  string,
  {readonly request: DecisionRequest; readonly send: (command: ReviewGateCommand) => void}
>;

/** Offers the question for as long as the gate asks it. */
export function defineAskDecisionActor(
  services: Services,
  decisions: OpenDecisions,
  onAsked: (request: DecisionRequest) => void,
) {
  return fromCallback<ReviewGateCommand, AskDecisionInput>(({input, sendBack}) => {
    const {explicitProvider, ...asked} = input;
    const request = {...asked, obstacle: obstacleTo(services, input.run, explicitProvider)};
    const open = {request, send: sendBack};
    decisions.set(input.run.run_id, open);
    onAsked(request);
    return () => {
      if (decisions.get(input.run.run_id) === open) decisions.delete(input.run.run_id);
    };
  });
}

/** The decision as recorded. One that cannot be carried out is refused while the question is still open. */
export async function checkDecision(
  services: Services,
  {task, run, decision, explicitProvider}: CheckDecisionInput,
): Promise<Decision> {
  if (decision.state === 'approved_continue' || decision.state === 'approved_quit') {
    const late = await lateChanges(services, run);
    return late === null ? decision : {...decision, late};
  }
  if (decision.state !== 'changes_requested') return decision;
  const comments = await commentsToSend(services, run);
  const feedback = feedbackWith(decision.feedback, comments);
  if (feedback.trim() === '')
    throw new AppError('E_NO_INPUT', `say what to change in ${task.id}, or comment on its lines`);
  const obstacle = obstacleTo(services, run, explicitProvider);
  try {
    if (obstacle !== null) throw resumeRefusal('E_RESUME_REFUSED', task, run, obstacle);
    await services.agents.check(run.provider, 'edit');
  } catch (error) {
    // Otherwise this text would exist only in the shell that sent it.
    await keepSentFeedback(services, run, feedback);
    throw withWordsKept(error);
  }
  if (comments.length === 0) return decision;
  return {...decision, feedback, commentIds: comments.map(({id}) => id)};
}

export const defineCheckDecisionActor = (services: Services) =>
  fromPromise<Decision, CheckDecisionInput>(({input}) => checkDecision(services, input));

async function commentsToSend(services: Services, run: RunRecord): Promise<readonly LineComment[]> {
  const {comments, history} = await commentsAt(services, run);
  return unsentComments(comments, history);
}

function obstacleTo(
  {project, agents, isSessionRef}: Services,
  run: RunRecord,
  explicitProvider: ProviderId | null,
): string | null {
  const place = {repoRoot: project.root, explicitProvider, customCommand: agents.customCommand};
  return changesObstacle(run, {...place, isSessionRef});
}

export type RecalledDecision = OpenDecision & {readonly task: {readonly id: string; readonly title: string}};

/** The checkpoint of a task on disk; null if it is at none. */
export async function recallDecision(
  {plans, runs}: Pick<Services, 'plans' | 'runs'>,
  taskId: string,
): Promise<RecalledDecision | null> {
  const task = requireTask(await plans.read(), taskId);
  const open = openDecision(task, await readableRuns({runs}, taskId, task));
  return open && {...open, task: {id: task.id, title: task.title}};
}

export const defineRecallDecisionActor = (services: Pick<Services, 'plans' | 'runs'>) =>
  fromPromise<RecalledDecision | null, {readonly taskId: string}>(({input}) =>
    recallDecision(services, input.taskId),
  );

/** The first task at a checkpoint in plan order, or null. Throws if an unreadable record may hide one. */
export async function findDecision({plans, runs}: Pick<Services, 'plans' | 'runs'>): Promise<string | null> {
  for (const {task} of walkTree(await plans.read())) {
    // Only tasks in progress can be at one, so a long plan costs nothing.
    if (task.status !== 'in_progress') continue;
    if (openDecision(task, await readableRuns({runs}, task.id, task)) !== null) return task.id;
  }
  return null;
}

export const defineFindDecisionActor = (services: Pick<Services, 'plans' | 'runs'>) =>
  fromPromise<string | null, void>(() => findDecision(services));
