import {fromPromise} from 'xstate';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {isGoRun, type RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf, requireTask} from '../policies/plan/plan-graph.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {type OpenDecision, openDecision} from '../policies/review/decisions.ts';
import {
  bringsFeedback,
  feedbackMark,
  feedbackOf,
  parentFeedbackText,
} from '../policies/review/parent-feedback.ts';
import {changesPrompt, relaunchPrompt} from '../policies/run/agent-prompt.ts';
import {joinTexts, precededBy} from '../policies/run/feedback-text.ts';
import {
  answersFor,
  feedbackFor,
  feedbackToFailed,
  resumeRequestFor,
  type UserReply,
} from '../policies/run/resume-prompt.ts';
import type {RunOrder} from '../policies/run/run-order.ts';
import {parentRefusal, requirePossible} from '../policies/run/run-refusals.ts';
import {changedSince, taskDigest, undeliveredDigest} from '../policies/run/task-digest.ts';
import type {TaskFacts} from '../policies/run/task-options.ts';
import {
  chainTo,
  changedFiles,
  isResting,
  isUndelivered,
  isUndone,
  latestDeliveredRun,
} from '../policies/run/task-runs.ts';
import {hasSession, isUnchecked} from '../policies/run/verification.ts';
import {promptFor, requestFor, startFresh, takeOver} from './begin-run.ts';
import {pendingIn, pendingOf} from './pending-feedback.ts';
import {recoverTask} from './recover-runs.actor.ts';
import {
  factsHere,
  type PreparedTask,
  type PrepareRunInput,
  type RunMode,
  type Situation,
} from './run-situation.ts';
import {sentFeedback} from './sent-feedback.ts';
import {requireBudget, type SpendingTracker} from './spending.ts';

/** Everything before the agent starts: reads plan and history, builds the prompt, writes the record. */
export function definePrepareRunActor(
  services: Services,
  spending: SpendingTracker,
  onPrepared: (prepared: PreparedTask) => void,
) {
  return fromPromise<PreparedTask, PrepareRunInput>(async ({input}) => {
    const plan = await services.plans.read();
    const task = requireTask(plan, input.taskId);
    if (!isLeaf(task)) throw parentRefusal(plan, task, await sentBackBelow(services, plan, task.id));
    const latest = await recoverTask(services, task.id);
    requireBudget(spending, input.budgets, task.id, goesOn(input.mode) ? latest : null, input.mode.type);
    const prepare = {execute: prepareExecute, resume: prepareResume, restart: prepareRestart}[
      input.mode.type
    ];
    const {runs} = await services.runs.list(task.id);
    const attempts = runs.filter(({run_type}) => run_type !== 'review').map(({attempt}) => attempt);
    const attempt = Math.max(0, ...attempts) + 1;
    const open = openDecision(task, runs);
    const sent = await sentFeedback(services, latest);
    const mode = withSent(input.mode, sent);
    const pending = (await pendingFor(services, {...input, mode}, open)) ?? unfinishedFeedback(mode, latest);
    // A checkpoint needs a decision; a plain resume does not pass it.
    const failed = open === null ? latest : null;
    const situation = {...input, mode: withFeedback(mode, pending, failed), plan, task, sent};
    const prepared = await prepare(services, {...situation, runs, latest, open, pending, attempt});
    onPrepared(prepared);
    return prepared;
  });
}

/** The usage of earlier runs counts for this one. A user who starts a task over gives it a new budget. */
const goesOn = (mode: RunMode): boolean =>
  mode.type === 'resume' || (mode.type === 'restart' && mode.retry !== undefined);

/** Feedback of an earlier resume that never started is sent with the next one, before the new text. */
function withSent(mode: RunMode, sent: string | null): RunMode {
  if (mode.type !== 'resume') return mode;
  if (bringsFeedback(mode)) return {...mode, feedback: sent};
  return sent === null || mode.feedback === null ? mode : {...mode, feedback: joinTexts(sent, mode.feedback)};
}

/** Parent review feedback, if this run is to deliver it. A checkpoint has to be decided first. */
async function pendingFor(
  services: Services,
  {taskId, mode}: PrepareRunInput,
  open: OpenDecision | null,
): Promise<PendingFeedback | null> {
  const isAsked =
    mode.type === 'restart' || (mode.type === 'resume' && bringsFeedback(mode) && open === null);
  return isAsked ? pendingOf(services, taskId) : null;
}

/** The successor of an unfinished run gets the same feedback again. */
const unfinishedFeedback = (mode: RunMode, latest: RunRecord | null): PendingFeedback | null =>
  mode.type !== 'resume' && latest && isResting(latest) ? feedbackOf(latest) : null;

function withFeedback(mode: RunMode, pending: PendingFeedback | null, latest: RunRecord | null): RunMode {
  if (mode.type !== 'resume') return mode;
  if (pending) return {...mode, feedback: parentFeedbackText(pending)};
  // Answers are for questions: a failed run has none.
  if (mode.answers.length > 0 && mode.feedback === null) return mode;
  if (mode.feedback === null) return {...mode, feedback: feedbackToFailed(latest)};
  // Feedback that an earlier resume could not deliver goes along.
  const undelivered = latest && isUndelivered(latest) ? (latest.feedback ?? '') : '';
  return {...mode, feedback: precededBy(undelivered, mode.feedback)};
}

