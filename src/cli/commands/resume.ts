import {setImmediate} from 'node:timers/promises';
import {Command} from 'commander';
import {executeAll} from '../../machines/policies/job/job-steps.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Answer, RunRecord} from '../../services/contracts/run.ts';
import {type Cli, collect, taskArgument} from '../cli.ts';
import type {Project} from '../composition.ts';
import {exitCodes} from '../exit-codes.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {withBudgetOptions} from '../job/budget-options.ts';
import type {OpenedEngine} from '../job/engine-composition.ts';
import {parseAnswers} from '../job/given-answers.ts';
import {type CalledEngine, type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';
import {
  agentOption,
  effortOption,
  modelOption,
  noReviewOption,
  reviewOption,
  streamOption,
  tryNowOption,
} from './execute.ts';

type Options = JobCommandOptions & {answer?: readonly string[]; feedback?: string; execute?: true};

export function resumeCommand(cli: Cli): Command {
  return withBudgetOptions(
    new Command('resume')
      .summary("continue a paused, waiting or failed task in its agent's own session")
      .addArgument(taskArgument())
      .option('--answer <id=text>', 'answer a question; may be repeated', collect)
      .option('--feedback <text>', 'tell the agent what to do differently')
      .option('--execute', 'continue with the plan afterwards')
      .addOption(agentOption())
      .addOption(modelOption())
      .addOption(effortOption())
      .addOption(reviewOption())
      .addOption(noReviewOption())
      .addOption(tryNowOption())
      .addOption(streamOption())
      .addOption(inspectOption())
      .action((taskId: string, options: Options, command: Command) =>
        resumeTask(cli, command, taskId, options),
      ),
  );
}

/** `goOn`: the command that continues if the question is left for later. */
export async function resumeTask(
  cli: Cli,
  command: Command,
  taskId: string,
  options: Options,
  goOn = `blackbird resume ${displayLine(shellWord(taskId))}`,
): Promise<void> {
  const project = await cli.project(command);
  const {plans} = project;
  requireTask(await plans.read(), taskId);
  const feedback = options.feedback ?? null;
  const {isInterrupted, opened} = await withSignalsHeld(cli, async () => {
    if (feedback?.trim()) await keepFeedback(cli, project, taskId, feedback);
    return openEngineFor(cli, command, options);
  });
  if (isInterrupted) return interruptedBefore(cli, taskId, feedback);
  const latest = await opened.runs.latest(taskId);
  const given = parseAnswers(options.answer ?? []);
  const {hasFeedback} = await import('../job/feedback-operations.ts');
  const {asksFirst} = await import('../../machines/policies/review/parent-feedback.ts');
  const isSentBack = await hasFeedback(project, taskId);
  const asking = asksFirst(latest, {answers: given, feedback}, isSentBack) ? latest : null;
  await requireAsked(latest, asking, given);
  const requirePossible = () => requireAnswerable(project, taskId, options.agent);
  const answers = await completeAnswers(cli, command, asking, given, opened, requirePossible, goOn);
  if (answers === null) {
    const next = [{command: goOn, why: 'answer it'}];
    throw new AppError('E_CANCELED', `${taskId} still waits for your answer`, {next});
  }
  const mode = {type: 'resume', answers, feedback} as const;
  const steps = [{type: 'task', taskId, mode} as const, ...(options.execute ? [executeAll] : [])];
  await runSteps(cli, command, opened, steps, options);
}

async function requireAsked(
  latest: RunRecord | null,
  asking: RunRecord | null,
  given: readonly Answer[],
): Promise<void> {
  const unknown = given.find(({id}) => !asking?.questions?.some((question) => question.id === id));
  if (unknown === undefined) return;
  const {unaskedAnswer} = await import('../../machines/policies/run/resume-prompt.ts');
  throw unaskedAnswer(unknown, latest);
}

/** Before anything slow is loaded, so that a job that never starts does not lose it. */
async function keepFeedback(
  {context}: Cli,
  {folder, trail}: Project,
  taskId: string,
  feedback: string,
): Promise<void> {
  const [{createRunStore}, {createDraftStore}, {keepSentFeedback}] = await Promise.all([
    import('../../services/stores/run-store.ts'),
    import('../../services/stores/draft-store.ts'),
    import('../../machines/actors/sent-feedback.ts'),
  ]);
  const latest = await createRunStore({folder: folder.runsFolder}).latest(taskId);
  const drafts = createDraftStore({folder: folder.draftsFolder, trail});
  if (latest) await keepSentFeedback({drafts, now: context.now}, latest, feedback);
}

/** Opens the engine; signals are held until it is known how to handle them. */
async function withSignalsHeld(
  {context}: Cli,
  open: () => Promise<CalledEngine>,
): Promise<{opened: CalledEngine; isInterrupted: boolean}> {
  let isInterrupted = false;
  const pause = () => {
    isInterrupted = true;
  };
  const release = context.onSignals({pause, suspend: () => {}, wake: () => {}});
  try {
    const opened = await open();
    // A signal that arrived during loading is delivered in the next turn, and lost without a listener.
    await setImmediate();
    return {opened, isInterrupted};
  } finally {
    release();
  }
}

function interruptedBefore(cli: Cli, taskId: string, feedback: string | null): void {
  const word = displayLine(shellWord(taskId));
  const kept = feedback?.trim() ? ' Your feedback is kept.' : '';
  cli.context.out(`Interrupted before ${word} continued.${kept} Continue with: blackbird resume ${word}`);
  cli.exitCode = exitCodes.paused;
}

/** No question is asked if the answer could not be delivered. */
async function requireAnswerable(project: Project, taskId: string, agent: string | undefined): Promise<void> {
  const {requirePossible} = await import('../../machines/policies/run/run-refusals.ts');
  const {taskFacts} = await import('../plan/read-task-facts.ts');
  requirePossible(await taskFacts(project, await project.plans.read(), taskId, agent), 'answer');
}

/** Asks for what `--answer` did not provide, if a user is present; null if they gave up. */
async function completeAnswers(
  cli: Cli,
  command: Command,
  run: RunRecord | null,
  given: readonly Answer[],
  {drafts, inspect}: OpenedEngine,
  requirePossible: () => Promise<void>,
  goOn: string,
): Promise<readonly Answer[] | null> {
  const questions = run?.questions ?? [];
  const open = questions.filter(({id}) => !given.some((answer) => answer.id === id));
  if (run === null || open.length === 0 || !cli.context.isInteractive || cli.isJson(command)) return given;
  await requirePossible();
  const {askQuestions} = await import('../job/ask-questions.ts');
  const {now} = cli.context;
  const asked = await askQuestions(cli.context, open, {drafts, run, given, now}, inspect, goOn);
  return asked === null ? null : [...given, ...asked];
}
