import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {investigateThread} from '../../../src/services/agents/codex-rollout.ts';
import type {Failure} from '../../../src/services/contracts/agent.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const sessionRef = '01a1e789-3cfe-7212-b502-77b3757faa42';
const failure: Failure = {kind: 'agent_error', message: 'the server says no'};
const line = JSON.stringify({
  payload: {type: 'task_complete', error: {message: failure.message, codex_error_info: 'model_not_found'}},
});

/** A Codex home with a thread that started on a given day, and the path of its file. */
function codexHome(day = '2026/11/17') {
  const home = temporaryFolder();
  const folder = path.join(home, 'sessions', day);
  mkdirSync(folder, {recursive: true});
  const file = path.join(folder, `rollout-2026-11-17T03-24-53-${sessionRef}.jsonl`);
  return {home, folder, file};
}

const investigated = (env: Readonly<Record<string, string>>, ref = sessionRef) =>
  investigateThread(failure, {sessionRef: ref, env, now: new Date('2026-11-17T04:00:00.000Z')});

test('a failure gets its kind from the file of its thread, whenever that started', async () => {
  const {home, file} = codexHome('2025/01/02');
  mkdirSync(path.join(home, 'sessions', '2026', '11', '17'), {recursive: true});
  writeFileSync(file, `${line}\n`);
  expect(await investigated({CODEX_HOME: home})).toEqual({...failure, kind: 'bad_model'});
});

test('without CODEX_HOME the file is below the home folder', async () => {
  const around = temporaryFolder();
  const folder = path.join(around, '.codex', 'sessions', '2026', '11', '17');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, `rollout-x-${sessionRef}.jsonl`), line);
  expect(await investigated({HOME: around})).toEqual({...failure, kind: 'bad_model'});
});

test('only the end of a large file is read', async () => {
  const {home, file} = codexHome();
  writeFileSync(file, `${'x'.repeat(200_000)}\n${line}\n`);
  expect(await investigated({CODEX_HOME: home})).toEqual({...failure, kind: 'bad_model'});
  writeFileSync(file, `${line}\n${'x'.repeat(200_000)}\n`);
  expect(await investigated({CODEX_HOME: home})).toEqual(failure);
});

test('another thread, a link, a pipe and an invalid ref give nothing', async () => {
  const {home, folder, file} = codexHome();
  const elsewhere = path.join(home, 'elsewhere.jsonl');
  writeFileSync(elsewhere, line);
  writeFileSync(path.join(folder, 'rollout-x-0195d27e-46c6-4b0f-bd54-657f920eee8d.jsonl'), line);
  expect(await investigated({CODEX_HOME: home})).toEqual(failure);
  expect(await investigated({CODEX_HOME: home}, '../elsewhere')).toEqual(failure);
  symlinkSync(elsewhere, file);
  expect(await investigated({CODEX_HOME: home})).toEqual(failure);
  execFileSync('rm', [file]);
  execFileSync('mkfifo', [file]);
  expect(await investigated({CODEX_HOME: home})).toEqual(failure);
});

test('a missing folder is no error', async () => {
  expect(await investigated({CODEX_HOME: path.join(temporaryFolder(), 'none')})).toEqual(failure);
});
