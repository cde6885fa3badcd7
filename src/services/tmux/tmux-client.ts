import {type ChildProcess, spawn} from 'node:child_process';
import {setTimeout as delay} from 'node:timers/promises';
import {AppError, systemErrorCode} from '../contracts/errors.ts';
import type {CommandEnd, TmuxClient} from '../contracts/tmux.ts';
import {runProgram} from '../system/run-program.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The first call may start the server, which runs whatever the user's configuration says. */
const timeLimitMs = 30_000;

/** tmux on its usual server: that of `$TMUX`, else the user's default. */
export function createTmuxClient(env: Env): TmuxClient {
  const run = async (args: readonly string[]) => {
    const result = await runProgram({file: 'tmux', args, env, timeLimitMs});
    if (result.type === 'notFound') throw notInstalled();
    if (result.type === 'failed') throw failure(args, result.reason);
    return result;
  };
  const must = async (args: readonly string[]) => {
    for (let attempt = 1; ; attempt++) {
      const {code, stderr} = await run(args);
      if (code === 0) return;
      if (attempt > retries || !isLeaving.test(stderr)) throw failure(args, `exit=${code}`, stderr);
      await delay(retryMilliseconds);
    }
  };

  return {
    hasSession: async (name) => {
      const args = ['has-session', '-t', exactly(name)];
      const {code, stderr} = await run(args);
      if (code > 1 || isOutOfReach(stderr)) throw failure(args, `exit=${code}`, stderr);
      return code === 0;
    },
    newSession: async ({name, cwd, argv, env: added}) => {
      if (argv.length === 0) throw new Error('a session needs a command');
      const variables = Object.entries(added).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
      const where = ['-d', '-s', name, '-c', literally(cwd), ...variables];
      // In one call: tmux handles the end of a command only after the whole call.
      const keep = [';', 'set-option', '-w', '-t', `${exactly(name)}:`, 'remain-on-exit', 'on'];
      await must(['new-session', ...where.map(argument), '--', ...argv.map(argument), ...keep]);
    },
    release: async (name) => {
      const target = ['-t', `${exactly(name)}:`];
      // Reset only while the command runs, in the same call: a dead pane would vanish with its last lines.
      const letGo = `set-option -w -u -t '${exactly(name)}:' remain-on-exit`;
      const args = ['if-shell', '-F', ...target, '#{?pane_dead,,1}', letGo];
      const {code, stdout, stderr} = await run(['list-panes', ...target, '-F', paneFormat, ';', ...args]);
      if (code !== 0) {
        if (!isGone.test(stderr)) throw failure(args, `exit=${code}`, stderr);
        return {exitCode: null, signal: null, lastLines: []};
      }
      let end = commandEnd(stdout);
      if (end === null) return null;
      // A pane is dead once its terminal is closed; tmux learns the exit status a moment later, and sometimes
      // only when another child of it exits.
      for (let look = 0; look < 20 && end?.exitCode === null && end.signal === null; look++) {
        await delay(25);
        await run(['run-shell', 'true']);
        end = commandEnd((await run(['list-panes', ...target, '-F', paneFormat])).stdout) ?? end;
      }
      const screen = await run(['capture-pane', '-p', '-J', '-S', '-', ...target]);
      return {...end, lastLines: lastLinesOf(screen.stdout)};
    },
    attach: (name) => {
      // A client inside tmux cannot nest another one, but it can switch.
      const isInside = Boolean(env.TMUX);
      return show(isInside ? ['switch-client', '-t', exactly(name)] : ['attach', '-t', exactly(name)], env);
    },
    killSession: async (name) => {
      const args = ['kill-session', '-t', exactly(name)];
      const {code, stderr} = await run(args);
      if (code !== 0 && !isGone.test(stderr)) throw failure(args, `exit=${code}`, stderr);
    },
    captureScreen: async (name) => {
      const args = ['capture-pane', '-p', '-t', `${exactly(name)}:`];
      const {code, stdout, stderr} = await run(args);
      if (code !== 0 && !isGone.test(stderr)) throw failure(args, `exit=${code}`, stderr);
      return code === 0 ? stdout.trimEnd().split('\n').slice(-maxScreenLines) : null;
    },
    sendKeys: async (name, keys) => {
      if (keys.length === 0) throw new Error('there are no keys to send');
      await must(['send-keys', '-t', `${exactly(name)}:`, ...keys.map(argument)]);
    },
    listSessions: async () => {
      const {code, stdout} = await run(['list-sessions', '-F', '#{session_name}']);
      return code === 0 ? stdout.split('\n').filter((name) => name !== '') : [];
    },
  };
}

/** Without `=`, tmux would match any session by prefix or pattern. */
const exactly = (name: string) => `=${name}`;

/** tmux expands formats in folders, and formats can run commands. */
const literally = (folder: string) => folder.replaceAll('#', '##');

/** A semicolon at the end of an argument would start the next tmux command. */
const argument = (text: string) => (text.endsWith(';') ? `${text.slice(0, -1)}\\;` : text);

const paneFormat = '#{pane_dead} #{pane_dead_status} #{pane_dead_signal}';

/** How the first pane's command ended; null while it runs. */
function commandEnd(panes: string): Omit<CommandEnd, 'lastLines'> | null {
  const [isDead, status = '', signal = ''] = (panes.split('\n')[0] ?? '').split(' ');
  if (isDead !== '1') return null;
  return {exitCode: status === '' ? null : Number(status), signal: signal === '' ? null : signal};
}

/** No terminal is taller than this. */
const maxScreenLines = 500;

const [lineCount, lineLength] = [10, 500];

/** The last lines of a command's output, without the line tmux adds. */
function lastLinesOf(screen: string): readonly string[] {
  return screen
    .split('\n')
    .map((line) => line.trimEnd().slice(0, lineLength))
    .filter((line) => line !== '' && !/^Pane is dead\b/.test(line))
    .slice(-lineCount);
}

/**
 * A server whose last session was killed takes a moment to exit, and rejects calls until then. A restart does
 * just that.
 */
const isLeaving = /server exited unexpectedly|lost server/;
const [retries, retryMilliseconds] = [200, 50];

const isGone =
  /no server running|can't find session|no sessions|session not found|no such window|no current target|server exited unexpectedly|lost server|error connecting to .*\((No such file or directory|Connection refused)\)/;

/** There is a server that does not respond: whether the session runs is unknown. */
const isOutOfReach = (stderr: string) => stderr.startsWith('error connecting to') && !isGone.test(stderr);

/** Gives our terminal to tmux until the user leaves it. */
function show(args: readonly string[], env: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without free file descriptors there are no pipes; the error event says so.
    const child: ChildProcess = spawn('tmux', args, {env, stdio: ['inherit', 'inherit', 'pipe']});
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', (error) => {
      reject(systemErrorCode(error) === 'ENOENT' ? notInstalled() : failure(args, error.message));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(failure(args, `exit=${code ?? signal}`, stderr));
    });
  });
}

function notInstalled(): AppError {
  return new AppError('E_TMUX_NOT_INSTALLED', 'tmux is not installed or not on PATH');
}

function failure(args: readonly string[], how: string, stderr = ''): AppError {
  const said = stderr.trim().slice(0, 4096);
  const [command = ''] = args;
  return new AppError('E_TMUX_FAILED', `tmux ${command} failed (${how})${said === '' ? '' : `: ${said}`}`);
}
