import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {effectTexts, takenBackTexts} from '../../machines/policies/review/effect-words.ts';
import {programName} from '../../machines/policies/run/agent-program.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import {pausedWords} from '../../machines/policies/run/pause-words.ts';
import {type RunStanding, runObstacle, standingOf} from '../../machines/policies/run/run-options.ts';
import {latestDeliveredRun} from '../../machines/policies/run/task-runs.ts';
import {displayLine, displayText, visibleLine} from '../../machines/policies/text/display-text.ts';
import {dollars, duration, tokens, workTime} from '../../machines/policies/text/durations.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {cutMiddle} from '../../ui/text/fit.ts';
import {type Cli, taskArgument} from '../cli.ts';
import type {Project} from '../composition.ts';
import {checkRows, commitText, failedOutputs, reviewRows, runNotes} from '../job/run-notes.ts';
import {liveEngine} from '../job/running-task.ts';
import {type Cell, type Column, renderTable} from '../terminal/table.ts';

export function runsCommand(cli: Cli): Command {
  return new Command('runs')
    .summary('the history of a task: every run with its state, session and links')
    .addArgument(taskArgument())
    .argument('[runId]', 'show one run in full')
    .option('--verbose', 'include the end of its output')
    .action(
      async (taskId: string, runId: string | undefined, options: {verbose?: true}, command: Command) => {
        const project = await cli.project(command);
        const {plans, folder} = project;
        const {createRunStore} = await import('../../services/stores/run-store.ts');
        const store = createRunStore({folder: folder.runsFolder});
        const {runs, broken} = await store.list(taskId);
        const reading = await readingOf(project, runs);
        if (runs.length === 0 && broken.length === 0) requireTask(await plans.read(), taskId);
        const shown = runId === undefined ? runs : [namedRun(runs, taskId, runId)];
        const files = Object.fromEntries(shown.map(({run_id}) => [run_id, store.files(taskId, run_id)]));
        cli.print(command, {task_id: taskId, runs: shown, files, broken}, () => {
          if (shown.length === 0) return `no runs found for ${displayLine(taskId)}`;
          if (runId !== undefined) return shown.map((run) => runDetails(run, reading)).join('\n\n');
          const isNarrow = cli.context.stdout.columns < tableWidth;
          const kept = columns.filter(({isWide}) => !isNarrow || !isWide);
          const table = renderTable(
            kept,
            shown.map((run) => kept.map(({cell}) => cell(run, reading))),
            cli.context.stdout,
          );
          if (options.verbose) {
            return [table, ...shown.map((run) => runDetails(run, reading))].join('\n\n');
          }
          const more = isNarrow
            ? [`One in full: blackbird runs ${displayLine(shellWord(taskId))} <runId>`]
            : [];
          return [table, ...shown.flatMap(runNotes), ...more].join('\n');
        });
        for (const {file, reason} of broken)
          cli.context.err(`warning: ${displayLine(file)} cannot be used: ${displayLine(reason)}`);
      },
    );
}

const tableWidth = 120;

/** On a narrow terminal the `isWide` ones are left out: one run in full has them. */
const columns: readonly RunColumn[] = [
  {title: 'RUN', shrinks: 'last', cut: cutMiddle, cell: (run) => run.run_id},
  {
    title: 'STATE',
    shrinks: 'last',
    cell: (run, reading) => ({
      text: stateWord(run, reading),
      style: run.state === 'failed' ? 'red' : run.state === 'succeeded' ? 'green' : 'yellow',
    }),
  },
  {title: 'PROVIDER', isWide: true, cell: providerCell},
  {title: 'SESSION', isWide: true, shrinks: 'first', cell: (run) => run.provider_session_ref || '-'},
  {
    title: 'RESUMABLE',
    isWide: true,
    cell: (run, reading) => (goesOn(run, reading) ? (reading.isResumable(run) ? 'yes' : 'no') : '-'),
  },
  {title: 'STARTED', cell: (run) => run.created_at.slice(0, 16).replace('T', ' ')},
  {title: 'TIME', cell: (run, reading) => duration(reading.workTime(run))},
  {title: 'TOKENS', cell: ({usage}) => (usage ? tokens(usage) : '-')},
  {title: 'COST', cell: ({usage}) => (usage?.cost_usd === undefined ? '-' : dollars(usage.cost_usd))},
  {title: 'LINKS', isWide: true, shrinks: 'first', cell: linksOf},
];

