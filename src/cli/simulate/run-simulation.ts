import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {drawer, type Odds, samplesAround} from '../../machines/policies/simulation/draws.ts';
import {
  type LimitWindow,
  type Night,
  type NightRules,
  nightBoard,
  playNight,
} from '../../machines/policies/simulation/night.ts';
import {type Simulation, summarize} from '../../machines/policies/simulation/summary.ts';
import {workTime} from '../../machines/policies/text/durations.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';
import {machineNight} from './machine-night.ts';

export type SimulationRequest = {
  readonly seed: number;
  readonly fail: number;
  readonly ask: number;
  readonly nights: number;
  readonly limit: LimitWindow | null;
  /** What is given counts instead of the history. */
  readonly minutes?: number;
  readonly cost?: number;
  readonly now: string;
};

export type SimulationResult = {
  readonly simulation: Simulation;
  readonly nights: readonly Night[];
  /** How many runs of the project the numbers come from; 0 where they were given or guessed. */
  readonly history: number;
};

/** So many nights the machines live through; the others follow the same rules without them. */
const machineNights = 2;

const guessedMinutes = 10;

export async function runSimulation(project: Project, request: SimulationRequest): Promise<SimulationResult> {
  const plan = await project.plans.read();
  const settings = await project.config.layers();
  const config = resolveConfig(settings);
  const {odds, history} = await oddsOf(project, plan, request);
  const rules: NightRules = {
    parentReview: settingOf(config, 'execution.parentReviewEnabled'),
    stopOnFailure: settingOf(config, 'execution.stopOnFailure'),
    stopAfterEachTask: settingOf(config, 'execution.stopAfterEachTask'),
    retries: settingOf(config, 'execution.retries'),
    limit: request.limit,
  };
  const start = Date.parse(request.now);
  const agent = {id: 'demo', source: 'default'} as const;
  const board = nightBoard(plan);
  const nights: Night[] = [];
  let differs = false;
  for (let number = 0; number < request.nights; number++) {
    const drawOf = drawer(odds, request.seed, number);
    const isLived: boolean = differs || number < machineNights;
    const played = isLived ? null : playNight(board, rules, drawOf, start);
    const lived: Night | null = isLived
      ? await machineNight({plan, settings, agent, limit: request.limit, drawOf, start})
      : null;
    // Where a rule of the project leads elsewhere, the machines are right, and live through every night.
    if (lived && !differs) differs = !isAlike(lived, playNight(board, rules, drawOf, start));
    nights.push((lived ?? played) as Night);
  }
  const checked = differs ? nights.length : Math.min(machineNights, nights.length);
  const meanMinutes = odds.samples.reduce((sum, {minutes}) => sum + minutes, 0) / odds.samples.length;
  return {simulation: summarize(plan, nights, {checked, meanMinutes}), nights, history};
}

const isAlike = (one: Night, other: Night) =>
  JSON.stringify([one.order, one.reason, one.needsPerson, one.failed]) ===
  JSON.stringify([other.order, other.reason, other.needsPerson, other.failed]);

async function oddsOf(
  {folder}: Project,
  plan: Plan,
  {fail, ask, minutes, cost}: SimulationRequest,
): Promise<{odds: Odds; history: number}> {
  const store = createRunStore({folder: folder.runsFolder});
  const found: Array<{minutes: number; costUsd: number}> = [];
  if (minutes === undefined || cost === undefined) {
    for (const {id, childIds} of plan.items.values()) {
      if (childIds.length > 0) continue;
      for (const run of (await store.list(id)).runs) {
        const worked = workTime(run);
        if (run.state !== 'succeeded' || worked <= 0) continue;
        found.push({minutes: minutes ?? worked / 60_000, costUsd: cost ?? run.usage?.cost_usd ?? 0});
      }
    }
  }
  const samples = found.length > 0 ? found : samplesAround(minutes ?? guessedMinutes, cost ?? 0);
  return {odds: {samples, fail, ask}, history: found.length};
}
