import type {Command} from 'commander';
import type {PlanFact} from '../../machines/planning.ts';
import type {JobSummary} from '../../machines/policies/job/job-end.ts';
import type {Job, JobResult, JobStep} from '../../machines/policies/job/job-steps.ts';
import type {Obstacle} from '../../machines/policies/job/obstacles.ts';
import {displayText} from '../../machines/policies/text/display-text.ts';
import type {Cli} from '../cli.ts';
import type {CliContext} from '../context.ts';
import {exitCodeAfter} from '../exit-codes.ts';
import type {InspectChoice} from '../inspect/inspect-option.ts';
import {livePage} from '../inspect/live-page.ts';
import {folded} from '../terminal/fold.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {type BudgetOptions, budgetOverrides} from './budget-options.ts';
import type {OpenEngineOptions, OpenedEngine} from './engine-composition.ts';
import {jsonProgress, textProgress} from './progress.ts';
import {readable} from './readable-lines.ts';
import {waitKeys} from './wait-keys.ts';

export type JobCommandOptions = {
  agent?: string;
  model?: string;
  effort?: string;
  stream?: true;
  inspect?: InspectChoice;
  /** `--review`, `--no-review`, or neither. */
  review?: boolean;
  stopOnFailure?: true;
  maxTasks?: number;
  /** False for `--no-wait`. */
  wait?: boolean;
  /** Set by a caller that asks the question next: it is not printed twice. */
  asksNext?: boolean;
} & BudgetOptions;

/** The engine as a single command uses it. */
export type CalledEngine = OpenedEngine & {readonly isStreaming: boolean};

/** Opens the engine as the environment and the options ask for. */
export async function openEngineFor(
  cli: Cli,
  command: Command,
  options: JobCommandOptions,
): Promise<CalledEngine> {
  const {context} = cli;
  const {openEngine} = await import('./engine-composition.ts');
  const form = streamForm(options, context.env);
  // Given before or after the command's name.
  const {inspect} = command.optsWithGlobals<JobCommandOptions>();
  const page = inspect && (await livePage(cli, command, inspect));
  const opened = await openEngine({
    project: await cli.project(command),
    env: context.env,
    now: context.now,
    ...(form === null || cli.isJson(command) ? {} : streamTo(context, form)),
    ...(isOn(context.env.BLACKBIRD_AGENT_DEBUG)
      ? {onPrompt: (prompt) => context.err(`--- prompt\n${displayText(prompt)}\n---`)}
      : {}),
    ...(page ? {observe: page.observer()} : {}),
  });
  return {...opened, isStreaming: form !== null};
}

/** Runs these steps as one job and reports how it ended: in words and by the exit code. */
export async function runSteps(
  cli: Cli,
  command: Command,
  opened: CalledEngine,
  steps: readonly JobStep[],
  options: JobCommandOptions,
): Promise<JobResult> {
  const {agent, model, effort, review, stopOnFailure, maxTasks, wait} = options;
  const result = await runJob(cli, command, opened, {
    steps,
    options: {
      ...(agent === undefined ? {} : {agent}),
      ...(model === undefined ? {} : {model}),
      ...(effort === undefined ? {} : {effort}),
      ...(review === undefined ? {} : {isReviewed: review}),
      ...(stopOnFailure === undefined ? {} : {stopOnFailure}),
      ...(maxTasks === undefined ? {} : {maxTasks}),
      ...(wait === false ? {isImpatient: true} : {}),
      ...budgetOverrides(options),
      isAttended: isAttended(cli, command, steps),
    },
  });
  const {plans} = await cli.project(command);
  const {jobSummary} = await import('../../machines/policies/job/job-summary.ts');
  printSummary(cli, command, jobSummary(result, await plans.read()), options);
  return result;
}

/** Shows progress and pauses on signals. */
async function runJob(cli: Cli, command: Command, opened: CalledEngine, job: Job): Promise<JobResult> {
  const {context} = cli;
  const {engine, isStreaming} = opened;
  const {decisionDialog} = await import('./decision-dialog.ts');
  const dialog = decisionDialog(cli, command, opened);
  const progress = cli.isJson(command)
    ? jsonProgress(context)
    : textProgress(context, context.write, {isStreaming, retries: await retriesIn(cli, command)});
  const planning = job.steps.some(isPlanStep) ? await planViews(cli, command, opened, job) : () => {};
  const keys = waitKeys(context, engine, cli.isJson(command));
  const unsubscribe = engine.subscribe((fact) => {
    keys.onFact(fact);
    if (fact.type === 'run.resting' && !passesBy(job, fact.run.task_id)) return;
    if (fact.type === 'decision.received') dialog.take();
    progress.onFact(fact);
    if (fact.type === 'plan.asked' || fact.type === 'plan.proposed') {
      progress.close();
      planning(fact);
    }
    if (fact.type === 'decision.required') {
      progress.close();
      dialog.answer(fact.request);
    }
  });
  const release = context.onSignals(engine);
  try {
    const result = await engine.start(job);
    await dialog.close();
    return result;
  } finally {
    release();
    unsubscribe();
    keys.close();
    progress.close();
  }
}