type RunColumn = Column & {
  readonly isWide?: true;
  readonly cell: (run: RunRecord, reading: Reading) => Cell;
};

function providerCell(run: RunRecord): string {
  return run.run_type === 'undo' ? '-' : [programName(run), run.model, run.effort].filter(Boolean).join(' ');
}

/** What the records alone do not say. */
type Reading = {
  /** Whether the run chart lets it continue in its session: resumed, answered or with feedback. */
  readonly isResumable: (run: RunRecord) => boolean;
  readonly standing: (run: RunRecord) => RunStanding;
  /** What to call a run whose Blackbird is gone; null while it is alive. */
  readonly lostWord: (run: RunRecord) => string | null;
  readonly workTime: (run: RunRecord) => number;
};

/** Part of it is left to do, so the user may want to continue it. */
function goesOn(run: RunRecord, reading: Reading): boolean {
  const standing = reading.standing(run);
  const hasFailed = run.state === 'failed' && run.run_type === 'execute' && standing === 'ended';
  return hasFailed || standing === 'paused' || standing === 'waiting' || standing === 'lost';
}

async function readingOf(project: Project, runs: readonly RunRecord[]): Promise<Reading> {
  const {runCircumstances} = await import('../plan/read-task-facts.ts');
  const circumstancesOf = await runCircumstances(project);
  const telling = latestDeliveredRun(runs);
  const commands = ['resume', 'answer', 'sendBack'] as const;
  return {
    isResumable: (run) =>
      run === telling && commands.some((command) => runObstacle(run, circumstancesOf(run), command) === null),
    standing: (run) => standingOf(run, circumstancesOf(run)),
    lostWord: await lostWords(project.folder),
    workTime: await workTimes(project, runs),
  };
}

async function workTimes(project: Project, runs: readonly RunRecord[]): Promise<Reading['workTime']> {
  const [{withKnownEnds}, {openJobs}, {createRunStore}] = await Promise.all([
    import('../job/last-sign-of-life.ts'),
    import('../job/other-job.ts'),
    import('../../services/stores/run-store.ts'),
  ]);
  const store = createRunStore({folder: project.folder.runsFolder});
  const known = await withKnownEnds({runs: store, jobs: await openJobs(project)}, runs, false);
  const times = new Map(known.map((run) => [run.run_id, workTime(run)]));
  return (run) => times.get(run.run_id) ?? 0;
}

/** The record does not change until the next execute or resume; this is what it will become. */
async function lostWords(folder: Project['folder']): Promise<Reading['lostWord']> {
  if ((await liveEngine(folder)) !== null) return () => null;
  const {livingProcesses} = await import('../../services/agents/orphans.ts');
  return (run) => (livingProcesses(run).length > 0 ? 'orphaned (agent alive)' : pausedWords('process_lost'));
}

function stateWord(run: RunRecord, reading: Reading): string {
  const {state, pause_reason, failure, decision_state, parent_review_passed: passed} = run;
  const lost = state === 'running' ? reading.lostWord(run) : null;
  const isReplaced = run.superseded_by_run_id !== undefined;
  if (lost !== null) return lost;
  if (state === 'paused') return pausedWords(pause_reason ?? 'user_interrupt');
  const notes = [
    ...(run.check ? ['checking'] : []),
    ...(state === 'failed' && failure ? [failure.kind] : []),
    ...(passed === undefined ? [] : [passed ? 'review passed' : 'review sent back']),
    ...(decision_state === 'pending' ? [isReplaced ? 'superseded' : 'decision pending'] : []),
    ...(decision_state === 'changes_requested' ? ['changes requested'] : []),
  ];
  return notes.length === 0 ? state : `${state} (${notes.join(', ')})`;
}

