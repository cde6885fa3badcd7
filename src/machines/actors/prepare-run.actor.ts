import {fromPromise} from 'xstate';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import {isGoRun, type RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf, requireTask} from '../policies/plan/plan-graph.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {isReady} from '../policies/plan/readiness.ts';
import {type OpenDecision, openDecision} from '../policies/review/decisions.ts';
import {feedbackMark, feedbackOf, parentFeedbackText} from '../policies/review/parent-feedback.ts';
import {relaunchPrompt} from '../policies/run/agent-prompt.ts';
import {relaunchObstacle, resumeObstacle, resumeRefusal} from '../policies/run/resume-check.ts';
import {feedbackFor, type Said, sayingFor} from '../policies/run/resume-saying.ts';
import {atCheckpoint} from '../policies/run/retry-check.ts';
import {chainTo, changedFiles} from '../policies/run/run-chain.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import {
  hasChildren,
  nothingToRestart,
  nothingToResume,
  notReady,
  stillRunning,
} from '../policies/run/run-refusals.ts';
import type {RunCommand} from '../run.machine.ts';
import {requestFor, startFresh, takeOver} from './begin-run.ts';
import {pendingOf} from './pending-feedback.ts';
import {recoverTask} from './recover-runs.actor.ts';
import {promptFor} from './run-prompt.ts';
import type {PreparedRun, PrepareRunInput, RunMode, Situation} from './run-situation.ts';

/** Everything before the agent: a fresh look at plan and history, the prompt, and the record on disk. */
export function definePrepareRunActor(services: Services, onPrepared: (prepared: PreparedRun) => void) {
  return fromPromise<PreparedRun, PrepareRunInput>(async ({input}) => {
    const plan = await services.plans.read();
    const task = requireTask(plan, input.taskId);
    if (!isLeaf(task)) throw hasChildren(task);
    const latest = await recoverTask(services, task.id);
    const prepare = {execute: prepareExecute, resume: prepareResume, restart: prepareRestart}[
      input.mode.type
    ];
    const {runs} = await services.runs.list(task.id);
    const attempts = runs.filter(({run_type}) => run_type === 'execute').map(({attempt}) => attempt);
    const attempt = Math.max(0, ...attempts) + 1;
    const open = openDecision(task, runs);
    const pending = (await pendingFor(services, input, open)) ?? unfinishedFeedback(input.mode, latest);
    const situation = {...input, mode: withFeedback(input.mode, pending), plan, task};
    const prepared = await prepare(services, {...situation, runs, latest, open, pending, attempt});
    const {order} = prepared;
    // What will be refused never starts.
    if (order.type !== 'run.resume' || order.obstacle === null) onPrepared(prepared);
    return prepared;
  });
}

/**
 * Words of a person come first: feedback, answers, a checkpoint that is theirs to pass. Then what a parent
 * review said; then the questions of the agent.
 */
async function pendingFor(
  services: Services,
  {taskId, mode}: PrepareRunInput,
  open: OpenDecision | null,
): Promise<PendingFeedback | null> {
  if (mode.type === 'execute') return null;
  if (mode.type === 'resume' && (mode.feedback !== null || mode.answers.length > 0 || open !== null))
    return null;
  return pendingOf(services, taskId);
}

/** What a run was told that is replaced before it came to an end, its successor is told again. */
const unfinishedFeedback = (mode: RunMode, latest: RunRecord | null): PendingFeedback | null =>
  mode.type === 'restart' && latest && isOpen(latest) ? feedbackOf(latest) : null;

const withFeedback = (mode: RunMode, pending: PendingFeedback | null): RunMode =>
  mode.type === 'resume' && pending ? {...mode, feedback: parentFeedbackText(pending)} : mode;

async function prepareExecute(services: Services, situation: Situation): Promise<PreparedRun> {
  const {plan, task} = situation;
  if (!isReady(plan, task)) throw notReady(task);
  return startFresh(services, situation, null);
}

