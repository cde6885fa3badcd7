import {utimesSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createRunIndex} from '../../../src/services/stores/run-index.ts';
import {createRunStore} from '../../../src/services/stores/run-store.ts';
import {pausedRun, restingRun} from '../../fakes/runs.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

/** An index that counts how often it had to read a task. */
function indexed() {
  const folder = path.join(temporaryFolder(), 'runs');
  const runs = createRunStore({folder});
  const looked: string[] = [];
  const index = createRunIndex({
    folder,
    runs: {
      list: (id) => {
        looked.push(id);
        return runs.list(id);
      },
    },
    digest: (all) => all.map(({run_id, state}) => `${run_id} ${state}`),
  });
  /** Old enough to be told apart from later changes. */
  const age = (id: string) => utimesSync(path.join(folder, id), new Date(0), new Date(0));
  return {folder, runs, index, age, looked: () => looked.splice(0)};
}

test('only tasks that have runs are listed', async () => {
  const {runs, index} = indexed();
  expect(await index.read(['a', 'b'])).toEqual(new Map());
  await runs.insert(pausedRun());
  expect(await index.read(['a', 'b'])).toEqual(new Map([['a', ['a-1 paused']]]));
});

test('unchanged tasks are not read again', async () => {
  const {runs, index, age, looked} = indexed();
  await runs.insert(pausedRun());
  await runs.insert(restingRun({task_id: 'b', run_id: 'b-1', state: 'failed'}));
  age('a');
  age('b');
  await index.read(['a', 'b']);
  expect(looked()).toEqual(['a', 'b']);
  await index.read(['a', 'b']);
  expect(looked()).toEqual([]);
  await runs.update('b', 'b-1', (run) => ({...run, state: 'canceled'}));
  expect(await index.read(['a', 'b'])).toEqual(
    new Map([
      ['a', ['a-1 paused']],
      ['b', ['b-1 canceled']],
    ]),
  );
  expect(looked()).toEqual(['b']);
});

test('a task that changed just now is read again: it may change once more without showing it', async () => {
  const {runs, index, looked} = indexed();
  await runs.insert(pausedRun());
  await index.read(['a']);
  await index.read(['a']);
  expect(looked()).toEqual(['a', 'a']);
});
