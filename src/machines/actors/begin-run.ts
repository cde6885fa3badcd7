import type {AgentRequest} from '../../services/contracts/agent.ts';
import type {ModelChoice} from '../../services/contracts/model-choice.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {requireTask} from '../policies/plan/plan-graph.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {isReady} from '../policies/plan/readiness.ts';
import {checkCommands} from '../policies/plan/task-checks.ts';
import {isDecisionAsked} from '../policies/review/decisions.ts';
import {feedbackMark, parentFeedbackText} from '../policies/review/parent-feedback.ts';
import {agentFor, beginnerMissing, modelChoiceOf} from '../policies/run/agent-choice.ts';
import {newProgram, type Program, programOf} from '../policies/run/agent-program.ts';
import {
  type Delivered,
  finishedDeps,
  retryPrompt,
  taskPrompt,
  undeliveredPrompt,
} from '../policies/run/agent-prompt.ts';
import {applyRunStep, newRunRecord} from '../policies/run/run-record.ts';
import {notReady} from '../policies/run/run-refusals.ts';
import {taskSpent} from '../policies/run/spent.ts';
import {taskDigest, undeliveredDigest} from '../policies/run/task-digest.ts';
import {chainTo, changedFiles, latestDeliveredRun, rejectionsIn} from '../policies/run/task-runs.ts';
import {undeliveredWords} from '../policies/run/undelivered-words.ts';
import type {PreparedTask, RunMode, Situation} from './run-situation.ts';

/** A new run that is linked to the old one and continues its session. */
export async function takeOver(
  services: Services,
  situation: Situation,
  latest: RunRecord,
  request: AgentRequest,
  {answers, feedback}: Extract<RunMode, {type: 'resume'}>,
): Promise<PreparedTask> {
  const told = taskDigest(situation.task, services.digest);
  const record = await recordFor(
    services,
    // Changes requested at a checkpoint lead to another checkpoint.
    {
      ...situation,
      isReviewed: situation.open !== null || (situation.isReviewed ?? latest.decision_required === true),
    },
    {
      prompt: request.prompt,
      told:
        request.kind === 'resume' ? {...deliveredDigest(latest), ...undeliveredDigest(latest, told)} : {told},
      sessionRef: latest.provider_session_ref,
      links: {resumed_from_run_id: latest.run_id},
      before: latest,
      program: programOf(latest),
      modelChoice: {
        ...modelChoiceOf({model: latest.model, effort: latest.effort}),
        ...situation.modelChoices?.asked,
      },
    },
  );
  const comments = situation.open?.undelivered === feedback && situation.open.run.decision_comment_ids;
  const run = {
    ...record,
    resumable: request.kind === 'resume',
    ...(answers.length === 0 ? {} : {answers: [...answers]}),
    ...(feedback === null ? {} : {feedback}),
    ...(comments && {comment_ids: comments}),
    ...forcedLike(situation.open?.run, situation),
  };
  return begin(services, situation, run, request);
}

export async function startFresh(
  services: Services,
  situation: Situation,
  restartOf: RunRecord | null,
): Promise<PreparedTask> {
  const {plan, task, mode, pending, runs, sent} = situation;
  const {provider, ...modelChoice} = agentFor(plan, task, situation);
  const retry = mode.type === 'restart' ? mode.retry : undefined;
  const plain = await promptFor(services, situation);
  const taskPrompt = retry ? retryPrompt(plain, retry) : plain;
  // The old session is left behind, so its undelivered messages go to the new one.
  const words = restartOf ? undeliveredWords(runs, sent) : {feedback: '', questions: [], answers: []};
  const said = [pending ? parentFeedbackText(pending) : '', words.feedback].filter((text) => text !== '');
  const prompt =
    said.length + words.answers.length > 0
      ? undeliveredPrompt(taskPrompt, said.join('\n\n'), words.questions, words.answers)
      : taskPrompt;
  const {choosesSession} = await services.agents.check(provider, 'edit').catch((error: unknown) => {
    throw beginnerMissing(provider, error);
  });
  const sessionRef = choosesSession ? services.newUuid() : null;
  const links = {
    ...(restartOf && {restart_of_run_id: restartOf.run_id}),
    ...(retry && {retry_number: retry.number}),
  };
  const program = newProgram(provider, services.agents.customCommand);
  const told = {told: taskDigest(task, services.digest)};
  const isReviewed =
    situation.isReviewed ??
    (mode.type === 'restart' && (mode.isReviewed === true || isDecisionAsked(restartOf)));
  const run = await recordFor(
    services,
    {...situation, isReviewed},
    {
      prompt,
      told,
      sessionRef: sessionRef ?? '',
      links,
      program,
      modelChoice,
      before: retry ? restartOf : null,
    },
  );
  const request = await requestFor(services, {kind: 'start', prompt, sessionRef});
  // A pause may keep it from the agent once more.
  const record = words.feedback === '' ? run : {...run, feedback: words.feedback};
  const forced = run.decision_required ? forcedLike(restartOf, situation) : {};
  return begin(services, situation, {...record, ...forced}, request, restartOf);
}

