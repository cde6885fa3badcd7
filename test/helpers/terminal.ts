import {execFileSync, spawnSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {expect, onTestFinished} from 'vitest';
import type {EngineProject} from './engine-project.ts';
import {eventually} from './eventually.ts';
import {temporaryFolder} from './temp-folder.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A real terminal with a shell in it. */
export type Terminal = {
  /** Types a line and presses return. */
  type(line: string): void;
  /** Presses keys by tmux's names for them, such as `C-c`. */
  press(...keys: readonly string[]): void;
  /** Everything the terminal shows, without the blanks at the end of lines. */
  screen(): string;
  /** Waits for a text to appear and returns what is behind its last appearance. */
  until(text: string | RegExp, timeout?: number): Promise<string>;
  /** Pastes as a terminal does, marked when the program asked for marks. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Only what is seen now, without what was scrolled away. */
  visible(): string;
  /** Closes the window, as a person does. */
  close(): void;
};

/** Opens a tmux on a socket of its own, in the project's folder and with its environment. */
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
  return {
    type: (line) => {
      // At once, so that nobody takes what was there before for what the line leads to.
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