function linksOf(run: RunRecord): string {
  const links = [
    ['resumed from', run.resumed_from_run_id],
    ['restart of', run.restart_of_run_id],
    ['superseded by', run.superseded_by_run_id],
    [run.undo?.is_redo ? 'redo of' : 'undo of', run.undo?.run_ids.join(' ')],
  ] as const;
  return links.flatMap(([name, id]) => (id === undefined ? [] : [`${name} ${id}`])).join(', ');
}

function runDetails(run: RunRecord, reading: Reading): string {
  const rows = [
    ['run', run.run_id],
    ['attempt', String(run.attempt)],
    ['state', stateWord(run, reading)],
    ['provider', programName(run)],
    ...(run.custom_command === undefined ? [] : [['command', run.custom_command]]),
    ...(run.model === undefined ? [] : [['model', run.model]]),
    ...(run.effort === undefined ? [] : [['effort', run.effort]]),
    ['session', run.provider_session_ref || '(none)'],
    ['resumable', reading.isResumable(run) ? 'yes' : 'no'],
    ['folder', run.repo_root],
    ['created', run.created_at],
    ['updated', run.updated_at],
    ...(run.failure ? [['failure', `${run.failure.kind}: ${run.failure.message}`]] : []),
    ...(run.refusals ?? []).map(({refused_at, message}) => ['refused', `${refused_at}: ${message}`]),
    ...(run.decision_state === undefined ? [] : [['decision', run.decision_state.replace('_', ' ')]]),
    ...(run.decision_history ?? []).map(({decision_state = '', withdrawn_at}) => [
      'withdrawn',
      `${decision_state.replace('_', ' ')}, withdrawn ${withdrawn_at}`,
    ]),
    ...(run.decision_feedback === undefined ? [] : [['feedback', run.decision_feedback]]),
    ...(run.run_type === 'execute' ? [] : [['type', run.run_type]]),
    ...(run.undo?.forced ? [['by force', run.undo.forced.join(', ')]] : []),
    ...(run.parent_review_resume_task_ids?.length
      ? [['sent back', run.parent_review_resume_task_ids.join(', ')]]
      : []),
    ...(run.parent_review_feedback && !run.parent_review_passed
      ? [['feedback', run.parent_review_feedback]]
      : []),
    ...reviewRows(run),
    ...(run.context?.parentReviewFeedback
      ? [['told', `what run ${run.context.parentReviewFeedback.reviewRunId} sent back`]]
      : []),
    ...(linksOf(run) === '' ? [] : [['links', linksOf(run)]]),
    ...(run.commit ? [['commit', commitText(run.commit)]] : []),
    ...checkRows(run),
    ...effectTexts(run.side_effects).map((text) => ['beware', visibleLine(text)]),
    ...takenBackTexts(run).map((text) => ['reverted', text]),
    ...run.segments.map((segment, index) => [
      `segment ${index + 1}`,
      `pid ${segment.pid}, ${segment.started_at} to ${segment.ended_at ?? '?'}, exit ${segment.exit_code ?? segment.signal ?? '?'}${segment.log_truncated ? ', log incomplete' : ''}`,
    ]),
  ];
  const width = Math.max(...rows.map(([label = '']) => label.length));
  const lines = rows.map(([label = '', value = '']) => `${label.padEnd(width)}  ${displayLine(value)}`);
  const block = (title: string, text: string) => [`${title}:`, displayText(text).trimEnd() || '(empty)'];
  return [
    ...lines,
    ...failedOutputs(run).flatMap(([title, text]) => block(title, text)),
    ...block('Stdout', run.stdout),
    ...block('Stderr', run.stderr),
  ].join('\n');
}
