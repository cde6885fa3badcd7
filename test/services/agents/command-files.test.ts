import {existsSync, readFileSync, renameSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import {writeCommandFiles} from '../../../src/services/agents/command-files.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const command = {
  file: 'codex',
  args: ['exec', '--output-schema', '{schema}', '-'],
  stdin: '{schema}',
  env: {},
};

test('a command without files stays as it is', async () => {
  const prepared = await writeCommandFiles(command);
  expect(prepared.command).toEqual(command);
  await prepared.remove();
});

test('a file is private, is passed by its path, and is gone afterwards', async () => {
  const prepared = await writeCommandFiles({
    ...command,
    files: [{placeholder: '{schema}', content: '{"a":1}'}],
  });
  const file = prepared.command.args[2] ?? '';
  expect(prepared.command).toEqual({...command, args: ['exec', '--output-schema', file, '-']});
  expect(path.isAbsolute(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('{"a":1}');
  expect([file, path.dirname(file)].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o700]);

  await prepared.remove();
  expect(existsSync(path.dirname(file))).toBe(false);
});

test('a file that cannot be removed is left', async () => {
  const folder = path.join(temporaryFolder(), 'tmp');
  renameSync(temporaryFolder(), folder);
  vi.stubEnv('TMPDIR', folder);
  const prepared = await writeCommandFiles({...command, files: [{placeholder: '{schema}', content: '{}'}]});
  vi.unstubAllEnvs();
  renameSync(folder, `${folder}-elsewhere`);
  writeFileSync(folder, 'no folder');
  expect(await prepared.remove()).toBeUndefined();
});
