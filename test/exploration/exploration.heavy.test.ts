import path from 'node:path';
import {expect, test} from 'vitest';
import {bundleExplorer, exploreInWorker, findingText} from './pool.ts';
import {shortScenarios} from './scenarios.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
let code: Promise<string> | undefined;

/** Far more than any of them takes: a longer one hangs. */
const seconds = 240;

test.concurrent.for(shortScenarios)('no reachable state breaks an invariant: $name', async (scenario) => {
  code ??= bundleExplorer(root);
  const {figures, findings, isComplete} = await exploreInWorker(await code, {
    scenario,
    seconds,
    maxFindings: 1,
  });
  expect(findings.map(findingText)).toEqual([]);
  expect(isComplete, 'explored to the end of its bounds').toBe(true);
  console.log(JSON.stringify(figures));
});
