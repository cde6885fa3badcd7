import path from 'node:path';
import {expect, test} from 'vitest';
import {faults} from './faults.ts';
import {bundleExplorer, runErrand} from './pool.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

test.concurrent.for(faults)('is found: $name', async ({scenario, ...mistake}) => {
  const code = await bundleExplorer(root, mistake);
  const {findings} = await runErrand(code, {scenario, seconds: 240, most: 1});
  expect(findings.length).toBeGreaterThan(0);
});
