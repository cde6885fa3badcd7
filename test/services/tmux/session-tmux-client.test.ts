import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {TmuxClient} from '../../../src/services/contracts/tmux.ts';
import {createTmuxClient} from '../../../src/services/tmux/tmux-client.ts';
import {createFakeTmux} from '../../fakes/fake-tmux.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A client with its own server, which ends with the test. */
function realTmux() {
  const folder = temporaryFolder();
  const env = {PATH: process.env.PATH, HOME: folder, TMUX_TMPDIR: folder, LANG: 'C.UTF-8', SHELL: '/bin/sh'};
  const tmux = (...args: readonly string[]) => execFileSync('tmux', args, {env, encoding: 'utf8'}).trim();
  onTestFinished(() => void spawnSync('tmux', ['kill-server'], {env}));
  return {client: createTmuxClient(env), folder, env, tmux};
}

const session = (name: string) => ({name, cwd: '/', argv: ['sleep 1000'], env: {}});

describe.each<{kind: string; isThere: boolean; create: () => TmuxClient}>([
  {kind: 'fake', isThere: true, create: createFakeTmux},
  {kind: 'real', isThere: hasTmux, create: () => realTmux().client},
])('the $kind tmux client', ({isThere, create}) => {
  describe.skipIf(!isThere)('meets the contract', () => {
    test('without a server there are no sessions, and that is no error', async () => {
      const client = create();
      expect(await client.hasSession('agency_1')).toBe(false);
      expect(await client.listSessions()).toEqual([]);
      await client.killSession('agency_1');
    });

    test('a started session exists until it is killed', async () => {
      const client = create();
      await client.newSession(session('agency_1'));
      expect(await client.hasSession('agency_1')).toBe(true);
      expect(await client.listSessions()).toEqual(['agency_1']);
      await client.killSession('agency_1');
      expect(await client.hasSession('agency_1')).toBe(false);
      await client.killSession('agency_1');
    });

    test('a missing session has no screen, and never that of another', async () => {
      const client = create();
      expect(await client.captureScreen('agency_1')).toBeNull();
      await client.newSession(session('agency_12'));
      expect(await client.captureScreen('agency_1')).toBeNull();
      expect(await client.captureScreen('agency_12')).not.toBeNull();
    });

    test('a name is neither a prefix nor a pattern', async () => {
      const client = create();
      await client.newSession(session('agency_1-a3f2'));
      for (const near of ['agency_1-a3f', 'agency_', 'agency_*', '?gency_1-a3f2', 'agency_1-a3f22']) {
        expect(await client.hasSession(near), near).toBe(false);
        await client.killSession(near);
        expect((await rejectionOf(client.sendKeys(near, ['C-c']))).code, near).toBe('E_TMUX_FAILED');
        expect((await rejectionOf(client.attach(near))).code, near).toBe('E_TMUX_FAILED');
      }
      expect(await client.listSessions()).toEqual(['agency_1-a3f2']);
    });

    test('of two names, one a prefix of the other, only the requested one is killed', async () => {
      const client = create();
      await client.newSession(session('agency_1'));
      await client.newSession(session('agency_12'));
      await client.killSession('agency_1');
      expect(await client.listSessions()).toEqual(['agency_12']);
    });

    test('a session with a running command is released silently, one that is gone without its result', async () => {
      const client = create();
      await client.newSession(session('agency_1'));
      expect(await client.release('agency_1')).toBe(null);
      expect(await client.hasSession('agency_1')).toBe(true);
      expect(await client.release('agency_2')).toEqual({exitCode: null, signal: null, lastLines: []});
    });

    test('a second session with the same name is refused', async () => {
      const client = create();
      await client.newSession(session('agency_1'));
      expect(await rejectionOf(client.newSession(session('agency_1')))).toMatchObject({
        code: 'E_TMUX_FAILED',
        message: 'tmux new-session failed (exit=1): duplicate session: agency_1',
      });
    });

    test('nothing to run and no keys to send are bugs of the caller', async () => {
      const client = create();
      await expect(client.newSession({...session('agency_1'), argv: []})).rejects.toThrow('needs a command');
      await expect(client.sendKeys('agency_1', [])).rejects.toThrow('no keys');
      expect(await client.listSessions()).toEqual([]);
    });
  });
});

