import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {readTranscript} from '../../src/cli/tui/tui-transcript.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {runRecord} from '../fakes/runs.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

function recorded() {
  const runs = createRunStore({folder: temporaryFolder()});
  const run = runRecord({provider: 'demo'});
  const {stdout} = runs.files(run.task_id, run.run_id);
  mkdirSync(path.dirname(stdout));
  return {read: (form: 'readable' | 'raw') => readTranscript(runs, run, form), stdout};
}

test('the output of a run is its end, whole lines only', async () => {
  const {read, stdout} = recorded();
  writeFileSync(stdout, `${'x'.repeat(600 * 1024)}\nlast words\n\n`);
  expect(await read('raw')).toEqual({lines: ['last words'], isCut: true});
});

test('an agent that printed nothing has an empty one', async () => {
  expect(await recorded().read('readable')).toEqual({lines: [], isCut: false});
});

test('output that cannot be read is not shown as empty', async () => {
  const {read, stdout} = recorded();
  mkdirSync(stdout);
  expect((await read('raw')).lines).toEqual([expect.stringMatching(/^the output cannot be read: EISDIR/)]);
  rmSync(stdout, {recursive: true});
  expect((await read('raw')).lines).toEqual([]);
});
