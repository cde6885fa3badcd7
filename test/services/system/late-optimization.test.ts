import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {lateOptimizationFlag} from '../../../src/services/system/late-optimization.ts';

test('is asked for only where V8 knows how', () => {
  const versions = ['20.0.0', '20.20.2', '21.7.3', '22.23.3', '24.21.0', '200.0.0'];
  expect(versions.map(lateOptimizationFlag)).toEqual([
    '--interrupt-budget=500000',
    '--interrupt-budget=500000',
    null,
    null,
    null,
    null,
  ]);
});

test('is taken by this Node without a word', () => {
  const flag = lateOptimizationFlag(process.versions.node) ?? '';
  const program = `const flag = ${JSON.stringify(flag)}; if (flag) require('node:v8').setFlagsFromString(flag)`;
  const {status, stdout, stderr} = spawnSync(process.execPath, ['-e', program], {encoding: 'utf8'});
  expect({status, stdout, stderr}).toEqual({status: 0, stdout: '', stderr: ''});
});
