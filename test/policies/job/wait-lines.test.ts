import {expect, test} from 'vitest';
import type {JobSummary} from '../../../src/machines/policies/job/job-end.ts';
import {withObstacles} from '../../../src/machines/policies/job/obstacle-lines.ts';
import {
  givenUpLines,
  leftWaiting,
  stopWords,
  waitedFor,
  waitLine,
} from '../../../src/machines/policies/job/wait-lines.ts';
import {type Wait, waitRefusal} from '../../../src/machines/policies/job/waiting.ts';

const until = new Date(2026, 0, 10, 18, 5).toISOString();
const [today, yesterday] = [10, 9].map((day) => new Date(2026, 0, day, 12).toISOString()) as [string, string];
const wait: Wait = {
  taskId: 'a',
  runId: null,
  provider: 'claude',
  reason: 'usage_limit',
  until,
  foundAt: today,
  isTooLong: true,
};
const done: JobSummary = {reason: 'completed', headline: '1 done', lines: ['1 done'], standing: 'done'};

test('a limit that nothing waits for is shown as a time of day: at the end of a plan, of a task, and as an obstacle', () => {
  const lines = (fields: Partial<Wait>) => givenUpLines({...wait, ...fields})[0];
  expect(lines({})).toBe('a cannot start before 18:05: the usage limit is reached (claude).');
  expect(lines({runId: 'a-1', foundAt: yesterday})).toBe(
    'a cannot continue before 2026-01-10 18:05: the usage limit is reached (claude).',
  );
  expect(waitRefusal(wait, 'restart').next).toEqual([
    {command: 'blackbird restart a', why: 'continue after 18:05'},
  ]);
  expect(waitRefusal(wait, 'resume')).toMatchObject({
    message: 'a cannot continue before 18:05: the usage limit is reached',
    // Machine-readable output stays exact.
    details: [
      ['task', 'a'],
      ['provider', 'claude'],
      ['until', until],
    ],
    next: [
      {command: 'blackbird resume a', why: 'continue after 18:05'},
      {command: 'blackbird resume a --no-wait', why: 'try now'},
    ],
  });
  const obstacle = {
    taskId: 'b',
    needs: 'time',
    why: 'limit, until 2026-01-10 18:05',
    command: null,
    retryAt: until,
  } as const;
  expect(withObstacles(done, [obstacle], new Set())).toMatchObject({
    lines: ['1 done', 'still in the way:', '  b  limit, until 2026-01-10 18:05'],
    retryAt: until,
  });
});

test.each([
  {runId: null, verb: 'starts'},
  {runId: 'a-1', verb: 'resumes'},
])('a wait for a known limit, of the run $runId: $verb', ({runId, verb}) => {
  const now = new Date(Date.parse(until) - 60_000).toISOString();
  expect(waitLine({...wait, runId}, now)).toBe(`a  usage limit  ${verb} 18:05, in 1m00s`);
  expect(waitLine({...wait, runId}, now, true)).toBe(`a  ${verb} 18:05, in 1m00s`);
  expect(waitedFor(wait)).toBe('waiting for claude until 18:05 (usage limit)');
});

test('stopping a job that waits says that it ends now, and what happens to the task', () => {
  expect([stopWords(true), stopWords(false)]).toEqual(['ends now', 'stops after this task']);
  expect(
    [wait, {...wait, runId: 'a-1'}, {...wait, taskId: 'plan:d1', runId: 'plan:d1-1'}].map(leftWaiting),
  ).toEqual([
    'a waits, and the next execute starts it',
    'a waits, and the next execute continues with it',
    'the planner waits: blackbird plan drafts open d1 continues',
  ]);
});