describe.skipIf(!hasTmux)('the real tmux', () => {
  test('one argument is a shell command line, run in the folder with its environment', async () => {
    const {client, folder} = realTmux();
    const line = 'printf "%s|%s" "$PWD" "$A" > out; exec sleep 1000';
    await client.newSession({name: 's', cwd: folder, argv: [line], env: {A: 'b c;'}});
    await eventually(() => expect(readFileSync(path.join(folder, 'out'), 'utf8')).toBe(`${folder}|b c;`));
  });

  test('several arguments are run as they are', async () => {
    const {client, folder} = realTmux();
    const file = path.join(folder, 'a b$(false);');
    await client.newSession({name: 's', cwd: folder, argv: ['touch', file], env: {}});
    await eventually(() => expect(readdirSync(folder)).toContain('a b$(false);'));
  });

  test.each(['#(touch $HOME.pwned)', '#{session_name}', '#S', '##', 'a;', 'b\\;', '-t', "it's"])(
    'a folder named %j is only a folder',
    async (name) => {
      const {client, folder, tmux} = realTmux();
      const cwd = path.join(folder, name);
      mkdirSync(cwd);
      await client.newSession({name: 's', cwd, argv: ['sleep 1000'], env: {}});
      await eventually(() =>
        expect(tmux('display-message', '-p', '-t', '=s:', '#{pane_current_path}')).toBe(cwd),
      );
      expect(existsSync(`${folder}.pwned`)).toBe(false);
    },
  );

  test.each([
    {
      line: 'echo one; echo two >&2; sleep 1; exit 3',
      end: {exitCode: 3, signal: null, lastLines: ['one', 'two']},
    },
    {line: 'exit 0', end: {exitCode: 0, signal: null, lastLines: []}},
    {line: 'kill -9 $$', end: {exitCode: null, signal: '9', lastLines: []}},
    {
      line: 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo $i; done; sleep 1; exit 1',
      end: {exitCode: 1, signal: null, lastLines: Array.from({length: 10}, (_, at) => String(41 + at))},
    },
  ])('$line: its exit and last lines are kept until it is killed', async ({line, end}) => {
    const {client, folder, tmux} = realTmux();
    await client.newSession({name: 's', cwd: folder, argv: [line], env: {}});
    await eventually(() => expect(tmux('list-panes', '-t', '=s:', '-F', '#{pane_dead}')).toBe('1'));
    expect(await client.release('s')).toEqual(end);
    await client.killSession('s');
    expect(await client.hasSession('s')).toBe(false);
  });

  test('a released session ends with its command', async () => {
    const {client, folder} = realTmux();
    const line = 'while ! [ -e stop ]; do sleep 0.05; done';
    await client.newSession({name: 's', cwd: folder, argv: [line], env: {}});
    expect(await client.release('s')).toBe(null);
    writeFileSync(path.join(folder, 'stop'), '');
    await eventually(async () => expect(await client.hasSession('s')).toBe(false));
  });

  test('its screen is what it shows now, without colours', async () => {
    const {client} = realTmux();
    await client.newSession({
      name: 's',
      cwd: '/',
      argv: ["printf '\\033[31mred\\033[0m\\nlast\\n'; sleep 1000"],
      env: {},
    });
    await eventually(async () => expect(await client.captureScreen('s')).toEqual(['red', 'last']));
  });

  test('keys reach the program', async () => {
    const {client, folder} = realTmux();
    const line = "trap 'touch stopped; exit' INT; touch begun; while :; do sleep 0.1; done";
    await client.newSession({name: 's', cwd: folder, argv: [line], env: {}});
    await eventually(() => expect(readdirSync(folder)).toContain('begun'));
    await client.sendKeys('s', ['C-c']);
    await eventually(() => expect(readdirSync(folder)).toContain('stopped'));
  });

  test('a session can start right after the last one was killed', async () => {
    const {client} = realTmux();
    for (let round = 0; round < 20; round++) {
      await client.newSession(session('s'));
      await client.killSession('s');
    }
    await client.newSession(session('s'));
    expect(await client.listSessions()).toEqual(['s']);
  });

  test('inside tmux the client switches instead of nesting', async () => {
    const {client, env} = realTmux();
    await client.newSession(session('s'));
    const inside = createTmuxClient({
      ...env,
      TMUX: `${env.TMUX_TMPDIR}/tmux-${process.getuid?.()}/default,1,0`,
    });
    expect((await rejectionOf(inside.attach('s'))).message).toBe(
      'tmux switch-client failed (exit=1): no current client',
    );
  });
});