/** A checkpoint that follows a forced one is forced too, unless someone asks for checkpoints now. */
const forcedLike = (before: RunRecord | null | undefined, {isReviewed}: Situation) =>
  before?.decision_forced && !isReviewed ? {decision_forced: true} : {};

/** The record first, then the plan. A run that the plan cannot be updated for never starts. */
async function begin(
  services: Services,
  {task, mode}: Situation,
  run: RunRecord,
  request: AgentRequest,
  replaces: RunRecord | null = null,
): Promise<PreparedTask> {
  await services.runs.insert(run);
  try {
    await services.plans.update((current) => {
      // Checked again under the lock: the plan may have changed since.
      if (mode.type === 'execute' && !isReady(current, requireTask(current, task.id)))
        throw notReady(task.id);
      return setStatus(current, task.id, 'in_progress', services.now());
    });
  } catch (error) {
    await services.runs
      .update(task.id, run.run_id, (current) => applyRunStep(current, {type: 'neverStarted'}, services.now()))
      // The original error counts; a record that still says running is repaired by the next start.
      .catch(() => {});
    throw error;
  }
  return {
    task,
    run,
    order: {type: 'run.launch', request},
    status: task.status,
    replaces,
  };
}

async function recordFor(
  services: Services,
  {plan, task, latest, attempt, pending, isReviewed = false, checks = []}: Situation,
  {
    prompt,
    told,
    sessionRef,
    links,
    program,
    modelChoice,
    before,
  }: {
    prompt: string;
    /** What the agent knows about the task, and what it is told now. */
    told: Pick<NonNullable<RunRecord['context']>, 'told' | 'telling'>;
    sessionRef: string;
    links: Partial<RunRecord>;
    program: Program;
    /** Kept on resume, unless another one is named. */
    modelChoice: ModelChoice;
    /** The run it continues, whose usage counts for its budget. */
    before: RunRecord | null;
  },
): Promise<RunRecord> {
  // Files that earlier runs tracked stay tracked, even if they are ignored now.
  const isLinked = Object.keys(links).length > 0;
  const baselineTree = await services.changes.snapshot(isLinked ? latest?.baseline_tree : null);
  return newRunRecord(
    {
      runId: services.newRunId(task.id, attempt),
      taskId: task.id,
      attempt,
      program,
      sessionRef,
      repoRoot: services.project.root,
      context: {
        digest: services.digest(prompt),
        bytes: new TextEncoder().encode(prompt).length,
        ...told,
        ...(pending ? feedbackMark(pending) : {}),
      },
      links,
      // Nothing was done yet, so it is still held up by whatever held up the previous run.
      ...(links.restart_of_run_id !== undefined && latest?.held_up ? {heldUp: latest.held_up} : {}),
      ...(before && {spentBefore: taskSpent(before)}),
      ...(links.resumed_from_run_id !== undefined && before?.session_usage
        ? {sessionUsage: before.session_usage}
        : {}),
      ...(services.self === null ? {} : {owner: services.self}),
      ...(baselineTree === null ? {} : {baselineTree}),
      isReviewed,
      modelChoice,
      // Fixed now, so that an agent that edits the plan or the settings cannot change its own checks.
      verify: checkCommands(plan, task, checks),
    },
    services.now(),
  );
}

const deliveredDigest = ({context}: RunRecord) => (context?.told ? {told: context.told} : {});

export async function requestFor(
  services: Services,
  request: Pick<AgentRequest, 'kind' | 'prompt' | 'sessionRef'>,
): Promise<AgentRequest> {
  return {...request, access: 'edit', isGitRepository: await services.project.isGitRepository()};
}

/** The whole prompt for a task that starts, with the results of its dependencies. */
export async function promptFor(
  {runs, project}: Pick<Services, 'runs' | 'project'>,
  {plan, task, runs: history}: Pick<Situation, 'plan' | 'task' | 'runs'>,
): Promise<string> {
  const delivered: Delivered[] = [];
  for (const {id, title} of finishedDeps(plan, task)) {
    const all = (await runs.list(id)).runs;
    const run = latestDeliveredRun(all);
    const files = run === null ? [] : changedFiles(chainTo(run, all));
    delivered.push({id, title, result: run?.result ?? '', files});
  }
  const rejections = rejectionsIn(history);
  return taskPrompt({task, delivered, snapshot: await project.snapshot(), rejections});
}