async function prepareExecute(services: Services, situation: Situation): Promise<PreparedTask> {
  requirePossible(factsOf(services, situation), 'execute');
  // A task made ready again while its last run is open or failed: that run is replaced as by a restart, and its files
  // are part of the change.
  const {latest, runs} = situation;
  return startFresh(services, situation, latest && isReplaceable(latest, runs) ? latest : null);
}

async function prepareRestart(services: Services, situation: Situation): Promise<PreparedTask> {
  requirePossible(factsOf(services, situation), 'restart');
  return startFresh(services, situation, situation.latest);
}

async function prepareResume(services: Services, situation: Situation): Promise<PreparedTask> {
  const {task, latest, mode, pending} = situation;
  if (mode.type !== 'resume') throw new Error('Only a resume can be prepared as one');
  const command = mode.feedback !== null && latest !== null ? 'sendBack' : 'resume';
  const facts = factsOf(services, situation);
  // An answer to a closed question would reach nobody.
  const isAnswer = command === 'resume' && latest !== null && mode.answers.length > 0;
  requirePossible(facts, isAnswer ? 'answer' : command);
  // Sent back without ever having run: a person did it, so there is no session to continue.
  if (latest === null) return startFresh(services, situation, null);
  await services.agents.check(latest.provider, 'edit');
  if (command === 'resume' && isOnlyChecked(services, task, latest)) {
    await markInProgress(services, task.id);
    const {isReviewed} = situation;
    const reviewed = isReviewed === undefined ? {} : {isReviewed};
    const order: RunOrder = {type: 'run.resume', isOnlyChecked: true, ...reviewed};
    return {
      task,
      run: latest,
      order,
      status: task.status,
      replaces: null,
      circumstances: facts.circumstances,
    };
  }
  const request = await requestAgain(services, situation, latest, mode);
  // An ended run is never reopened, and a record of the Go program never rewritten: a new run takes over.
  if (!isResting(latest) || isGoRun(latest)) {
    return takeOver(services, situation, latest, request, mode);
  }
  await markInProgress(services, task.id);
  const order: RunOrder = {
    type: resumeOrder(latest, command),
    request,
    ...(latest.state === 'waiting' ? {answers: answersFor(latest, mode.answers)} : {}),
    ...feedbackFor(latest, mode.feedback),
    ...(pending ? feedbackMark(pending) : {}),
    ...(situation.isReviewed === undefined ? {} : {isReviewed: situation.isReviewed}),
    ...(situation.modelChoices && {modelChoice: situation.modelChoices.asked}),
    ...undeliveredDigest(latest, taskDigest(task, services.digest)),
  };
  return {task, run: latest, order, status: task.status, replaces: null, circumstances: facts.circumstances};
}

/** Its agent is done, and there is nothing new to tell it, or no session to tell it in. */
function isOnlyChecked(services: Services, task: Task, latest: RunRecord): boolean {
  if (!isUnchecked(latest)) return false;
  const changes = changedSince(latest, task, taskDigest(task, services.digest));
  return changes.length === 0 || !hasSession(latest);
}

function resumeOrder({state}: RunRecord, command: 'sendBack' | 'resume') {
  if (command === 'sendBack') return 'run.sendBack';
  return state === 'waiting' ? 'run.answer' : 'run.resume';
}

const isReplaceable = (run: RunRecord, runs: readonly RunRecord[]) =>
  run.superseded_by_run_id === undefined &&
  (isResting(run) || (run.state === 'failed' && !isGoRun(run) && !isUndone(run, runs)));

/** The tasks that a parent's review sent back and whose feedback is pending. */
async function sentBackBelow(services: Services, plan: Plan, parentId: string): Promise<string[]> {
  const pending = await pendingIn(services, plan);
  return pending.filter(({parentTaskId}) => parentTaskId === parentId).map(({childTaskId}) => childTaskId);
}

/** The request that continues a run. */
async function requestAgain(services: Services, situation: Situation, latest: RunRecord, said: UserReply) {
  const {task, open, runs} = situation;
  const saying = resumeRequestFor(latest, said, changedFiles(chainTo(open?.run ?? latest, runs)));
  if (saying.kind === 'resume') {
    const changes = changedSince(latest, task, taskDigest(task, services.digest));
    return requestFor(services, {...saying, prompt: changesPrompt(changes, saying.prompt)});
  }
  const prompt = relaunchPrompt(await promptFor(services, situation), saying.questions, saying.answers);
  return requestFor(services, {kind: 'start', sessionRef: null, prompt});
}

async function markInProgress({plans, now}: Services, taskId: string): Promise<void> {
  await plans.update((plan) => setStatus(plan, taskId, 'in_progress', now()));
}

/** The facts for the run chart: the latest delivered run determines the task. */
function factsOf(services: Services, {plan, task, runs, pending, explicitProvider}: Situation): TaskFacts {
  const known = {run: latestDeliveredRun(runs), isSentBack: pending !== null, explicitProvider};
  return factsHere(services, plan, task, known);
}