/** As the job itself reads it when it starts. */
async function retriesIn(cli: Cli, command: Command): Promise<number> {
  const {config} = await cli.project(command);
  const {resolveConfig, settingOf} = await import('../../machines/policies/config-resolution.ts');
  return settingOf(resolveConfig(await config.layers()), 'execution.retries');
}

const isPlanStep = ({type}: JobStep) => type === 'plan';

/** Shows what a planner proposes, and asks if a user is present. */
async function planViews(
  cli: Cli,
  command: Command,
  opened: CalledEngine,
  {options}: Job,
): Promise<(fact: Exclude<PlanFact, {type: 'plan.started' | 'plan.saved'}>) => void> {
  const {planDialog, showProposal} = await import('../plan/plan-dialog.ts');
  const {answer} = planDialog(cli, command, opened);
  return (fact) => {
    if (fact.type === 'plan.asked') answer(fact.question);
    else if (!options.isAttended && !cli.isJson(command)) showProposal(cli, fact.preview);
  };
}

/** Whether a user can be asked: about a plan line by line, at a checkpoint on a screen. */
const isAttended = (cli: Cli, command: Command, steps: readonly JobStep[]): boolean =>
  cli.context.isInteractive &&
  !cli.isJson(command) &&
  (steps.every(isPlanStep) || cli.context.askDecision !== undefined);

/** A resting task is reported when the plan is executed without it. */
const passesBy = ({steps}: Job, taskId: string) =>
  steps.some(({type}) => type === 'execute') &&
  !steps.some((step) => step.type === 'task' && step.taskId === taskId);

function printSummary(
  cli: Cli,
  command: Command,
  summary: JobSummary,
  {asksNext = false}: Pick<JobCommandOptions, 'asksNext'>,
): void {
  const {reason, taskId, headline, lines, standing, undo, plan, retryAt, overrun, obstacles} = summary;
  const data = {
    event: 'job.stopped',
    reason,
    ...(taskId === undefined ? {} : {task_id: taskId}),
    message: headline,
    ...(retryAt === undefined ? {} : {retry_at: retryAt}),
    ...(undo && {undo}),
    ...(overrun && {budget: overrun}),
    ...(plan && {plan}),
    ...(obstacles && {obstacles: obstacles.slice(0, mostObstacles).map(obstacleData)}),
  };
  if (cli.isJson(command)) cli.context.out(printableJson(data));
  else if (!asksNext || reason !== 'waiting_user')
    for (const line of lines) cli.context.out(folded(line, cli.context.stdout.columns));
  cli.exitCode = exitCodeAfter[standing];
}

/** More than a script handles one by one. */
const mostObstacles = 100;

const obstacleData = ({taskId, needs, why, command, retryAt}: Obstacle) => ({
  task_id: taskId,
  needs,
  why,
  command,
  ...(retryAt === undefined ? {} : {retry_at: retryAt}),
});

type StreamForm = 'readable' | 'raw';

function streamForm({stream}: JobCommandOptions, {BLACKBIRD_AGENT_STREAM: wish}: CliContext['env']) {
  if (wish?.toLowerCase() === 'raw') return 'raw';
  return stream === true || isOn(wish) ? 'readable' : null;
}

/** Shows an agent at work: its messages and tools as `logs` does, or both streams as raw bytes. */
function streamTo(context: CliContext, form: StreamForm): Pick<OpenEngineOptions, 'onLine' | 'onOutput'> {
  if (form === 'raw') {
    const safe = (text: string) => (context.stderr.isTerminal ? displayText(text) : text);
    return {onOutput: (_stream, text) => context.writeErr(safe(text))};
  }
  return {
    onLine: (line, events) => {
      // Retries are reported by the job's progress.
      const shown = events.filter(({type}) => type !== 'retrying');
      if (events.length > 0 && shown.length === 0) return;
      for (const text of readable(shown, line)) context.err(text);
    },
  };
}

const isOn = (value: string | undefined) => /^(1|true|yes|y)$/i.test(value ?? '');
