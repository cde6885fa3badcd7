import {copyFileSync, mkdirSync, readFileSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {readPlanAnswer} from '../../src/machines/policies/planning/check-plan-answer.ts';
import {checkReviewAnswer} from '../../src/machines/policies/review/check-review-answer.ts';
import {readBundle} from '../../src/services/journal/bundle-file.ts';
import {createDecisionInbox} from '../../src/services/stores/decision-inbox.ts';
import {createJobStore} from '../../src/services/stores/job-store.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {createWriteTrail} from '../../src/services/stores/write-trail.ts';
import {errorOf, rejectionOf} from '../helpers/errors.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// Cases that fuzzing found, as found: test/fixtures/fuzz.

const fixture = (name: string) => path.join(import.meta.dirname, '../fixtures/fuzz', name);
const textOf = (name: string) => readFileSync(fixture(name), 'utf8');

test('a verdict that is nested too deep to compare is not a verdict', () => {
  expect(checkReviewAnswer(textOf('verdict-too-deep.txt'), ['a'])).toEqual({
    problem: 'it contains no JSON object with "passed"',
  });
  const withAnother = `${textOf('verdict-too-deep.txt')}\n{"passed":true}`;
  expect(checkReviewAnswer(withAnother, ['a'])).toEqual({
    problem: 'it contains something that could be a second verdict',
  });
});

test('a proposed plan that is nested too deep is sent back', () => {
  expect(readPlanAnswer('generate', textOf('plan-answer-too-deep.txt'))).toEqual({
    type: 'unusable',
    problems: ['it contains too much JSON, or JSON that is nested too deeply'],
  });
});

test('a running record with an unreadable task stops no other task', async () => {
  const folder = path.join(temporaryFolder(), 'runs');
  mkdirSync(path.join(folder, 'a'), {recursive: true});
  copyFileSync(fixture('running-with-bad-escape.json'), path.join(folder, 'a', 'a-1.json'));
  const store = createRunStore({folder});
  expect(await store.runningTaskIds()).toEqual([]);
  expect((await store.list('a')).broken).toEqual([
    {file: path.join(folder, 'a', 'a-1.json'), reason: expect.stringContaining('it is not valid JSON')},
  ]);
});

test('a bundle whose lines have no kind is not a bundle', () => {
  const {code, message} = errorOf(() => readBundle(fixture('kind-is-no-text.bundle.json')));
  expect({code, message}).toEqual({
    code: 'E_STORE_CORRUPT',
    message: expect.stringContaining('it is not a bundle of Blackbird'),
  });
});

describe('a link to a device in place of a file is not read without end', () => {
  const linked = (file: string) => {
    const folder = temporaryFolder();
    mkdirSync(path.dirname(path.join(folder, file)), {recursive: true, mode: 0o700});
    symlinkSync('/dev/zero', path.join(folder, file));
    return folder;
  };

  test('the trail of the plan', () => {
    const folder = linked('plan.writes');
    expect(createWriteTrail(path.join(folder, 'plan.writes')).leads('a', 'b')).toBeNull();
  });

  test('a decision', () => {
    const folder = linked('runs/a/a-1.decision');
    const inbox = createDecisionInbox({folder: path.join(folder, 'runs'), livenessOf: () => 'alive'});
    const decision = {state: 'approved_quit'} as const;
    const posted = {
      schema_version: 1,
      id: 'x',
      task_id: 'a',
      run_id: 'a-1',
      posted_by: null,
      decision,
    } as const;
    expect(inbox.look(posted)).toBe('gone');
  });

  test('the notes of a job', async () => {
    const folder = linked('jobs/j-1.notes.jsonl');
    const jobs = createJobStore({folder: path.join(folder, 'jobs')});
    await jobs.create({
      schemaVersion: 1,
      jobId: 'j-1',
      steps: [],
      agent: 'demo',
      settings: {},
      owner: null,
      startedAt: '2026-01-01T00:00:00.000Z',
      runs: [],
      waits: [],
    });
    expect((await rejectionOf(jobs.read('j-1'))).code).toBe('E_STORE_CORRUPT');
  });
});
