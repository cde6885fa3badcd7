import path from 'node:path';
import {expect, test} from 'vitest';
import {faults} from './faults.ts';
import {bundleExplorer, exploreInWorker} from './pool.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

test.concurrent.for(faults)('is found: $name', async ({scenario, ...patch}) => {
  const code = await bundleExplorer(root, patch);
  const {findings} = await exploreInWorker(code, {scenario, seconds: 240, maxFindings: 1});
  expect(findings.length).toBeGreaterThan(0);
});
