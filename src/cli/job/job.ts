import type {Command} from 'commander';
import type {Job, JobResult} from '../../machines/engine.machine.ts';
import {settingOf} from '../../machines/policies/config-resolution.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {Cli} from '../cli.ts';
import type {InspectChoice} from '../inspect/inspect-option.ts';
import {livePage} from '../inspect/live-page.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {decisionDialog, isAttended} from './decision-dialog.ts';
import type {OpenedEngine} from './engine-composition.ts';
import type {JobReport} from './job-report.ts';
import {jsonProgress, textProgress} from './progress.ts';

export type AgentOptions = {agent?: string; stream?: true; inspect?: InspectChoice};
/** `--review`, `--no-review`, or neither. */
export type ReviewOptions = {review?: boolean};

/** The engine as one call of a command uses it. */
export type CalledEngine = OpenedEngine & {readonly isStreaming: boolean};

/** Opens the engine with what the environment and the options ask for. */
export async function openEngineFor(
  cli: Cli,
  command: Command,
  options: AgentOptions,
): Promise<CalledEngine> {
  const {context} = cli;
  const {openEngine} = await import('./engine-composition.ts');
  const isStreaming = options.stream === true || isOn(context.env.BLACKBIRD_AGENT_STREAM);
  // Before or after the name of the command.
  const {inspect} = command.optsWithGlobals<AgentOptions>();
  const page = inspect && (await livePage(cli, command, inspect));
  const opened = await openEngine({
    project: await cli.project(command),
    env: context.env,
    agent: options.agent,
    now: context.now,
    ...(isStreaming && !cli.isJson(command)
      ? {onOutput: (_stream, text) => context.writeErr(context.stderr.isTerminal ? displayText(text) : text)}
      : {}),
    ...(isOn(context.env.BLACKBIRD_AGENT_DEBUG)
      ? {onPrompt: (prompt) => context.err(`--- prompt\n${displayText(prompt)}\n---`)}
      : {}),
    ...(page ? {observe: page.observer()} : {}),
  });
  for (const warning of opened.config.warnings) context.err(`warning: ${displayLine(warning)}`);
  return {...opened, isStreaming};
}

/** What every job needs to know of checkpoints. Where nobody asks for them, a run keeps to how it began. */
export function reviewInput(
  cli: Cli,
  command: Command,
  {config}: OpenedEngine,
  {review}: ReviewOptions,
): {isReviewed?: boolean; isAttended: boolean} {
  const isReviewed = review ?? (settingOf(config, 'execution.stopAfterEachTask') || undefined);
  return {...(isReviewed === undefined ? {} : {isReviewed}), isAttended: isAttended(cli, command)};
}

/** What every job needs to know of provider and settings. */
export function agentInput({provider, config}: OpenedEngine): {
  provider: ProviderId;
  explicitProvider: ProviderId | null;
  graceMilliseconds: number;
  reviewsParents: boolean;
} {
  return {
    provider: provider.id,
    explicitProvider: provider.source === 'saved' || provider.source === 'default' ? null : provider.id,
    graceMilliseconds: settingOf(config, 'execution.pauseGraceSeconds') * 1000,
    reviewsParents: settingOf(config, 'execution.parentReviewEnabled'),
  };
}

/** Runs a job to its end: progress is shown, signals pause it. */
export async function runJob(
  cli: Cli,
  command: Command,
  opened: CalledEngine,
  job: Job,
): Promise<{result: JobResult; isPauseAsked: boolean}> {
  const {context} = cli;
  const {engine, isStreaming} = opened;
  const dialog = decisionDialog(cli, command, opened);
  const progress = cli.isJson(command)
    ? jsonProgress(context)
    : textProgress(context, context.write, {isStreaming});
  let isPauseAsked = false;
  const unsubscribe = engine.subscribe((fact) => {
    if (fact.type === 'engine.pausing') isPauseAsked = true;
    progress.onFact(fact);
    if (fact.type === 'decision.required') {
      progress.close();
      dialog.answer(fact.request);
    }
  });
  const release = context.onSignals(engine);
  try {
    const result = await engine.start(job);
    await dialog.close();
    return {result, isPauseAsked};
  } finally {
    release();
    unsubscribe();
    progress.close();
  }
}

/** Says how it ended and lets the exit code say the same. */
export function finishJob(cli: Cli, command: Command, report: JobReport): void {
  const {reason, taskId, lines, exitCode} = report;
  const data = {event: 'job.stopped', reason, ...(taskId === undefined ? {} : {task_id: taskId})};
  if (cli.isJson(command)) cli.context.out(printableJson(data));
  else for (const line of lines) cli.context.out(line);
  cli.exitCode = exitCode;
}

const isOn = (value: string | undefined) => /^(1|true|yes|y)$/i.test(value ?? '');
