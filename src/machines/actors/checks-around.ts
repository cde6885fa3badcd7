import type {ChangeTracker, TreeSpan} from '../../services/contracts/changes.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
import {checkEffects} from '../policies/review/check-effects.ts';
import type {CheckTrace} from '../policies/run/run-step.ts';
import type {SideEffectWatch} from './side-effect-watch.ts';

type Looks = {readonly changes: ChangeTracker; readonly watch: SideEffectWatch};

/** Ignored files may be written by a check; the plan and the settings must not be. */
export async function aroundChecks(run: RunRecord, watch: SideEffectWatch): Promise<readonly SideEffect[]> {
  return (await watch.end(run)).filter(({kind}) => kind !== 'ignored_files');
}

/** Adds the files that the last round wrote: they are not the agent's, so no diff has them. */
export async function checksAround({changes, watch}: Looks, run: RunRecord): Promise<CheckTrace> {
  const [around, written] = await Promise.all([aroundChecks(run, watch), writtenByChecks(changes, run)]);
  return {sideEffects: [...around, ...written]};
}

async function writtenByChecks(changes: ChangeTracker, run: RunRecord): Promise<readonly SideEffect[]> {
  const {verifications = [], check} = run;
  const round = check?.round ?? verifications.at(-1)?.round;
  const made = verifications.filter((each) => each.round === round);
  // An interrupted check has no recorded end.
  const cut = check?.tree && {tree: check.tree, result_tree: await changes.snapshot(check.tree)};
  const spans = [...made, ...(cut ? [cut] : [])].flatMap(({tree, result_tree}): TreeSpan[] =>
    tree && result_tree && tree !== result_tree ? [{from: tree, to: result_tree}] : [],
  );
  if (spans.length === 0) return [];
  try {
    const {from, to} = await changes.compose(spans);
    return checkEffects((await changes.files(from, to)).map((file) => file.path));
  } catch {
    return checkEffects(null);
  }
}
