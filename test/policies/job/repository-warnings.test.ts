import {describe, expect, test} from 'vitest';
import {
  mayEditFiles,
  repositoryWarnings,
  unrecordedWarning,
} from '../../../src/machines/policies/job/repository-warnings.ts';

const clean = {isDetached: false, underWay: null, conflicts: []};
const detached =
  'no branch is checked out (detached HEAD): the commits of tasks will be on none; keep them with git switch -c <name>';

describe('before an agent works, a person is told', () => {
  test.each([
    {name: 'nothing of a repository as it should be', standing: clean, rules: {commits: true}, told: []},
    {name: 'once that nothing is recorded', standing: null, isFirstJob: true, told: [unrecordedWarning]},
    {name: 'nobody who is not there', standing: null, isFirstJob: true, rules: {isAttended: false}, told: []},
    {name: 'no second time', standing: null, told: []},
    {
      name: 'always where it is reviewed',
      standing: null,
      rules: {isReviewed: true},
      told: [unrecordedWarning],
    },
    {name: 'always where it is committed', standing: null, rules: {commits: true}, told: [unrecordedWarning]},
    {
      name: 'that commits will be on no branch',
      standing: {...clean, isDetached: true},
      rules: {commits: true},
      told: [detached],
    },
    {name: 'nothing of a detached HEAD without commits', standing: {...clean, isDetached: true}, told: []},
    {
      name: 'of the conflicts of a merge',
      standing: {isDetached: false, underWay: 'a merge', conflicts: ['a', 'b', 'c', 'd', 'e']},
      told: [
        'a merge is in progress, with conflicts in a, b, c and 2 more: the agent meets them as they are (git status)',
      ],
    },
    {
      name: 'that nothing is committed in the middle of a rebase',
      standing: {isDetached: true, underWay: 'a rebase', conflicts: []},
      rules: {commits: true},
      told: ['a rebase is in progress: nothing is committed before it is over'],
    },
    {
      name: 'nothing of it without commits',
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
