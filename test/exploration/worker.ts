import {isMainThread, parentPort, workerData} from 'node:worker_threads';
import {explore, type Figures, type Finding} from './explorer.ts';
import type {Scenario} from './scene.ts';
import {shareCharts} from './shared-charts.ts';

/** What a thread explores, and its time limit. */
export type Errand = {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** Stops after this many findings. */
  readonly most: number;
  /** With the charts as XState builds them, to show that sharing them changes nothing. */
  readonly isPlain?: boolean;
};

export type Explored = {
  readonly figures: Figures;
  readonly findings: readonly Finding[];
  readonly isWhole: boolean;
};

async function run({scenario, seconds, most, isPlain}: Errand): Promise<void> {
  if (!isPlain) shareCharts();
  const until = performance.now() + seconds * 1_000;
  let isWhole = true;
  const isOver = () => {
    if (performance.now() <= until) return false;
    isWhole = false;
    return true;
  };
  const {figures, findings} = await explore(scenario, {most, isOver});
  parentPort?.postMessage({figures, findings, isWhole} satisfies Explored);
}

if (!isMainThread) void run(workerData);
