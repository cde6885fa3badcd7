import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createJobMeter, createUsageMeter} from '../../src/cli/job/usage-meter.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {jobRecord} from '../fakes/jobs.ts';
import {endedSegment, openSegment, restingRun, runRecord} from '../fakes/runs.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

const usageLine = (tokens: number) =>
  `${JSON.stringify({demo: 'usage', input_tokens: tokens, output_tokens: 0})}\n`;
const demo = {provider: 'demo'} as const;

test('the usage of a running agent is its own, not that of the previous one in the same log', () => {
  const folder = temporaryFolder();
  const files = {stdout: path.join(folder, 'log'), times: path.join(folder, 'times')} as const;
  const look = createUsageMeter({files: () => ({...files, record: '', stderr: '', journal: ''})});
  const first = openSegment(1, {started_at: '2026-01-02T10:00:00.000Z'});
  expect(look(runRecord({...demo, segments: [first]}))).toBe(null);
  writeFileSync(files.stdout, usageLine(700));
  writeFileSync(files.times, `${Date.parse('2026-01-02T10:00:01.000Z')} 0\n`);
  expect(look(runRecord({...demo, segments: [first]}))).toEqual({input_tokens: 700, output_tokens: 0});

  const ended = {...first, ended_at: '2026-01-02T10:00:05.000Z'};
  expect(look(runRecord({...demo, phase: 'verifying', segments: [ended]}))).toBe(null);
  const second = openSegment(2, {started_at: '2026-01-02T10:00:09.000Z'});
  const resumed = runRecord({...demo, segments: [ended, second]});
  expect(look(resumed)).toBe(null);
  writeFileSync(files.stdout, usageLine(30), {flag: 'a'});
  writeFileSync(files.times, `${Date.parse('2026-01-02T10:00:10.000Z')} ${usageLine(700).length}\n`, {
    flag: 'a',
  });
  expect(look(resumed)).toEqual({input_tokens: 30, output_tokens: 0});
});

test('what a job used before its last run is read once, and again after a run continued', async () => {
  const runs = createRunStore({folder: temporaryFolder()});
  const job = jobRecord();
  const used = (runId: string, tokens: number): RunRecord =>
    restingRun({
      run_id: runId,
      task_id: runId.slice(0, 1),
      state: 'succeeded',
      segments: [{...endedSegment(), job_id: job.jobId, usage: {input_tokens: tokens, output_tokens: 0}}],
    });
  for (const run of [used('a-1', 1), used('b-1', 2)]) await runs.insert(run);
  const lists: string[] = [];
  const look = createJobMeter({
    list: (taskId) => {
      lists.push(taskId);
      return runs.list(taskId);
    },
  });
  const tokensAfter = async (...ids: readonly string[]) => {
    const begun = ids.map((runId) => ({taskId: runId.slice(0, 1), runId, startedAt: ''}));
    return (await look({...job, runs: begun})).map(({tokens}) => tokens);
  };
  expect(await tokensAfter('a-1')).toEqual([]);
  expect(await tokensAfter('a-1', 'b-1')).toEqual([1]);
  expect(await tokensAfter('a-1', 'b-1')).toEqual([1]);
  expect(lists).toEqual(['a']);
  expect(await tokensAfter('a-1', 'b-1', 'a-1')).toEqual([2]);
  await runs.update('a', 'a-1', () => used('a-1', 5));
  expect(await tokensAfter('a-1', 'b-1', 'a-1', 'c-1')).toEqual([5, 2]);
});