describe('a tmux that does not work as expected', () => {
  const standIn = (script: string) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'tmux'), `#!/bin/sh\n${script}\n`, {mode: 0o755});
    return createTmuxClient({PATH: `${folder}:/usr/bin:/bin`});
  };

  test('missing is told apart from failing', async () => {
    const client = createTmuxClient({PATH: temporaryFolder()});
    for (const call of [client.hasSession('s'), client.attach('s'), client.listSessions()]) {
      expect(await rejectionOf(call)).toMatchObject({
        code: 'E_TMUX_NOT_INSTALLED',
        message: 'tmux is not installed or not on PATH',
      });
    }
  });

  test.each([
    {code: 0, expected: true},
    {code: 1, expected: false},
  ])('exit code $code of has-session means $expected', async ({code, expected}) => {
    expect(await standIn(`exit ${code}`).hasSession('s')).toBe(expected);
  });

  test('any other exit code is a failure, with its message', async () => {
    expect(await rejectionOf(standIn('echo boom >&2; exit 2').hasSession('s'))).toMatchObject({
      code: 'E_TMUX_FAILED',
      message: 'tmux has-session failed (exit=2): boom',
    });
  });

  test.each([
    {reason: 'No such file or directory', isKnown: true},
    {reason: 'Connection refused', isKnown: true},
    {reason: 'Permission denied', isKnown: false},
  ])('an unreachable server ($reason) has no sessions: $isKnown', async ({reason, isKnown}) => {
    const client = standIn(`echo 'error connecting to /tmp/x/default (${reason})' >&2; exit 1`);
    const said = `failed (exit=1): error connecting to /tmp/x/default (${reason})`;
    if (isKnown) {
      expect(await client.hasSession('s')).toBe(false);
      await client.killSession('s');
    } else {
      expect((await rejectionOf(client.hasSession('s'))).message).toBe(`tmux has-session ${said}`);
      expect((await rejectionOf(client.killSession('s'))).message).toBe(`tmux kill-session ${said}`);
    }
  });

  test('a kill that fails for a reason other than absence is a failure', async () => {
    expect(await rejectionOf(standIn('echo no >&2; exit 1').killSession('s'))).toMatchObject({
      message: 'tmux kill-session failed (exit=1): no',
    });
  });

  test('every call has exact arguments', async () => {
    const log = path.join(temporaryFolder(), 'log');
    const client = standIn(`printf '%s\\n' "$*" >> '${log}'`);
    await client.hasSession('s');
    await client.newSession({name: 's', cwd: '/w', argv: ['claude --x'], env: {K: 'v'}});
    await client.release('s');
    await client.killSession('s');
    await client.sendKeys('s', ['C-c']);
    await client.attach('s');
    await client.listSessions();
    expect(readFileSync(log, 'utf8').split('\n').slice(0, -1)).toEqual([
      'has-session -t =s',
      'new-session -d -s s -c /w -e K=v -- claude --x ; set-option -w -t =s: remain-on-exit on',
      "list-panes -t =s: -F #{pane_dead} #{pane_dead_status} #{pane_dead_signal} ; if-shell -F -t =s: #{?pane_dead,,1} set-option -w -u -t '=s:' remain-on-exit",
      'kill-session -t =s',
      'send-keys -t =s: C-c',
      'attach -t =s',
      'list-sessions -F #{session_name}',
    ]);
  });
});
