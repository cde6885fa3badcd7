import {describe, expect, test} from 'vitest';
import {bundleOf, redactRun, redactTask} from '../../../src/machines/policies/inspect/bundle-content.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {pausedRun, runRecord} from '../../fakes/runs.ts';
import {family, made, now, planOf, task} from '../../helpers/plans.ts';

const parts = {
  taskId: 'a',
  createdAt: now,
  versions: {blackbird: '1.2.3'},
  layers: [],
  environment: [],
  plan: null,
  runs: [],
  journals: [],
  problems: [],
  person: {home: '/home/jane', user: 'jane', host: 'thinkpad'},
} as const;

test('a task keeps its position and status, and loses its text', () => {
  const given = task('a', {
    title: 'Login',
    description: 'Say it',
    acceptanceCriteria: ['works', ''],
    prompt: 'Do it now',
    notes: 'hm',
    verify: ['npm test'],
    parentId: 'p',
    deps: ['b'],
    status: 'done',
  });
  expect(redactTask(given)).toEqual({
    id: 'a',
    title: '<5 chars>',
    description: '<6 chars>',
    acceptanceCriteria: ['<5 chars>', ''],
    prompt: '<9 chars>',
    notes: '<2 chars>',
    verify: ['<8 chars>'],
    parentId: 'p',
    childIds: [],
    deps: ['b'],
    status: 'done',
    createdAt: made,
    updatedAt: made,
  });
});

test('a record keeps what happened and the flags of its agent, and loses all text', () => {
  const words = 'never to be seen';
  const run: RunRecord = pausedRun({
    stdout: words,
    stderr: words,
    feedback: words,
    result: words,
    repo_root: '/home/jane/project',
    questions: [{id: 'q1', prompt: words, options: [words]}],
    answers: [{id: 'q1', value: words, prompt: words}],
    failure: {kind: 'auth', message: words},
    usage: {input_tokens: 3, output_tokens: 4},
  });
  const [segment] = run.segments;
  const redacted = redactRun({
    ...run,
    segments: segment
      ? [{...segment, argv: ['/usr/bin/claude', '-p', '--model', words, '--key=hunter2']}]
      : [],
  });
  expect(redacted).toMatchObject({
    state: 'paused',
    stdout: '<16 chars>',
    failure: {kind: 'auth', message: '<16 chars>'},
    questions: [{id: 'q1', prompt: '<16 chars>', options: ['<16 chars>']}],
    answers: [{id: 'q1', value: '<16 chars>', prompt: '<16 chars>'}],
    usage: {input_tokens: 3, output_tokens: 4},
    segments: [{argv: ['<15 chars>', '-p', '--model', '<16 chars>', '<13 chars>']}],
  });
  expect(JSON.stringify(redacted)).not.toMatch(/never|jane/);
});

describe('a bundle', () => {
  test('of a small plan holds all of it, in order', () => {
    const {plan} = bundleOf({...parts, plan: planOf(family(task('p'), task('b'), task('a')))});
    expect(plan?.total).toBe(3);
    expect(plan?.tasks.map(({id}) => id)).toEqual(['p', 'b', 'a']);
  });

  test('of a huge plan holds what surrounds the task', () => {
    const many = Array.from({length: 2_000}, (_, index) => task(`t${index}`));
    const near = [...family(task('p'), task('a', {deps: ['t7']}), task('b')), task('after', {deps: ['a']})];
    const {plan} = bundleOf({...parts, plan: planOf(many, near)});
    expect(plan?.total).toBe(2_004);
    expect(plan?.tasks.map(({id}) => id)).toEqual(['t7', 'p', 'a', 'after']);
  });

  test('names known settings, and variables without their values', () => {
    const layers = [
      {
        name: 'project',
        file: '/x',
        content: {schemaVersion: 1, token: 'hush', execution: {stopOnFailure: true}},
      },
    ] as const;
    const {config} = bundleOf({...parts, layers, environment: ['BLACKBIRD_AGENT_CMD']});
    expect(config).toMatchObject({
      settings: {'execution.stopOnFailure': {value: true, source: 'project'}},
      environment: ['BLACKBIRD_AGENT_CMD'],
    });
    expect(JSON.stringify(config)).not.toContain('hush');
  });

  test("is scrubbed of the user's name, but not in the machines' own terms", () => {
    const line = {
      kind: 'truncated',
      at: 'thinkpad',
      bytes: 1,
    } as const;
    const bundle = bundleOf({
      ...parts,
      problems: ['/home/jane/x on thinkpad: no'],
      runs: [runRecord({run_id: 'jane'})],
      journals: [{run_id: 'a-1', lines: [line, {...line, at: 'sk-0123456789'}]}],
    });
    expect(bundle.problems).toEqual(['~/x on <host>: no']);
    expect(bundle.runs[0]?.run_id).toBe('<user>');
    expect(bundle.journals).toEqual([{run_id: 'a-1', lines: [line, {...line, at: '<secret>'}]}]);
  });
});
