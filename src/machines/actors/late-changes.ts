import {messageOf} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
import {some} from '../policies/review/some-names.ts';
import {gapsAround, recordedSpans} from '../policies/run/change-spans.ts';
import {compareTimestamps} from '../policies/text/timestamps.ts';
import {runsSince} from './started-since.ts';

type Looking = Pick<Services, 'changes' | 'plans' | 'runs' | 'surroundings'>;

/**
 * Files that changed after the recording the reviewer is shown, except by other runs, which have a review of their own;
 * null if none did, or nothing was recorded.
 */
export async function lateChanges(services: Looking, run: RunRecord): Promise<SideEffect | null> {
  const shown = lastTree(run);
  if (shown === undefined) return null;
  const names = await lateNames(services, run, shown);
  if (names === '') return null;
  const text = `changed after the agent ended, and not part of what you approved: ${names}`;
  return {kind: 'late_changes', text};
}

/** If git cannot tell, what was written since by the clock. */
async function lateNames({changes, plans, runs, surroundings}: Looking, run: RunRecord, shown: string) {
  const endedAt = run.segments.at(-1)?.ended_at ?? run.updated_at;
  let why = 'git could not look at the files';
  try {
    const now = await changes.snapshot(shown);
    if (now === shown) return '';
    if (now !== null) {
      const late = (await changes.files(shown, now)).map((file) => file.path);
      if (late.length === 0) return '';
      const others = (await runsSince({runs}, await plans.read(), endedAt)).filter(
        ({run_id}) => run_id !== run.run_id,
      );
      const spans = others.flatMap(recordedSpans).filter(({at}) => compareTimestamps(at, endedAt) >= 0);
      const unrecorded = new Set<string>();
      for (const {from, to} of gapsAround(shown, spans, now))
        for (const file of await changes.files(from, to)) unrecorded.add(file.path);
      return some(late.filter((file) => unrecorded.has(file)));
    }
  } catch (error) {
    why = messageOf(error);
  }
  const {names} = await surroundings.writtenSince(endedAt);
  return `unknown files (${why}); written since: ${names.length === 0 ? 'nothing' : some(names)}`;
}

/** The tree after the last check, which may write files of its own, or after the agent. */
function lastTree({segments, verifications = [], result_tree}: RunRecord): string | undefined {
  const checked = verifications.findLast((each) => each.result_tree !== undefined)?.result_tree;
  return checked ?? segments.at(-1)?.result_tree ?? result_tree;
}
