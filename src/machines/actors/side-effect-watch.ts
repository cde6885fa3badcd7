import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {KeptSurroundings, SideEffect, Surroundings} from '../../services/contracts/side-effects.ts';
import type {WatchedPlan} from '../../services/contracts/stores.ts';
import {
  foreignRecords,
  isReplaced,
  kept,
  recalled,
  recordEffects,
  sideEffectsOf,
} from '../policies/review/side-effects.ts';
import {plantedWords, wordEffects} from '../policies/review/word-effects.ts';

type Watched = {
  readonly before: Surroundings;
  readonly plan: WatchedPlan;
  readonly since: string;
  /** Runs of other tasks that wait for a decision, as they were. */
  readonly gates: readonly RunRecord[];
  /** Who wrote the settings since; nobody knows after a crash. */
  readonly settingsBy: ReturnType<Services['watchSettings']>;
};

/** Remembers the state around the files when an agent is released, out of the agent's reach. */
export type SideEffectWatch = {
  /** The result is recorded, so that a Blackbird that recovers the run can compare with it. */
  begin(run: RunRecord): Promise<KeptSurroundings>;
  isWatching(run: RunRecord): boolean;
  /** What has changed since; empty for an agent that was never released. */
  end(run: RunRecord): Promise<readonly SideEffect[]>;
};

export function createSideEffectWatch({
  plans,
  runs,
  inbox,
  surroundings,
  watchSettings,
  now,
}: Pick<Services, 'plans' | 'runs' | 'inbox' | 'surroundings' | 'watchSettings' | 'now'>): SideEffectWatch {
  const watched = new Map<string, Watched>();

  const recall = async ({segments}: RunRecord): Promise<Watched | null> => {
    const {surroundings: known, started_at: since = ''} = segments.at(-1) ?? {};
    if (known === undefined) return null;
    const plan = await plans.watch(known.plan);
    return {before: recalled(known), plan, since, gates: [], settingsBy: () => null};
  };

  return {
    begin: async (run) => {
      const settingsBy = watchSettings();
      const [before, plan, gates] = await Promise.all([
        surroundings.look({withIgnored: true}),
        plans.watch(),
        openGates({plans, runs}, run.task_id),
      ]);
      watched.set(run.run_id, {before, plan, since: now(), gates, settingsBy});
      return kept(before, plan.version);
    },
    isWatching: ({run_id}) => watched.has(run_id),
    end: async (run) => {
      const begun = watched.get(run.run_id) ?? (await recall(run));
      if (begun === null) return [];
      watched.delete(run.run_id);
      // Before any record is restored.
      const after = await surroundings.look();
      const [plan, ignored, opened] = await Promise.all([
        begun.plan.edit(),
        surroundings.ignoredSince(begun.since, begun.before.ignored),
        closedAgain(runs, begun.gates),
      ]);
      const records = {
        isOwnChanged: !runs.isAsWritten(run.task_id, run.run_id),
        opened,
        predecided: [run, ...begun.gates].filter((each) => inbox.discard(each)),
        ...foreignRecords(begun.before.records, after.records, [run, ...opened]),
      };
      const seen = {before: begun.before, after, plan, ignored, settingsBy: begun.settingsBy()};
      // The earlier state of the files was lost with the repository.
      const written = isReplaced(seen) ? await surroundings.writtenSince(begun.since) : null;
      const planted = plantedWords(begun.before, after, surroundings.writerOf);
      const aside = surroundings.putAside(planted);
      const words = wordEffects(begun.before, after, surroundings.writerOf, aside);
      return [...recordEffects(records), ...words, ...sideEffectsOf({...seen, ...(written && {written})})];
    },
  };
}

/** The other tasks at a checkpoint. Nobody can decide about them while an agent works: the project is locked. */
async function openGates(
  {plans, runs}: Pick<Services, 'plans' | 'runs'>,
  taskId: string,
): Promise<RunRecord[]> {
  const gates: RunRecord[] = [];
  for (const {id, status} of (await plans.read()).items.values()) {
    if (status !== 'in_progress' || id === taskId) continue;
    gates.push(...(await runs.list(id)).runs.filter(({decision_state}) => decision_state === 'pending'));
  }
  return gates;
}

/** Restores those that someone decided meanwhile. */
async function closedAgain(runs: Services['runs'], gates: readonly RunRecord[]): Promise<RunRecord[]> {
  const opened: RunRecord[] = [];
  for (const gate of gates) {
    const found = (await runs.list(gate.task_id)).runs.find(({run_id}) => run_id === gate.run_id);
    if (found?.state === gate.state && found.decision_state === gate.decision_state) continue;
    await runs.restore(gate);
    opened.push(gate);
  }
  return opened;
}
