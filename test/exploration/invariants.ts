import {latestDeliveredRun, statusOf} from '../../src/machines/policies/run/task-runs.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {AgentActivity} from './history.ts';
import type {Simulation} from './simulation.ts';
import type {Disk} from './world.ts';

/** What must hold whatever happens. The names are printed with the figures. */
export const invariants = {
  oneAgent: 'at most one agent is alive',
  recorded: 'an agent is launched with a record and released with its pid on disk, under the lock',
  noOrphans: 'no agent is alive once its record has ended',
  afterPause: 'nothing starts after a pause, or after a request to stop, without a command',
  done: 'done only after success, passed checks, and approval and commit where they are asked for',
  parentDone: 'a parent is done only when its review passed',
  checkpoint: 'no decision is skipped: the plan starts nothing while a checkpoint is open',
  session: 'resumable implies a stored ref, and a resume asks for the session of its own run',
  order: 'a task starts when its dependencies are done',
  limit: 'nothing starts before a limit is over, unless a person asks for it',
  messages: 'what a person or a review says reaches an agent exactly once',
  history: 'what ended stays ended; attempts, segments and links are never lost',
  links: 'links are acyclic and lead to runs that exist',
  edits: 'edits made meanwhile are kept',
  atRest: 'a job that ended leaves no lock, no open job and no record that says running',
  planMatchesRun: 'the status of a task matches its run',
  owner: 'nobody touches the run of a Blackbird that is alive',
  offered: 'what a view offers, the engine accepts',
  refused: 'what no view offers, the engine refuses and changes nothing',
  canFinish: 'from every state, a person who follows the views reaches the end',
  terminates: 'every command ends, and after a pause it needs no help',
} as const;

export type Invariant = keyof typeof invariants;

type Report = (invariant: Invariant, text: string) => void;

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);

/** For every write to a record, before it is seen. */
export function checkRunWrite(
  {world}: Simulation,
  before: RunRecord | null,
  after: RunRecord,
  report: Report,
): void {
  const {run_id: id} = after;
  const {history} = world;
  if (after.resumable) {
    const announced = history.activities.filter(({runId}) =>
      isRelated(world.runs.records(after.task_id), id, runId),
    );
    const own = announced.filter(({session}) => session === after.provider_session_ref);
    const isKnown = own.length > 0;
    const isAtRest = after.state !== 'running' && before?.state === 'running';
    if (isKnown && isAtRest && !own.some(({isStored}) => isStored))
      report('session', `${id} is resumable in a session that its provider has not stored`);
    if (after.provider_session_ref === '') report('session', `${id} is resumable without a ref`);
    else if (!isKnown) report('session', `${id} is resumable in a session that no agent of it announced`);
  }
  const remains = history.activities.some(({runId, hasProcesses}) => runId === id && hasProcesses);
  if (remains && after.state !== 'running' && before?.state === 'running')
    report('noOrphans', `${id} is ${after.state}, and what its agent left was not ended`);
  if (before === null) {
    const attempts = world.runs.records(after.task_id).map(({attempt}) => attempt);
    if (attempts.some((attempt, place) => attempt !== place + 1))
      report('history', `the attempts of ${after.task_id} are ${attempts.join(', ')}`);
    if (after.state !== 'running') report('history', `${id} is new and ${after.state}`);
    return;
  }
  const isReopened = ended.has(before.state) && !ended.has(after.state);
  if (isReopened) report('history', `${id} was ${before.state} and is ${after.state}`);
  if (
    before.state === 'succeeded' &&
    after.state === 'failed' &&
    after.decision_state !== 'rejected' &&
    after.run_type === 'execute'
  )
    report('history', `${id} had succeeded and is failed`);
  if (
    after.segments.length < before.segments.length - 1 ||
    (before.segments.length > after.segments.length &&
      history.activities.filter(({runId}) => runId === id).length > after.segments.length)
  )
    report('history', `${id} has lost a segment of an agent that ran`);
  for (const link of ['resumed_from_run_id', 'restart_of_run_id'] as const)
    if (before[link] !== after[link]) report('links', `${link} of ${id} was changed`);
  if (before.attempt !== after.attempt || before.task_id !== after.task_id)
    report('history', `${id} became another attempt`);
  if ((after.pauses?.length ?? 0) < (before.pauses?.length ?? 0)) report('history', `${id} has lost a pause`);
  if (before.decision_state === 'pending' && after.decision_state !== 'pending')
    if (history.decisions[id] !== after.decision_state)
      report('checkpoint', `${id} is ${after.decision_state ?? 'undecided'}, and nobody said so`);
}

