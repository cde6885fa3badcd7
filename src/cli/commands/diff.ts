import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {ChangeTracker} from '../../services/contracts/changes.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {type Paint, painter} from '../terminal/paint.ts';

export function diffCommand(cli: Cli): Command {
  return new Command('diff')
    .summary('exactly what a run changed, whatever was changed before or after it')
    .addArgument(taskArgument())
    .argument('[runId]', 'another run than the latest one')
    .option('--stat', 'only the files, with the number of lines')
    .action(async (taskId: string, runId: string | undefined, options: {stat?: true}, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const {createRunStore} = await import('../../services/stores/run-store.ts');
      const {tellingRun} = await import('../../machines/policies/run/run-status.ts');
      const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
      if (runs.length === 0) requireTask(await plans.read(), taskId);
      const run =
        runId === undefined
          ? (tellingRun(runs) ?? runs.findLast((each) => each.run_type === 'execute'))
          : runs.find((each) => each.run_id === runId);
      if (!run) throw noRun(taskId, runId);

      const {reviewRules} = await import('../../machines/policies/review/review-summary.ts');
      const {createChangeTracker} = await import('../../services/git/change-tracker.ts');
      const changes = createChangeTracker({project: folder, env: cli.context.env, rules: reviewRules});
      const {from, to} = await treesOf(run, changes);
      if (cli.isJson(command)) {
        const recorded = to === run.result_tree ? run.review_summary : undefined;
        cli.print(
          command,
          {
            task_id: taskId,
            run_id: run.run_id,
            state: run.state,
            baseline_tree: from,
            result_tree: to,
            review_summary: recorded ?? (await changes.summarize(from, to)),
          },
          '',
        );
        return;
      }
      if (to !== run.result_tree) {
        cli.context.err(`note: run ${displayLine(run.run_id)} is ${run.state}; this is its change so far`);
      }
      const text = await changes.diff(from, to, {stat: options.stat === true});
      const paint = painter(cli.context.stdout);
      const render = options.stat ? paintStat : paintPatch;
      cli.print(command, null, () =>
        text === '' ? 'no files were changed' : render(safeLines(text), paint).join('\n'),
      );
    });
}

/** Both ends of a run. One that is not over yet ends where the files are now. */
export async function treesOf(run: RunRecord, changes: ChangeTracker): Promise<{from: string; to: string}> {
  const {baseline_tree: from, state} = run;
  const isOver = state === 'succeeded' || state === 'failed' || state === 'canceled';
  // What a run recorded when it was paused says nothing of what it has done since.
  const recorded = state === 'running' ? undefined : run.result_tree;
  const to = recorded ?? (isOver || from === undefined ? undefined : await changes.snapshot(from));
  if (from && to) return {from, to};
  const reason = run.review_summary?.note;
  throw new AppError('E_DIFF_UNAVAILABLE', `the files of run ${run.run_id} were not recorded`, {
    details: reason === undefined ? [] : [['reason', reason]],
    next: [{command: `blackbird runs ${shellWord(run.task_id)}`, why: 'see its other runs'}],
  });
}

function noRun(taskId: string, runId: string | undefined): AppError {
  const message =
    runId === undefined
      ? `no runs found for ${taskId}`
      : `task ${taskId} has no run ${JSON.stringify(runId)}`;
  return new AppError('E_RUN_NOT_FOUND', message, {
    next: [{command: `blackbird runs ${shellWord(taskId)}`, why: 'see its runs'}],
  });
}

/** A carriage return inside a line must not make two of it: the second would pass for a line of the patch. */
function safeLines(text: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => displayText(/^[+-]/.test(line) ? line : line.replace(/\r$/, '')).replaceAll('\n', '^M'));
}

/** Within a hunk every line begins with a sign, so only a header can begin with a letter. */
function paintPatch(lines: readonly string[], paint: Paint): string[] {
  let isHeader = true;
  return lines.map((line) => {
    if (line.startsWith('diff ')) isHeader = true;
    if (line.startsWith('@@')) isHeader = false;
    if (line === '') return line;
    if (line.startsWith('@@')) return paint('cyan', line);
    if (isHeader) return paint('bold', line);
    if (line.startsWith('+')) return paint('green', line);
    return line.startsWith('-') ? paint('red', line) : line;
  });
}

/** The signs behind the number of lines. */
function paintStat(lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) => {
    const [, front = line, added = '', removed = ''] = /^(.* \| +\d+ )(\+*)(-*)$/.exec(line) ?? [];
    return `${front}${added && paint('green', added)}${removed && paint('red', removed)}`;
  });
}
