import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {effectKey, effectTexts} from '../../machines/policies/review/effect-words.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import {displayLine, visibleLine} from '../../machines/policies/text/display-text.ts';
import type {ChangeTracker, TreeSpan} from '../../services/contracts/changes.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
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
      const {createChangeTracker} = await import('../../services/git/change-tracker.ts');
      const runs = createRunStore({folder: folder.runsFolder});
      const changes = createChangeTracker({project: folder, env: cli.context.env, rules: reviewRules});
      const subject = await subjectOf({plans, runs}, taskId, runId, options);
      const {from, to, isSoFar} = await changeOf(changes, subject);
      const besides = sideEffectsIn(subject.chains);
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

/** The side effects of the shown runs, without duplicates. */
function sideEffectsIn(chains: Chains): SideEffect[] {
  const all = chains.flat().flatMap((run) => run.side_effects ?? []);
  return [...new Map(all.map((effect) => [effectKey(effect), effect])).values()];
}

type DiffOptions = {readonly stat?: true; readonly sinceReview?: true};

type Chains = ReadonlyArray<readonly RunRecord[]>;
/** `whole` is what the shown runs are a part of. */
type Subject = {readonly chains: Chains; readonly whole: Chains; readonly told: object};

/** The runs whose change is shown: a chain of one task, or those of all tasks below a parent. */
async function subjectOf(
  {plans, runs}: {plans: Pick<PlanStore, 'read'>; runs: Pick<RunStore, 'list'>},
  taskId: string,
  runId: string | undefined,
  {sinceReview: isSinceReview}: DiffOptions,
): Promise<Subject> {
  const {chainTo, sinceReview} = await import('../../machines/policies/run/task-runs.ts');
  const {latestDeliveredRun} = await import('../../machines/policies/run/task-runs.ts');
  const shownPart = isSinceReview ? sinceReview : (chain: readonly RunRecord[]) => chain;
  const {runs: own} = await runs.list(taskId);
  const told = ({run_id, state}: RunRecord) => ({run_id, state});
  if (runId !== undefined) {
    const run = namedRun(own, taskId, runId);
    return {chains: [[run]], whole: [[run]], told: told(run)};
  }
  const latestOf = (all: readonly RunRecord[]) =>
    latestDeliveredRun(all) ?? all.findLast((each) => each.run_type === 'execute');
  const latest = latestOf(own);
  const shown = (whole: Chains) => ({chains: whole.map(shownPart), whole});
  if (latest) return {...shown([chainTo(latest, own)]), told: told(latest)};

  const {reviewedTasks} = await import('../../machines/policies/review/parent-review.ts');
  const plan = await plans.read();
  const chains: Array<readonly RunRecord[]> = [];
  for (const {id} of reviewedTasks(plan, requireTask(plan, taskId))) {
    const {runs: below} = await runs.list(id);
    const last = latestOf(below);
    if (last) chains.push(chainTo(last, below));
  }
  if (chains.length === 0) throw noRun(taskId);
  return {...shown(chains), told: {}};
}

/** Both ends of the combined change, and the runs that are still unfinished. */
async function changeOf(
  changes: ChangeTracker,
  {chains, whole}: Pick<Subject, 'chains' | 'whole'>,
): Promise<TreeSpan & {readonly isSoFar: readonly RunRecord[]}> {
  if (chains.flat().length === 0) {
    // All of it was decided on, so nothing came after it.
    const {to} = await changeOf(changes, {chains: whole, whole});
    return {from: to, to, isSoFar: []};
  }
  const {notRecorded, spansNow} = await import('../../machines/actors/task-change.ts');
  const {inOrder} = await import('../../machines/policies/run/change-spans.ts');
  const found = [];
  for (const chain of chains) found.push({chain, ...(await spansNow(changes, chain))});
  const spans = inOrder(found.flatMap((each) => each.spans));
  if (spans.length === 0) throw notRecorded(chains.at(-1) ?? []);
  return {
    ...(await changes.compose(spans)),
    isSoFar: found.flatMap(({chain, isSoFar}) => (isSoFar ? chain.slice(-1) : [])),
  };
}

/** Colours the signs after the line count. */
function paintStat(lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) => {
    const [, front = line, added = '', removed = ''] = /^(.* \| +\d+ )(\+*)(-*)$/.exec(line) ?? [];
    return `${front}${added && paint('green', added)}${removed && paint('red', removed)}`;
  });
}