async function prepareRestart(services: Services, situation: Situation): Promise<PreparedRun> {
  const {task, latest} = situation;
  if (latest === null) throw nothingToRestart(task);
  if (latest.state === 'running') throw stillRunning(task, latest);
  return startFresh(services, situation, latest);
}

async function prepareResume(services: Services, situation: Situation): Promise<PreparedRun> {
  const {task, latest, mode, pending} = situation;
  if (mode.type !== 'resume') throw new Error('Only a resume can be prepared as one');
  // Sent back without ever having run: a person did it, and there is no session to go on with.
  if (latest === null && pending) return startFresh(services, situation, null);
  if (latest === null) throw nothingToResume(task, 'it has never run');
  if (latest.state === 'running') throw stillRunning(task, latest);
  const {answers} = mode;
  const feedback = feedbackFor(latest, mode.feedback);
  if (mode.feedback === null && latest.state !== 'paused' && latest.state !== 'waiting') {
    if (situation.open !== null) throw atCheckpoint(task.id);
    throw nothingToResume(task, `its latest run ${latest.state}`);
  }
  const obstacle = obstacleOf(services, situation, latest);
  if (obstacle === null) await services.agents.check(latest.provider);
  else if (latest.state !== 'paused') throw resumeRefusal('E_RESUME_REFUSED', task, latest, obstacle);
  const request = await requestAgain(services, situation, latest, mode);
  // A run that ended is never reopened, a record of the Go program never rewritten: a new run takes over.
  if (obstacle === null && (!isOpen(latest) || isGoRun(latest))) {
    await resolveCheckpoint(services, situation);
    return takeOver(services, situation, latest, request, mode);
  }
  if (obstacle === null) await markInProgress(services, task.id);
  const said = {
    ...feedback,
    ...(pending ? feedbackMark(pending) : {}),
    ...(situation.isReviewed === undefined ? {} : {isReviewed: situation.isReviewed}),
  };
  const order: RunCommand =
    latest.state === 'waiting'
      ? {type: 'run.answer', request, answers, ...said}
      : {type: 'run.resume', request, obstacle, ...said};
  return {task, run: latest, order};
}

/** Feedback at a checkpoint is a decision: it is on disk before the run that carries it out. */
async function resolveCheckpoint({runs, now}: Services, {open, mode}: Situation): Promise<void> {
  if (open === null || mode.type !== 'resume' || mode.feedback === null) return;
  if (open.unheard === mode.feedback) return;
  const decision = {state: 'changes_requested', feedback: mode.feedback} as const;
  await runs.update(open.run.task_id, open.run.run_id, (current) =>
    applyRunStep(current, {type: 'decided', decision}, now()),
  );
}

const isOpen = ({state}: RunRecord) => state === 'paused' || state === 'waiting';

/** The request that a run goes on with. */
async function requestAgain(services: Services, situation: Situation, latest: RunRecord, said: Said) {
  const {plan, task, open, runs} = situation;
  const saying = sayingFor(latest, said, changedFiles(chainTo(open?.run ?? latest, runs)));
  if (saying.kind === 'resume') return requestFor(services, saying);
  const prompt = relaunchPrompt(await promptFor(services, plan, task), saying.questions, saying.answers);
  return requestFor(services, {kind: 'start', sessionRef: null, prompt});
}

async function markInProgress({plans, now}: Services, taskId: string): Promise<void> {
  await plans.update((plan) => setStatus(plan, taskId, 'in_progress', now()));
}

function obstacleOf(services: Services, {explicitProvider, mode}: Situation, run: RunRecord): string | null {
  const {project, agents} = services;
  const here = {repoRoot: project.root, explicitProvider, customCommand: agents.customCommand};
  const needsSession =
    run.state !== 'waiting' ||
    run.provider_session_ref !== '' ||
    (mode.type === 'resume' && mode.feedback !== null);
  if (!needsSession) return relaunchObstacle(run, here);
  return resumeObstacle(run, {...here, isSessionRef: (ref) => services.isSessionRef(run.provider, ref)});
}
