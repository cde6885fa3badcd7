import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import {beforeAll, describe, expect, test} from 'vitest';
import {builtCli} from '../helpers/built-cli.ts';
import {addressIn} from '../helpers/page.ts';
import {sharedFolder, temporaryFolder} from '../helpers/temp-folder.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

// What npm publishes, installed where nothing of the clone is reachable.

const around = sharedFolder();
const prefix = path.join(around, 'prefix');
const env = {
  HOME: around,
  PATH: `${path.join(prefix, 'bin')}:${process.env.PATH}`,
  LC_ALL: 'C.UTF-8',
  npm_config_cache: path.join(around, 'cache'),
  npm_config_update_notifier: 'false',
};
const run = (file: string, args: readonly string[], cwd = around) =>
  execa(file, args, {cwd, env, extendEnv: false, input: '', reject: false, all: true, timeout: 170_000});
let tarball = '';
let megabytes = {toDownload: 0, unpacked: 0};

beforeAll(async () => {
  const packed = await run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', around],
    process.cwd(),
  );
  const [{filename, size, unpackedSize}] = JSON.parse(packed.stdout);
  tarball = path.join(around, filename);
  megabytes = {toDownload: size / 1e6, unpacked: unpackedSize / 1e6};
  const installed = await run('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball]);
  expect(installed.exitCode, installed.all).toBe(0);
  expect(installed.all).toMatch(/^\s*added 1 package/);
  expect(installed.all).not.toContain('warn');
});

describe('the published package', () => {
  const home = () => path.join(prefix, 'lib', 'node_modules', 'blackbird-cli');

  test('is one package of a few megabytes, with the licences of what is bundled', async () => {
    expect(readdirSync(path.join(prefix, 'lib', 'node_modules'))).toEqual(['blackbird-cli']);
    expect(readdirSync(home()).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ]);
    expect(readdirSync(path.join(prefix, 'bin')).sort()).toEqual(['agency', 'blackbird', 'blackbird-cli']);
    const {stdout} = await run('du', ['-sk', home()]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(8 * 1024);
    const licences = readFileSync(path.join(home(), 'dist', 'THIRD-PARTY-LICENSES'), 'utf8');
    const {devDependencies} = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const name of ['xstate', 'zod', 'commander', 'ink', 'react', 'execa', 'lowdb', 'ws']) {
      expect(devDependencies, name).toHaveProperty(name);
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  test.each([
    ['README.md', / ([\d.]+) MB to download/, 'toDownload'],
    ['README.md', / ([\d.]+) MB unpacked/, 'unpacked'],
    ['CHANGELOG.md', /One package of ([\d.]+) MB/, 'unpacked'],
  ] as const)('%s names its size: %s', (page, pattern, size) => {
    const [, named] = pattern.exec(readFileSync(page, 'utf8')) ?? [];
    expect(Math.abs(Number(named) - megabytes[size])).toBeLessThan(0.1);
  });

  test('runs the demo under its own name, without an install', async () => {
    const demo = path.join(temporaryFolder(), 'demo');
    const {exitCode, all} = await run('npm', [
      ...['exec', '--yes', '--offline', `--package=${tarball}`, '--'],
      ...['blackbird-cli', 'demo', demo],
    ]);
    expect(exitCode, all).toBe(0);
    expect(all).toContain('done');
    // There is no clone to link.
    expect(all).toContain('\n  npm install -g <package>          the package you just ran');
    expect(all).not.toContain('npm link');
  });

  test('doctor finds nothing wrong with it', async () => {
    const project = temporaryFolder();
    await run('blackbird', ['init'], project);
    // No agent is reachable from here.
    await run('blackbird', ['agents', 'use', 'demo'], project);
    const {all, exitCode} = await run('blackbird', ['doctor'], project);
    expect(exitCode, all).toBe(0);
  });

  test.skipIf(!hasTmux)('the terminal UI draws its first frame', async () => {
    const folder = temporaryFolder();
    await run('blackbird', ['init'], folder);
    const terminal = openTerminal({folder, env});
    terminal.type('blackbird');
    await terminal.until('q quit');
  });

  test('the inspector serves its page', async () => {
    const folder = temporaryFolder();
    await run('blackbird', ['init'], folder);
    await run('blackbird', ['add', '--id', 'a', '--title', 'A', '--prompt', 'demo: print hello'], folder);
    await run('blackbird', ['execute', '--agent', 'demo'], folder);
    const inspecting = execa('blackbird', ['inspect', 'a'], {
      cwd: folder,
      env,
      extendEnv: false,
      reject: false,
    });
    let said = '';
    inspecting.stderr.on('data', (chunk) => {
      said += chunk;
    });
    inspecting.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const url = await addressIn(() => said);
    expect(await (await fetch(url)).text()).toContain('<title>');
    inspecting.kill('SIGINT');
    await inspecting;
  });
});

test('an old Node is refused in one line', async () => {
  const old = path.join(temporaryFolder(), 'old.cjs');
  writeFileSync(
    old,
    `Object.defineProperties(process, {version: {value: 'v18.20.8'}, versions: {value: {node: '18.20.8'}}})`,
  );
  const {exitCode, stdout, stderr} = await run(process.execPath, ['--require', old, builtCli, 'list']);
  expect({exitCode, stdout, stderr}).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error: blackbird needs Node.js 20 or newer; this is v18.20.8',
  });
});
