import {execFileSync, spawnSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {expect, onTestFinished} from 'vitest';
import type {EngineProject} from './engine-project.ts';
import {eventually} from './eventually.ts';
import {temporaryFolder} from './temp-folder.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A real terminal with a shell in it. */
export type Terminal = {
  /** Types a line and presses Return. */
  type(line: string): void;
  /** Presses keys by their tmux names, such as `C-c`. */
  press(...keys: readonly string[]): void;
  /** The whole content of the terminal, without trailing spaces. */
  screen(): string;
  /** Waits for a text to appear and returns what follows its last occurrence. */
  until(text: string | RegExp, timeout?: number): Promise<string>;
  /** Pastes as a terminal does, bracketed if the program asked for it. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Only what is visible now, without the scrollback. */
  visible(): string;
  /** Closes the window, as a user does. */
  close(): void;
};

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Opens a tmux on its own socket, in the project's folder and with its environment. */
export function openTerminal({
  folder,
  env,
  columns = 150,
  rows = 50,
}: Pick<EngineProject, 'folder' | 'env'> & {
  readonly columns?: number;
  readonly rows?: number;
}): Terminal {
  const sockets = temporaryFolder();
  const name = `blackbird-${randomBytes(4).toString('hex')}`;
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', name, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: {...env, TMUX_TMPDIR: sockets, TERM: 'xterm-256color'} as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  // The prompt shows the exit code of the last command.
  const shell = ['env', 'PS1=[$?]> ', 'NO_COLOR=1', 'bash', '--norc', '--noprofile', '-i'];
  const resize = (x: number, y: number) =>
    void tmux('resize-window', '-t', 'test', '-x', `${x}`, '-y', `${y}`);
  const size = ['-x', `${columns}`, '-y', `${rows}`];
  tmux('new-session', '-d', '-s', 'test', ...size, '-c', folder, ...shell);
  // Its status line would take one of the rows.
  tmux('set-option', '-g', 'status', 'off');
  resize(columns, rows);
  onTestFinished(() => {
    try {
      tmux('kill-server');
    } catch {
      // The window was closed, and the server with it.
    }
  });

  const capture = (...args: readonly string[]) =>
    tmux('capture-pane', '-p', ...args, '-t', 'test')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  const screen = () => capture('-J', '-S', '-');
  // What is typed before the shell's first prompt would be echoed twice, and the prompt pass for the end of a command.
  while (!screen().startsWith('[0]>')) Atomics.wait(pause, 0, 0, 10);
  return {
    type: (line) => {
      // At once, so that old content is not mistaken for the line's output.
      if (line.startsWith('clear;')) {
        tmux('send-keys', '-R', '-t', 'test');
        tmux('clear-history', '-t', 'test');
      }
      tmux('send-keys', '-t', 'test', '-l', line);
      tmux('send-keys', '-t', 'test', 'Enter');
    },
    press: (...keys) => void tmux('send-keys', '-t', 'test', ...keys),
    screen,
    until: (text, timeout) =>
      eventually(() => {
        const shown = screen();
        expect(shown).toMatch(text);
        return shown;
      }, timeout),
    paste: (text) => {
      tmux('set-buffer', text);
      tmux('paste-buffer', '-p', '-t', 'test');
    },
    resize,
    visible: () => capture(),
    close: () => void tmux('kill-session', '-t', 'test'),
  };
}