/** A run and those it continues may share a session. */
function isRelated(runs: readonly RunRecord[], id: string, other: string): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !seen.has(at); ) {
    if (at === other) return true;
    seen.add(at);
    const run = runs.find(({run_id}) => run_id === at);
    at = run?.resumed_from_run_id;
  }
  return false;
}

/** For every write to the plan. */
export function checkPlanWrite(
  {world, scenario}: Simulation,
  before: Plan,
  after: Plan,
  report: Report,
): void {
  const {history} = world;
  for (const [id, task] of after.items) {
    if (history.titles[id] !== undefined && task.title !== history.titles[id])
      report('edits', `${id} lost its new title`);
    if (task.status !== 'done' || before.items.get(id)?.status === 'done') continue;
    if (history.byHand[id] === 'done') continue;
    if (task.childIds.length > 0) {
      const last = history.activities.findLast(
        (activity) => activity.taskId === id || task.childIds.includes(activity.taskId),
      );
      const isOff = scenario.settings?.parentReviewEnabled === false;
      // Work done only by hand needs no reviewer.
      if (!isOff && last && last.verdict !== 'passed')
        report('parentDone', `${id} is done, the last agent reported ${last.verdict}`);
      const review = world.runs.records(id).findLast(({run_type}) => run_type === 'review');
      if (!isOff && last && review?.parent_review_passed !== true)
        report('parentDone', `${id} is done, and no record says that its review passed`);
      continue;
    }
    const run = latestDeliveredRun(world.runs.records(id));
    const agent = history.activities.findLast(({runId}) => runId === run?.run_id);
    if (run === null || run.state !== 'succeeded') report('done', `${id} is done, its run ${run?.state}`);
    else if (agent?.verdict !== 'ok') report('done', `${id} is done, its agent reported ${agent?.verdict}`);
    else if (history.gated.includes(run.run_id) && !history.decisions[run.run_id]?.startsWith('approved'))
      report('done', `${id} is done, and nobody approved ${run.run_id}`);
    else if (checksOf(scenario).some((command) => !agent.passed.includes(command)))
      report('done', `${id} is done, and not all checks of ${run.run_id} passed since its agent ended`);
    else if (scenario.settings?.commit === 'task' && !isCommitted(world.changes.commits, run))
      report('done', `${id} is done, and ${run.run_id} is not committed`);
    else if (run.superseded_by_run_id !== undefined)
      report('done', `${id} is done by a run that was replaced`);
  }
}

/** A commit contains the id of its run. */
const isCommitted = (commits: readonly string[], {commit, run_id}: RunRecord): boolean =>
  commit?.sha !== undefined && commits.some((each) => each.endsWith(` ${run_id}`));

const checksOf = ({settings = {}}: Simulation['scenario']): readonly string[] =>
  Array.isArray(settings.verify) ? settings.verify : [];

