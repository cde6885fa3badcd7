import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {readConversation, readTranscript} from '../../src/cli/tui/tui-transcript.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {runRecord} from '../fakes/runs.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

function recorded() {
  const runs = createRunStore({folder: temporaryFolder()});
  const run = runRecord({provider: 'demo'});
  const {stdout, times} = runs.files(run.task_id, run.run_id);
  mkdirSync(path.dirname(stdout));
  const read = () => readTranscript(runs, run);
  return {read, talk: () => readConversation(runs, run), stdout, times};
}

test('the output of a run is its end, whole lines only', async () => {
  const {read, stdout} = recorded();
  writeFileSync(stdout, `${'x'.repeat(600 * 1024)}\nlast words\n\n`);
  expect(await read()).toEqual({lines: ['last words'], isCut: true});
});

test('an agent that printed nothing has an empty one', async () => {
  const {read, talk} = recorded();
  expect(await read()).toEqual({lines: [], isCut: false});
  expect(await talk()).toEqual({talks: [], isCut: false});
});

test('unreadable output is not shown as empty', async () => {
  const {read, stdout} = recorded();
  mkdirSync(stdout);
  expect((await read()).lines).toEqual([expect.stringMatching(/^the output cannot be read: EISDIR/)]);
  rmSync(stdout, {recursive: true});
  expect((await read()).lines).toEqual([]);
});

test('the conversation has the times of its log, without protocol lines; lines of no provider are shown', async () => {
  const {talk, stdout, times} = recorded();
  const lines = ['warning: old', JSON.stringify({demo: 'message', text: 'Done.'}), '{"other": 1}'];
  writeFileSync(stdout, `${lines.join('\n')}\n`);
  writeFileSync(times, '1000 0\n5000 13\n');
  expect(await talk()).toEqual({
    talks: [
      {at: 1_000, kind: 'output', text: 'warning: old'},
      {at: 5_000, kind: 'message', text: 'Done.'},
    ],
    isCut: false,
  });
});
