import {chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {customProvider} from '../../../src/services/agents/custom-command.ts';
import {demoProvider} from '../../../src/services/agents/demo.ts';
import {type ProbeCache, probeProvider} from '../../../src/services/agents/probe.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

/** A `codex` that records what it is asked. */
function installCodex(folder: string, {version = '0.166.0', script = ''} = {}): string {
  const file = path.join(folder, 'codex');
  const calls = path.join(folder, 'calls.txt');
  writeFileSync(
    file,
    `#!/bin/sh\necho "$*" >>'${calls}'\n${script}\ncase "$1" in --version) echo "codex-cli ${version}";; *) echo "  --output-schema <FILE>"; cat;; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

const environment = (folder: string) => ({PATH: `${folder}:${process.env.PATH}`});
const calls = (folder: string) => readFileSync(path.join(folder, 'calls.txt'), 'utf8');
const codexCan = (version: string) => ({
  version,
  fullAuto: false,
  outputSchema: true,
  effort: true,
  chosenSession: false,
  costLimit: false,
});

function memoryCache(entries = new Map<string, unknown>()): ProbeCache & {entries: Map<string, unknown>} {
  return {entries, get: (key) => entries.get(key), set: (key, value) => entries.set(key, value)};
}

describe('an installed agent', () => {
  test('is asked for its help and version once', async () => {
    const folder = temporaryFolder();
    const found = {installed: true, path: installCodex(folder), capabilities: codexCan('0.166.0')};
    const env = environment(folder);
    expect(await probeProvider(codexProvider, {env})).toEqual(found);
    expect(await probeProvider(codexProvider, {env})).toEqual(found);
    expect(calls(folder)).toBe('exec --help\n--version\n');
  });

  test('is asked again when a Ctrl+C ended it at its start', async () => {
    const folder = temporaryFolder();
    const hit = path.join(folder, 'hit');
    const file = installCodex(folder, {script: `[ -e '${hit}' ] || { : >'${hit}'; kill -INT $$; }`});
    expect(await probeProvider(codexProvider, {env: environment(folder)})).toEqual({
      installed: true,
      path: file,
      capabilities: codexCan('0.166.0'),
    });
  });

  test('is asked again when it was replaced', async () => {
    const folder = temporaryFolder();
    const env = environment(folder);
    const file = installCodex(folder);
    utimesSync(file, 1_000, 1_000);
    await probeProvider(codexProvider, {env});

    installCodex(folder, {version: '0.167.0'});
    utimesSync(file, 2_000, 2_000);

    expect(await probeProvider(codexProvider, {env})).toEqual({
      installed: true,
      path: file,
      capabilities: codexCan('0.167.0'),
    });
  });

  test('is not asked when the cache has it', async () => {
    const folder = temporaryFolder();
    const file = installCodex(folder);
    const asked: string[] = [];
    const cache: ProbeCache = {
      get: async (key) => {
        asked.push(key);
        return codexCan('from the cache');
      },
      set: () => {
        throw new Error('nothing new to keep');
      },
    };
    expect(await probeProvider(codexProvider, {env: environment(folder), cache})).toEqual({
      installed: true,
      path: file,
      capabilities: codexCan('from the cache'),
    });
    expect(asked).toEqual([expect.stringContaining(file)]);
    expect(() => calls(folder)).toThrow('ENOENT');
  });

  test.each([undefined, null, 'text', {version: 1}])('is asked when the cache holds %j', async (held) => {
    const folder = temporaryFolder();
    installCodex(folder);
    const cache = memoryCache();
    await probeProvider(codexProvider, {env: environment(folder), cache: {...cache, get: () => held}});
    expect([...cache.entries.values()]).toEqual([codexCan('0.166.0')]);
  });
});

describe('no agent is found', () => {
  test.each([
    {name: 'without a PATH', env: {}},
    {name: 'in an empty folder', env: {PATH: '/nonexistent'}},
    {name: 'in a relative folder, which the project could fill', env: {PATH: '.:bin'}},
  ])('$name', async ({env}) => {
    expect(await probeProvider(claudeProvider, {env})).toEqual({
      installed: false,
      reason: 'claude is not on the PATH',
    });
  });

  test('when a folder or a non-executable file has its name', async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(path.join(first, 'claude'));
    writeFileSync(path.join(second, 'claude'), '', {mode: 0o600});
    expect(await probeProvider(claudeProvider, {env: {PATH: `${first}:${second}`}})).toEqual({
      installed: false,
      reason: 'claude is not on the PATH',
    });
  });
});

describe('an agent that does not work', () => {
  test.each([
    {name: 'fails', script: 'exit 7', reason: 'exit code 7'},
    {name: 'is killed', script: 'kill -9 $$', reason: 'SIGKILL'},
    {name: 'is interrupted, every time', script: 'kill -INT $$', reason: 'SIGINT'},
    {
      name: 'hangs, with its children',
      script: 'sleep 600 & sleep 600',
      timeLimitMs: 200,
      reason: 'no answer within 200 ms',
    },
  ])('$name', async ({script, timeLimitMs = 120_000, reason}) => {
    const folder = temporaryFolder();
    const file = installCodex(folder, {script});
    const cache = memoryCache();
    expect(await probeProvider(codexProvider, {env: environment(folder), cache, timeLimitMs})).toEqual({
      installed: false,
      reason: `${file} does not work: ${reason}`,
    });
    expect(cache.entries.size).toBe(0);
  });

  test('is not remembered as broken', async () => {
    const folder = temporaryFolder();
    const env = environment(folder);
    const file = installCodex(folder, {script: '[ -e "$REPAIRED" ] || exit 1'});
    expect(await probeProvider(codexProvider, {env})).toEqual({
      installed: false,
      reason: `${file} does not work: exit code 1`,
    });
    expect(await probeProvider(codexProvider, {env: {...env, REPAIRED: file}})).toEqual({
      installed: true,
      path: file,
      capabilities: codexCan('0.166.0'),
    });
  });
});

test('the demo agent is always available', async () => {
  expect(await probeProvider(demoProvider, {env: process.env})).toEqual({
    installed: true,
    path: process.execPath,
    capabilities: {
      version: 'built in',
      fullAuto: false,
      outputSchema: true,
      effort: true,
      chosenSession: true,
      costLimit: false,
    },
  });
});

test('a custom command needs a shell and is not run by the probe', async () => {
  const folder = temporaryFolder();
  const custom = customProvider(`touch '${folder}/was-run'`, null);
  expect(await probeProvider(custom, {env: process.env})).toEqual({
    installed: true,
    path: expect.stringMatching(/\/sh$/),
    capabilities: {
      version: 'custom command',
      fullAuto: false,
      outputSchema: false,
      effort: false,
      chosenSession: false,
      costLimit: false,
    },
  });
  expect(() => readFileSync(path.join(folder, 'was-run'))).toThrow('ENOENT');
});
