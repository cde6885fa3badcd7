import {isDeepStrictEqual} from 'node:util';
import {resolveConfig} from '../../machines/policies/config-resolution.ts';
import {drawer, type Odds, samplesAround} from '../../machines/policies/simulation/draws.ts';
import {
  knowsAll,
  type Night,
  nightRules,
  nightsToLive,
  playNight,
} from '../../machines/policies/simulation/night.ts';
import {nightBoard} from '../../machines/policies/simulation/night-board.ts';
import type {LimitWindow} from '../../machines/policies/simulation/quota.ts';
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
  /** Given values replace the history. */
  readonly minutes?: number;
  readonly cost?: number;
  readonly now: string;
  /** How many agents the machines have started so far, and how many it will be. */
  readonly onProgress?: (started: number, total: number) => void;
};

export type SimulationResult = {
  readonly isPlanEmpty: boolean;
  readonly simulation: Simulation;
  readonly nights: readonly Night[];
  /** How many runs of the project the numbers are based on; 0 if they were given or guessed. */
  readonly history: number;
};

const guessedMinutes = 10;

export async function runSimulation(project: Project, request: SimulationRequest): Promise<SimulationResult> {
  const plan = await project.plans.read();
  const settings = await project.config.layers();
  const config = resolveConfig(settings);
  const {odds, history} = await oddsOf(project, plan, request);
  const start = Date.parse(request.now);
  const rules = nightRules(config, request.limit);
  const agent = {id: 'demo', source: 'default'} as const;
  const board = nightBoard(plan);
  const drawOf = (number: number) => drawer(odds, request.seed, number);
  let started = 0;
  let total = 0;
  const onAgent = () => {
    started += 1;
    request.onProgress?.(started, Math.max(started, total));
  };
  const live = (number: number) =>
    machineNight({plan, settings, agent, start, limit: request.limit, drawOf: drawOf(number), onAgent});
  const nights = Array.from({length: request.nights}, (_, number) =>
    playNight(board, rules, drawOf(number), start),
  );
  const chosen = nightsToLive(nights);
  const agentsIn = (numbers: Iterable<number>) =>
    [...numbers].reduce((sum, number) => sum + (nights[number]?.order.length ?? 0), 0);
  total = agentsIn(chosen);
  let differs = !knowsAll(plan, request.limit);
  for (const number of chosen) {
    const lived = await live(number);
    differs ||= !isAlike(lived, nights[number]);
    nights[number] = lived;
  }
  // If the simplified rules differ, the machines are right and simulate every night.
  const others = differs ? [...nights.keys()].filter((number) => !chosen.has(number)) : [];
  total += agentsIn(others);
  for (const number of others) nights[number] = await live(number);
  const checked = differs ? nights.length : chosen.size;
  const meanMinutes = odds.samples.reduce((sum, {minutes}) => sum + minutes, 0) / odds.samples.length;
  const simulation = summarize(plan, nights, {checked, meanMinutes});
  return {isPlanEmpty: plan.items.size === 0, simulation, nights, history};
}

/** To the millisecond and the cent. */
const isAlike = (one: Night, other: Night | undefined) =>
  other !== undefined && isDeepStrictEqual(one, other);

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
