import {describe, expect, test} from 'vitest';
import {
  mayEditFiles,
  repositoryWarnings,
  unrecordedWarning,
} from '../../../src/machines/policies/job/repository-warnings.ts';

const clean = {isDetached: false, underWay: null, conflicts: []};
const detached =
  'no branch is checked out (detached HEAD): the commits of tasks will be on no branch; keep them with git switch -c <name>';

describe('before an agent works, the user is warned', () => {
  test.each([
    {name: 'of nothing when the repository is in order', standing: clean, rules: {commits: true}, told: []},
    {name: 'once that no change is recorded', standing: null, isFirstJob: true, told: [unrecordedWarning]},
    {
      name: 'of nothing when no user is there',
      standing: null,
      isFirstJob: true,
      rules: {isAttended: false},
      told: [],
    },
    {name: 'not a second time', standing: null, told: []},
    {
      name: 'always when tasks are reviewed',
      standing: null,
      rules: {isReviewed: true},
      told: [unrecordedWarning],
    },
    {
      name: 'always when tasks are committed',
      standing: null,
      rules: {commits: true},
      told: [unrecordedWarning],
    },
    {
      name: 'that commits will be on no branch',
      standing: {...clean, isDetached: true},
      rules: {commits: true},
      told: [detached],
    },
    {name: 'of no detached HEAD without commits', standing: {...clean, isDetached: true}, told: []},
    {
      name: 'of the conflicts of a merge',
      standing: {isDetached: false, underWay: 'a merge', conflicts: ['a', 'b', 'c', 'd', 'e']},
      told: [
        'a merge is in progress, with conflicts in a, b, c and 2 more: the agent will find them there (git status)',
      ],
    },
    {
      name: 'that nothing is committed during a rebase',
      standing: {isDetached: true, underWay: 'a rebase', conflicts: []},
      rules: {commits: true},
      told: ['a rebase is in progress: nothing is committed until it is finished'],
    },
    {
      name: 'of no rebase without commits',
      standing: {isDetached: true, underWay: 'a rebase', conflicts: []},
      told: [],
    },
  ] as const)('$name', ({standing, told, ...others}) => {
    const rules = {isAttended: true, ...('rules' in others && others.rules)};
    expect(repositoryWarnings(standing, rules, {isFirstJob: 'isFirstJob' in others})).toEqual(told);
  });
});

test('only a job that runs an agent on a task edits files', () => {
  const task = {type: 'task', taskId: 'a'} as const;
  expect(mayEditFiles([{type: 'execute', taskIds: []}])).toBe(true);
  expect(mayEditFiles([{...task, mode: {type: 'restart'}}])).toBe(true);
  expect(mayEditFiles([{...task, mode: {type: 'review', decision: null}}])).toBe(false);
  expect(mayEditFiles([{type: 'undo', taskId: 'a', runId: null, isForced: false}])).toBe(false);
});