/** For every agent at the moment it is released. */
export function checkAgentRelease(
  {world, scenario, counters, command}: Simulation,
  activity: AgentActivity,
  report: Report,
): void {
  const {history} = world;
  const tooMany = (limit: number | null) => limit !== null && counters.agents > limit;
  if (tooMany(counters.agentsAtPause))
    report('afterPause', `agent ${activity.runId} was released after a pause`);
  // The agent that is launching when a stop is requested is the last one.
  if (counters.agentsAtStop !== null && counters.agents > counters.agentsAtStop + 1)
    report('afterPause', `agent ${activity.runId} was released after a request to stop`);
  if (activity.kind === 'resume') {
    const own = history.activities.filter(({runId}) =>
      isRelated(world.runs.records(activity.taskId), activity.runId, runId),
    );
    if (!own.some(({session}) => session !== null && session === activity.askedRef))
      report(
        'session',
        `agent ${activity.runId} resumes ${activity.askedRef}, which none of its agents announced`,
      );
  }
  if (command !== 'execute') return;
  if (scenario.isPatient && history.limitedUntil > world.clock.milliseconds)
    report('limit', `agent ${activity.runId} was released before its limit was over`);
  const own = world.plans.plan.items.get(activity.taskId);
  const early =
    activity.kind === 'start' && own?.deps.find((id) => world.plans.plan.items.get(id)?.status !== 'done');
  if (early) report('order', `agent ${activity.runId} was released before ${early} was done`);
  for (const task of world.plans.plan.items.values()) {
    if (task.id === activity.taskId || task.status !== 'in_progress' || task.childIds.length > 0) continue;
    const run = latestDeliveredRun(world.runs.records(task.id));
    if (run?.decision_state === 'pending')
      report('checkpoint', `agent ${activity.runId} was released while ${run.run_id} waits for a decision`);
  }
}

/** For every write, by its name. */
export function checkWrite({world}: Simulation, name: string, report: Report): void {
  if (/^(jobs\.|runs\.insert$)/.test(name) && !world.lock.isHeld)
    report('recorded', `${name} without the lock`);
}

/** For every question to the user. */
export function checkQuestion({world}: Simulation, run: RunRecord, report: Report): void {
  const isLast = world.runs.records(run.task_id).every(({attempt}) => attempt <= run.attempt);
  if (run.decision_state === 'changes_requested' && isLast)
    report('checkpoint', `${run.run_id} is open again although its feedback was never delivered`);
}

/** What only an engine that continues the work starts. */
const startingActors: ReadonlySet<string> = new Set([
  'selectTask',
  'task',
  'prepareRun',
  'prepareRound',
  'run',
  'segment',
  'check',
  'parentReview',
  'prepareReview',
  'executor',
  'jobTask',
  'undo',
]);

/** For every part of the engine at the moment it starts. */
export function checkActorStart({counters}: Simulation, id: string, report: Report): void {
  if (counters.agentsAtPause !== null && startingActors.has(id))
    report('afterPause', `${id} began after a pause`);
}

/** For every check at the moment it is released. */
export function checkCheckRelease({world, counters}: Simulation, runId: string, report: Report): void {
  if (counters.agentsAtPause !== null && counters.checksAtPause !== counters.checks)
    report('afterPause', `a check of ${runId} was released after a pause`);
  const verdict = world.history.activities.findLast((activity) => activity.runId === runId)?.verdict;
  if (verdict !== 'ok') report('done', `${runId} is checked, and its agent reported ${verdict}`);
}

