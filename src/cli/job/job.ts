import type {Command} from 'commander';
import type {Job, JobResult} from '../../machines/engine.machine.ts';
import {settingOf} from '../../machines/policies/config-resolution.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {Cli} from '../cli.ts';
import type {CliContext} from '../context.ts';
import type {InspectChoice} from '../inspect/inspect-option.ts';
import {livePage} from '../inspect/live-page.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {decisionDialog, isAttended} from './decision-dialog.ts';
import type {OpenEngineOptions, OpenedEngine} from './engine-composition.ts';
import type {JobReport} from './job-report.ts';
import {jsonProgress, textProgress} from './progress.ts';
import {readable} from './readable-lines.ts';

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
  const form = streamForm(options, context.env);
  // Before or after the name of the command.
  const {inspect} = command.optsWithGlobals<AgentOptions>();
  const page = inspect && (await livePage(cli, command, inspect));
  const opened = await openEngine({
    project: await cli.project(command),
    env: context.env,
    agent: options.agent,
    now: context.now,
    ...(form === null || cli.isJson(command) ? {} : streamTo(context, form)),
    ...(isOn(context.env.BLACKBIRD_AGENT_DEBUG)
      ? {onPrompt: (prompt) => context.err(`--- prompt\n${displayText(prompt)}\n---`)}
      : {}),
    ...(page ? {observe: page.observer()} : {}),
  });
  for (const warning of opened.config.warnings) context.err(`warning: ${displayLine(warning)}`);
  return {...opened, isStreaming: form !== null};
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

type StreamForm = 'readable' | 'raw';

function streamForm({stream}: AgentOptions, {BLACKBIRD_AGENT_STREAM: wish}: CliContext['env']) {
  if (wish?.toLowerCase() === 'raw') return 'raw';
  return stream === true || isOn(wish) ? 'readable' : null;
}

/** Shows an agent at work: its words and tools as `logs` tells them, or both streams byte by byte. */
function streamTo(context: CliContext, form: StreamForm): Pick<OpenEngineOptions, 'onLine' | 'onOutput'> {
  if (form === 'raw') {
    const safe = (text: string) => (context.stderr.isTerminal ? displayText(text) : text);
    return {onOutput: (_stream, text) => context.writeErr(safe(text))};
  }
  return {
    onLine: (line, events) => {
      // That it tries again is told by the progress of the job.
      const shown = events.filter(({type}) => type !== 'retrying');
      if (events.length > 0 && shown.length === 0) return;
      for (const text of readable(shown, line)) context.err(text);
    },
  };
}

const isOn = (value: string | undefined) => /^(1|true|yes|y)$/i.test(value ?? '');
