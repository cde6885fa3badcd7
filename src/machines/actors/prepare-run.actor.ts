import {fromPromise} from 'xstate';
import type {AgentRequest, ProviderId} from '../../services/contracts/agent.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {type Answer, isGoRun, type Question, type RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {
  answersPrompt,
  continuePrompt,
  type Delivered,
  feedbackPrompt,
  finishedDeps,
  relaunchPrompt,
  taskPrompt,
} from '../policies/agent-prompt.ts';
import {type OpenDecision, openDecision} from '../policies/decisions.ts';
import {feedbackMark, feedbackOf, parentFeedbackText} from '../policies/parent-feedback.ts';
import {isLeaf, requireTask} from '../policies/plan-graph.ts';
import {setStatus} from '../policies/plan-status.ts';
import {isReady} from '../policies/readiness.ts';
import {relaunchObstacle, resumeObstacle, resumeRefusal} from '../policies/resume-check.ts';
import {atCheckpoint} from '../policies/retry-check.ts';
import {applyRunChange, newRunRecord} from '../policies/run-record.ts';
import type {RunCommand} from '../run.machine.ts';
import {pendingOf} from './pending-feedback.ts';
import {recoverTask} from './recover-runs.actor.ts';

/** How a task is run. */
export type RunMode =
  | {readonly type: 'execute'}
  | {readonly type: 'resume'; readonly answers: readonly Answer[]; readonly feedback: string | null}
  | {readonly type: 'restart'};

export type PrepareRunInput = {
  readonly taskId: string;
  readonly mode: RunMode;
  readonly provider: ProviderId;
  /** Named by the user for this very call; null for the saved choice. */
  readonly explicitProvider: ProviderId | null;
  /** Whether the run ends at a checkpoint; without it, as it began. */
  readonly isReviewed?: boolean;
};

export type PreparedRun = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  readonly order: RunCommand;
};

/** Everything before the agent: a fresh look at plan and history, the prompt, and the record on disk. */
export function definePrepareRunActor(services: Services, onPrepared: (prepared: PreparedRun) => void) {
  return fromPromise<PreparedRun, PrepareRunInput>(async ({input}) => {
    const plan = await services.plans.read();
    const task = requireTask(plan, input.taskId);
    if (!isLeaf(task)) {
      throw new AppError('E_TASK_NOT_READY', `${task.id} has children; they are the ones that run`, {
        next: [{command: `blackbird why ${shellWord(task.id)}`, why: 'see what is left'}],
      });
    }
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
    const prepared = await prepare(services, {...situation, latest, open, pending, attempt});
    const {order} = prepared;
    // What will be refused never starts.
    if (order.type !== 'run.resume' || order.obstacle === null) onPrepared(prepared);
    return prepared;
  });
}

type Situation = PrepareRunInput & {
  readonly plan: Plan;
  readonly task: Task;
  readonly latest: RunRecord | null;
  /** The checkpoint it stands at. */
  readonly open: OpenDecision | null;
  /** What a parent review sent it back with, and this run is to bring. */
  readonly pending: PendingFeedback | null;
  /** The number of the next run. */
  readonly attempt: number;
};

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
  if (latest === null) {
    throw new AppError('E_RESTART_REFUSED', `${task.id} has no run to restart`, {
      next: [{command: `blackbird execute ${shellWord(task.id)}`, why: 'run it for the first time'}],
    });
  }
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
  const request = await requestFor(services, await sayingOf(services, situation, latest));
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
    applyRunChange(current, {type: 'decided', decision}, now()),
  );
}

const isOpen = ({state}: RunRecord) => state === 'paused' || state === 'waiting';

/** What was said before a pause may never have been heard, so it is said with what is new. */
function feedbackFor({state, feedback: unheard}: RunRecord, feedback: string | null): {feedback?: string} {
  if (feedback === null) return {};
  const isUnheard = state === 'paused' && unheard !== undefined;
  return {feedback: isUnheard ? `${unheard}\n\n${feedback}` : feedback};
}

type Saying = Pick<AgentRequest, 'kind' | 'prompt' | 'sessionRef'>;