/** For a project at rest, after a command or a crash. */
export function checkDisk({plan, runs: all, feedback, drafts, history}: Disk, report: Report): void {
  for (const run of all) {
    const seen = new Set<string>();
    for (let at: RunRecord | undefined = run; at; ) {
      if (seen.has(at.run_id)) {
        report('links', `the links of ${run.run_id} go round`);
        break;
      }
      seen.add(at.run_id);
      const next: string | undefined = at.superseded_by_run_id;
      if (next !== undefined && !all.some(({run_id}) => run_id === next))
        report('links', `${at.run_id} is superseded by ${next}, which is not there`);
      at = all.find(({run_id}) => run_id === next);
    }
    const from = run.resumed_from_run_id ?? run.restart_of_run_id;
    if (from !== undefined && !all.some(({run_id, attempt}) => run_id === from && attempt < run.attempt))
      report('links', `${run.run_id} goes on from ${from}, which is not before it`);
  }
  for (const task of plan.items.values()) {
    const run = latestDeliveredRun(all.filter(({task_id}) => task_id === task.id));
    const by = all.find(({run_id}) => run_id === run?.superseded_by_run_id);
    const isUndone = by?.run_type === 'undo' && by.state === 'succeeded';
    if (isUndone && task.status === 'done' && history.byHand[task.id] === undefined)
      report('planMatchesRun', `${task.id} is done, and its change was undone`);
  }
  for (const message of history.messages) {
    const own = all.filter(({task_id}) => task_id === message.taskId);
    // A user who sees a task done without their feedback gives it again.
    const kept = plan.items.get(message.taskId)?.status === 'done' ? [] : drafts;
    message.isAccepted ||= JSON.stringify([own, feedback, kept]).includes(message.token);
    const heard = history.activities.filter(
      ({messages, hasWorked, verdict, isLost}) =>
        messages.includes(message.token) && hasWorked && verdict === 'ok' && !isLost,
    );
    if (heard.length > 1)
      report('messages', `${message.token} was heard by ${heard.map(({runId}) => runId).join(' and ')}`);
  }
}

/** For a project whose Blackbird has nothing left to do. `isJob`: the engine worked on it. */
export function checkIdle({world}: Simulation, isJob: boolean, report: Report): void {
  const {history, plans} = world;
  const all = [...world.runs.texts.keys()].flatMap(world.runs.records);
  // What a dead Blackbird left is ended by the next job, and its record says running until then.
  const isLeft = ({runId}: {runId: string}) =>
    !isJob && all.some(({run_id, state}) => run_id === runId && state === 'running');
  for (const [, activity] of world.activityOf)
    if (activity.isAlive && !isLeft(activity)) report('noOrphans', `agent ${activity.runId} is still alive`);
  // After a failed write the next command repairs the rest.
  if (!isJob || history.failures > 0) return;
  const known = Math.max(0, ...[...world.limits.limits.values()].map(({until}) => Date.parse(until)));
  if (history.limitedUntil > Math.max(known, world.clock.milliseconds))
    report('limit', 'the provider said until when it is limited, and no project is told');
  if (world.lock.isHeld) report('atRest', 'the lock is still held');
  const job = world.jobs.records().at(-1);
  if (job?.end === undefined) report('atRest', 'the job is still open');
  for (const {run_id, job_id} of all)
    if (job_id === job?.jobId && !job?.runs.some(({runId}) => runId === run_id))
      report('atRest', `the job does not know that it began ${run_id}`);
  for (const run of all) {
    if (run.state === 'running') report('atRest', `${run.run_id} still says running`);
    const by = all.find(({run_id}) => run_id === run.superseded_by_run_id);
    if (by?.state === 'canceled' && by.segments.length === 0)
      report('links', `${run.run_id} is superseded by ${by.run_id}, which never began`);
    if (by?.run_type === 'undo' && by.state === 'failed')
      report('links', `${run.run_id} is superseded by ${by.run_id}, which failed to undo it`);
    const old = all.find(({run_id}) => run_id === run.restart_of_run_id);
    const hasBegun = run.segments.length > 0 && run.run_type === 'execute';
    if (hasBegun && old && old.superseded_by_run_id === undefined)
      report('links', `${run.run_id} is a restart of ${old.run_id}, which does not know of it`);
  }
  for (const task of plans.plan.items.values()) {
    if (task.childIds.length > 0 || history.byHand[task.id] !== undefined) continue;
    const run = latestDeliveredRun(world.runs.records(task.id));
    if (run === null && (task.status === 'in_progress' || task.status === 'waiting_user'))
      report('planMatchesRun', `${task.id} is ${task.status}, and nothing of it ever ran`);
    if (run === null || run.superseded_by_run_id !== undefined) continue;
    const isTold = task.status === statusOf(run) || (task.status === 'todo' && ended.has(run.state));
    if (!isTold)
      report(
        'planMatchesRun',
        `the plan says that ${task.id} is ${task.status}, its run ${run.run_id} ${run.state}`,
      );
  }
}
