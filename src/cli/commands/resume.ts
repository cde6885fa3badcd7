import {Command} from 'commander';
import {executeAll} from '../../machines/policies/job/job-steps.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Answer, RunRecord} from '../../services/contracts/run.ts';
import {type Cli, collect, taskArgument} from '../cli.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {withBudgetOptions} from '../job/budget-options.ts';
import type {OpenedEngine} from '../job/engine-composition.ts';
import {parseAnswers} from '../job/given-answers.ts';
import {type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';
import {
  agentOption,
  effortOption,
  modelOption,
  noReviewOption,
  noWaitOption,
  reviewOption,
  streamOption,
} from './execute.ts';

type Options = JobCommandOptions & {answer?: readonly string[]; feedback?: string; execute?: true};

export function resumeCommand(cli: Cli): Command {
  return withBudgetOptions(
    new Command('resume')
      .summary("continue a paused, waiting or failed task in its agent's own session")
      .addArgument(taskArgument())
      .option('--answer <id=text>', 'answer a question; may be given several times', collect)
      .option('--feedback <text>', 'tell the agent what to do differently')
      .option('--execute', 'go on with the plan afterwards')
      .addOption(agentOption())
      .addOption(modelOption())
      .addOption(effortOption())
      .addOption(reviewOption())
      .addOption(noReviewOption())
      .addOption(noWaitOption())
      .addOption(streamOption())
      .addOption(inspectOption())
      .action((taskId: string, options: Options, command: Command) =>
        resumeTask(cli, command, taskId, options),
      ),
  );
}

export async function resumeTask(
  cli: Cli,
  command: Command,
  taskId: string,
  options: Options,
): Promise<void> {
  const project = await cli.project(command);
  const {plans} = project;
  requireTask(await plans.read(), taskId);
  const opened = await openEngineFor(cli, command, options);
  const latest = await opened.runs.latest(taskId);
  const given = parseAnswers(options.answer ?? []);
  const feedback = options.feedback ?? null;
  const {hasFeedback} = await import('../job/feedback-operations.ts');
  const {asksFirst} = await import('../../machines/policies/review/parent-feedback.ts');
  const isSentBack = await hasFeedback(project, taskId);
  const asking = asksFirst(latest, {answers: given, feedback}, isSentBack) ? latest : null;
  await requireAsked(latest, asking, given);
  const answers = await completeAnswers(cli, command, asking, given, opened);
  if (answers === null) throw new AppError('E_CANCELED', `${taskId} still waits for your answer`);
  const mode = {type: 'resume', answers, feedback} as const;
  if (latest && feedback !== null && feedback.trim() !== '') {
    const {keepSentFeedback} = await import('../../machines/actors/sent-feedback.ts');
    await keepSentFeedback({drafts: opened.drafts, now: cli.context.now}, latest, feedback);
  }
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
  const {unaskedAnswer} = await import('../../machines/policies/run/resume-saying.ts');
  throw unaskedAnswer(unknown, latest);
}

/** Asks for what `--answer` did not give, where a person is there; null when they gave up. */
async function completeAnswers(
  cli: Cli,
  command: Command,
  run: RunRecord | null,
  given: readonly Answer[],
  {drafts, inspect}: OpenedEngine,
): Promise<readonly Answer[] | null> {
  const questions = run?.questions ?? [];
  const open = questions.filter(({id}) => !given.some((answer) => answer.id === id));
  if (run === null || open.length === 0 || !cli.context.isInteractive || cli.isJson(command)) return given;
  const {askQuestions} = await import('../job/ask-questions.ts');
  const {now} = cli.context;
  const asked = await askQuestions(cli.context, open, {drafts, run, given, now}, inspect);
  return asked === null ? null : [...given, ...asked];
}