/** What the agent is told when its run goes on. Feedback comes before questions. */
async function sayingOf(services: Services, situation: Situation, latest: RunRecord): Promise<Saying> {
  const {plan, task, mode, open} = situation;
  const {answers} = mode.type === 'resume' ? mode : {answers: []};
  const {feedback} = feedbackFor(latest, mode.type === 'resume' ? mode.feedback : null);
  const questions = latest.questions ?? [];
  const {review_summary: changed} = open?.run ?? latest;
  const inSession = {kind: 'resume', sessionRef: latest.provider_session_ref} as const;
  if (feedback !== undefined) return {...inSession, prompt: feedbackPrompt(feedback, changed?.files ?? [])};
  if (latest.state === 'paused') {
    return {...inSession, prompt: continuePrompt(questions, latest.answers, latest.feedback)};
  }
  requireAnswers(task, questions, answers);
  if (latest.provider_session_ref !== '') return {...inSession, prompt: answersPrompt(questions, answers)};
  // Only without a session is everything said again, with what was answered.
  // Rounds number their questions alike, so those of earlier ones are told apart by their place.
  const earlier = (latest.answers ?? []).map(({id, value, prompt = id}, place) => ({
    id: `${place} ${id}`,
    value,
    prompt,
  }));
  const asked = [...earlier, ...questions];
  const prompt = relaunchPrompt(await promptFor(services, plan, task), asked, [...earlier, ...answers]);
  return {kind: 'start', sessionRef: null, prompt};
}

function requireAnswers(task: Task, questions: readonly Question[], answers: readonly Answer[]): void {
  const missing = questions.filter(
    ({id}) => !answers.some((answer) => answer.id === id && answer.value.trim() !== ''),
  );
  if (missing.length > 0) {
    throw new AppError(
      'E_NO_INPUT',
      `${task.id} waits for answers: ${missing.map(({id}) => id).join(', ')}`,
      {
        details: missing.map(({id, prompt, options}) => [
          id,
          options ? `${prompt} (${options.join(' | ')})` : prompt,
        ]),
        next: [
          {
            command: `blackbird resume ${shellWord(task.id)} ${missing.map(({id}) => `--answer ${shellWord(`${id}=…`)}`).join(' ')}`,
          },
        ],
      },
    );
  }
}

/** A new run, linked to the old one, goes on with its session. */
async function takeOver(
  services: Services,
  situation: Situation,
  latest: RunRecord,
  request: AgentRequest,
  {answers, feedback}: Extract<RunMode, {type: 'resume'}>,
): Promise<PreparedRun> {
  const record = await recordFor(
    services,
    // Whoever asks for changes at a checkpoint sees them at the next one.
    {
      ...situation,
      provider: latest.provider,
      isReviewed: situation.open !== null || (situation.isReviewed ?? latest.decision_required === true),
    },
    {
      prompt: request.prompt,
      sessionRef: latest.provider_session_ref,
      links: {resumed_from_run_id: latest.run_id},
    },
  );
  const run = {
    ...record,
    resumable: request.kind === 'resume',
    ...(answers.length === 0 ? {} : {answers: [...answers]}),
    ...(feedback === null ? {} : {feedback}),
  };
  return begin(services, situation, run, request);
}

async function startFresh(
  services: Services,
  situation: Situation,
  restartOf: RunRecord | null,
): Promise<PreparedRun> {
  const {plan, task, provider, pending} = situation;
  const told = await promptFor(services, plan, task);
  const prompt = pending ? `${told}\n\n${feedbackPrompt(parentFeedbackText(pending), [])}` : told;
  const {choosesSession} = await services.agents.check(provider);
  const sessionRef = choosesSession ? services.newUuid() : null;
  const links = restartOf ? {restart_of_run_id: restartOf.run_id} : {};
  const run = await recordFor(services, situation, {prompt, sessionRef: sessionRef ?? '', links});
  return begin(services, situation, run, await requestFor(services, {kind: 'start', prompt, sessionRef}));
}

