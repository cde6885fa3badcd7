import {Command} from 'commander';
import type {Chains} from '../../machines/actors/task-change.ts';
import {effectTexts} from '../../machines/policies/review/effect-words.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import {displayLine, visibleLine} from '../../machines/policies/text/display-text.ts';
import type {ChangeTracker} from '../../services/contracts/changes.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {noRun} from '../job/no-run.ts';
import {type Paint, painter} from '../terminal/paint.ts';
import {paintPatch, safeLines} from '../terminal/patch-text.ts';

export function diffCommand(cli: Cli): Command {
  return new Command('diff')
    .summary('exactly what a task changed, without what others changed before, between or after its runs')
    .addArgument(taskArgument())
    .argument('[runId]', 'only what this run changed')
    .option('--since-review', 'only what changed since the last decision at a checkpoint')
    .option('--stat', 'only the files, with their line counts')
    .action(async (taskId: string, runId: string | undefined, options: DiffOptions, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const {createRunStore} = await import('../../services/stores/run-store.ts');
      const {reviewRules} = await import('../../machines/policies/review/review-summary.ts');
      const {effectsIn} = await import('../../machines/actors/task-change.ts');
      const {createChangeTracker} = await import('../../services/git/change-tracker.ts');
      const runs = createRunStore({folder: folder.runsFolder});
      const changes = createChangeTracker({project: folder, env: cli.context.env, rules: reviewRules});
      const subject = await subjectOf({plans, runs}, taskId, runId, options);
      const {from, to, isSoFar} = await changeOf(changes, subject);
      const besides = effectsIn(subject.chains);
      if (cli.isJson(command)) {
        const {side_effects: _, ...summary} = await changes.summarize(from, to);
        cli.print(
          command,
          {
            task_id: taskId,
            ...subject.told,
            runs: subject.chains.flat().map(({run_id}) => run_id),
            baseline_tree: from,
            result_tree: to,
            side_effects: besides,
            review_summary: summary,
          },
          '',
        );
        return;
      }
      // Not between the lines of the patch, which may be applied.
      for (const text of effectTexts(besides)) cli.context.err(`beware: ${visibleLine(text)}`);
      for (const {run_id, state} of isSoFar)
        cli.context.err(`note: run ${displayLine(run_id)} is ${state}; this is its change so far`);
      const text = await changes.diff(from, to, {stat: options.stat === true});
      const paint = painter(cli.context.stdout);
      const render = options.stat ? paintStat : paintPatch;
      cli.print(command, null, () =>
        text === '' ? 'no files were changed' : render(safeLines(text), paint).join('\n'),
      );
    });
}

type DiffOptions = {readonly stat?: true; readonly sinceReview?: true};

/** `whole` is what the shown runs are a part of. */
type Subject = {readonly chains: Chains; readonly whole: Chains; readonly told: object};

/** The runs whose change is shown: a chain of one task, or those of all tasks below a parent. */
async function subjectOf(
  stores: {plans: Pick<PlanStore, 'read'>; runs: Pick<RunStore, 'list'>},
  taskId: string,
  runId: string | undefined,
  {sinceReview: isSinceReview}: DiffOptions,
): Promise<Subject> {
  const {chainTo, sinceReview} = await import('../../machines/policies/run/task-runs.ts');
  const {chainsBelow, lastWork} = await import('../../machines/actors/task-change.ts');
  const shownPart = isSinceReview ? sinceReview : (chain: readonly RunRecord[]) => chain;
  const {runs: own} = await stores.runs.list(taskId);
  const told = ({run_id, state}: RunRecord) => ({run_id, state});
  if (runId !== undefined) {
    const run = namedRun(own, taskId, runId);
    return {chains: [[run]], whole: [[run]], told: told(run)};
  }
  const shown = (whole: Chains) => ({chains: whole.map(shownPart), whole});
  const latest = lastWork(own);
  if (latest) return {...shown([chainTo(latest, own)]), told: told(latest)};
  const below = await chainsBelow(stores, taskId);
  if (below.length === 0) throw noRun(taskId);
  return {...shown(below), told: {}};
}

async function changeOf(changes: ChangeTracker, {chains, whole}: Pick<Subject, 'chains' | 'whole'>) {
  const {combinedChange, notRecorded} = await import('../../machines/actors/task-change.ts');
  const isDecided = chains.flat().length === 0;
  const shown = isDecided ? whole : chains;
  const change = await combinedChange(changes, shown);
  if (change === null) throw notRecorded(shown.at(-1) ?? []);
  // If all of it was decided on, nothing came after it.
  return isDecided ? {from: change.to, to: change.to, isSoFar: []} : change;
}

/** Colours the signs after the line count. */
function paintStat(lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) => {
    const [, front = line, added = '', removed = ''] = /^(.* \| +\d+ )(\+*)(-*)$/.exec(line) ?? [];
    return `${front}${added && paint('green', added)}${removed && paint('red', removed)}`;
  });
}
