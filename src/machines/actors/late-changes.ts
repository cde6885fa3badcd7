import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
import {some} from '../policies/review/some-names.ts';

/** Files that changed after the recording the reviewer is shown; null if none did, or nothing was recorded. */
export async function lateChanges(
  {changes}: Pick<Services, 'changes'>,
  run: RunRecord,
): Promise<SideEffect | null> {
  const shown = lastTree(run);
  const now = shown === undefined ? null : await changes.snapshot(shown);
  if (shown === undefined || now === null || now === shown) return null;
  const files = await changes.files(shown, now).catch(() => null);
  const names = files === null ? 'nobody can tell what' : some(files.map((file) => file.path));
  return {
    kind: 'late_changes',
    text: `changed after the agent ended, and not part of what you approved: ${names}`,
  };
}

/** The tree after the last check, which may write files of its own, or after the agent. */
function lastTree({segments, verifications = [], result_tree}: RunRecord): string | undefined {
  const checked = verifications.findLast((each) => each.result_tree !== undefined)?.result_tree;
  return checked ?? segments.at(-1)?.result_tree ?? result_tree;
}