/** The record first, then the plan and the run it replaces. A run they cannot be told of never starts. */
async function begin(
  services: Services,
  {task, mode, latest}: Situation,
  run: RunRecord,
  request: AgentRequest,
): Promise<PreparedRun> {
  await services.runs.insert(run);
  try {
    await services.plans.update((current) => {
      // Looked at again under the lock: somebody may have changed the plan since.
      if (mode.type === 'execute' && !isReady(current, requireTask(current, task.id))) throw notReady(task);
      return setStatus(current, task.id, 'in_progress', services.now());
    });
    // A record of the Go program is never rewritten; the new run links to it all the same.
    if (mode.type === 'restart' && latest && !isGoRun(latest)) {
      await services.runs.update(task.id, latest.run_id, (current) =>
        applyRunChange(current, {type: 'superseded', byRunId: run.run_id}, services.now()),
      );
    }
  } catch (error) {
    await services.runs
      .update(task.id, run.run_id, (current) =>
        applyRunChange(current, {type: 'neverStarted'}, services.now()),
      )
      // What it was about to say counts; a record that still says running is repaired by the next start.
      .catch(() => {});
    throw error;
  }
  return {task, run, order: {type: 'run.launch', request}};
}

async function recordFor(
  services: Services,
  {task, attempt, provider, pending, isReviewed = false}: Situation,
  {prompt, sessionRef, links}: {prompt: string; sessionRef: string; links: Partial<RunRecord>},
): Promise<RunRecord> {
  const baselineTree = await services.changes.snapshot();
  return newRunRecord(
    {
      runId: services.newRunId(task.id, attempt),
      taskId: task.id,
      attempt,
      provider,
      sessionRef,
      repoRoot: services.project.root,
      context: {
        digest: services.digest(prompt),
        bytes: new TextEncoder().encode(prompt).length,
        ...(pending ? feedbackMark(pending) : {}),
      },
      links,
      ...(services.self === null ? {} : {owner: services.self}),
      ...(baselineTree === null ? {} : {baselineTree}),
      isReviewed,
    },
    services.now(),
  );
}

async function requestFor(services: Services, request: Saying): Promise<AgentRequest> {
  return {...request, access: 'edit', isGitRepository: await services.project.isGitRepository()};
}

async function promptFor(services: Services, plan: Plan, task: Task): Promise<string> {
  const delivered: Delivered[] = [];
  for (const dep of finishedDeps(plan, task)) {
    const {runs} = await services.runs.list(dep.id);
    const run = runs.findLast(({run_type}) => run_type === 'execute');
    const files = run?.review_summary?.files ?? [];
    delivered.push({id: dep.id, title: dep.title, result: run?.result ?? '', files});
  }
  return taskPrompt({task, delivered, snapshot: await services.project.snapshot()});
}

async function markInProgress({plans, now}: Services, taskId: string): Promise<void> {
  await plans.update((plan) => setStatus(plan, taskId, 'in_progress', now()));
}

function obstacleOf(services: Services, {explicitProvider, mode}: Situation, run: RunRecord): string | null {
  const here = {repoRoot: services.project.root, explicitProvider};
  const needsSession =
    run.state !== 'waiting' ||
    run.provider_session_ref !== '' ||
    (mode.type === 'resume' && mode.feedback !== null);
  if (!needsSession) return relaunchObstacle(run, here);
  return resumeObstacle(run, {...here, isSessionRef: (ref) => services.isSessionRef(run.provider, ref)});
}

function notReady(task: Task): AppError {
  return new AppError('E_TASK_NOT_READY', `${task.id} is not ready`, {
    next: [{command: `blackbird why ${shellWord(task.id)}`, why: 'see what it waits for'}],
  });
}

function nothingToResume(task: Task, reason: string): AppError {
  return new AppError('E_NOTHING_TO_RESUME', `nothing to resume for ${task.id}: ${reason}`, {
    next: [{command: `blackbird runs ${shellWord(task.id)}`, why: 'see its history'}],
  });
}

function stillRunning(task: Task, run: RunRecord): AppError {
  return new AppError('E_TASK_RUNNING', `${task.id} is running`, {
    details: [['run', run.run_id]],
    next: [{command: `blackbird runs ${shellWord(task.id)}`, why: 'see its state'}],
  });
}
