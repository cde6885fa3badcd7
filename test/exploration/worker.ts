import {isMainThread, parentPort, workerData} from 'node:worker_threads';
import {explore, type Figures, type Finding} from './explorer.ts';
import {shareCharts} from './shared-charts.ts';
import type {Scenario} from './simulation.ts';

/** What a thread explores, and its time limit. */
export type WorkerInput = {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** Stops after this many findings. */
  readonly maxFindings: number;
};

export type WorkerResult = {
  readonly figures: Figures;
  readonly findings: readonly Finding[];
  readonly isComplete: boolean;
};

async function run({scenario, seconds, maxFindings}: WorkerInput): Promise<void> {
  shareCharts();
  const until = performance.now() + seconds * 1_000;
  let isComplete = true;
  const isOutOfTime = () => {
    if (performance.now() <= until) return false;
    isComplete = false;
    return true;
  };
  const {figures, findings} = await explore(scenario, {maxFindings, isOutOfTime});
  parentPort?.postMessage({figures, findings, isComplete} satisfies WorkerResult);
}

if (!isMainThread) void run(workerData);
