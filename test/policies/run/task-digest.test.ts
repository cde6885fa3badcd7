import {describe, expect, test} from 'vitest';
import {changesPrompt} from '../../../src/machines/policies/run/agent-prompt.ts';
import {changedSince, taskDigest, undeliveredDigest} from '../../../src/machines/policies/run/task-digest.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import {runRecord} from '../../fakes/runs.ts';
import {task} from '../../helpers/plans.ts';

const digest = (text: string) => `#${text}`;
const before = task('a', {
  title: 'Refunds',
  prompt: 'Add refunds.',
  description: 'For the shop.',
  acceptanceCriteria: ['tested'],
});
const told = taskDigest(before, digest);
const runTold = runRecord({context: {digest: '', bytes: 0, told}});
const changesTo = (fields: Partial<Task>) => {
  const now = {...before, ...fields};
  return changedSince(runTold, now, taskDigest(now, digest));
};

test('what an agent was told is recorded as a digest of each field', () => {
  expect(told).toEqual({
    title: '#Refunds',
    prompt: '#Add refunds.',
    description: '#For the shop.',
    acceptanceCriteria: '#- tested',
  });
});

describe('a task that was changed since', () => {
  test.each<{name: string; fields: Partial<Task>; changes: unknown}>([
    {name: 'nothing', fields: {notes: 'mine', deps: ['b'], status: 'in_progress'}, changes: []},
    {name: 'a space at the end', fields: {prompt: 'Add refunds.\n'}, changes: []},
    {name: 'the title', fields: {title: 'Returns'}, changes: [{heading: 'Title', text: 'Returns'}]},
    {
      name: 'the rest',
      fields: {prompt: 'Add returns.', description: '', acceptanceCriteria: ['tested', 'fast']},
      changes: [
        {heading: 'What to do', text: 'Add returns.'},
        {heading: 'Description', text: ''},
        {heading: 'Acceptance criteria', text: '- tested\n- fast'},
      ],
    },
  ])('$name', ({fields, changes}) => {
    expect(changesTo(fields)).toEqual(changes);
  });

  test('is unknown for a record without digests; from now on it is recorded', () => {
    const run = runRecord({context: {digest: '', bytes: 0}});
    expect(changedSince(run, before, told)).toEqual([]);
    expect(undeliveredDigest(run, told)).toEqual({telling: told});
    expect(undeliveredDigest(runTold, told)).toEqual({});
    expect(undeliveredDigest(runTold, {...told, title: '#Returns'})).toEqual({
      telling: {...told, title: '#Returns'},
    });
  });
});

test('the agent is told the new text of each changed field first', () => {
  expect(changesPrompt([], 'Go on.')).toBe('Go on.');
  expect(changesPrompt(changesTo({title: 'Returns', description: ''}), 'Go on.')).toBe(
    [
      '# The task was changed',
      'The following replaces the earlier text. Everything else is unchanged.',
      '',
      '## Title',
      'Returns',
      '',
      '## Description',
      '(removed)',
      '',
      'Go on.',
    ].join('\n'),
  );
});
