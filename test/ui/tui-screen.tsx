import {EventEmitter} from 'node:events';
import {render} from 'ink';
import {expect, onTestFinished} from 'vitest';
import {App} from '../../src/ui/app.tsx';
import type {TuiPorts} from '../../src/ui/ports.ts';
import {ThemeProvider} from '../../src/ui/theme.tsx';
import {createTui} from '../../src/ui/tui.ts';
import {TuiProvider} from '../../src/ui/tui-context.tsx';
import {eventually} from '../helpers/eventually.ts';

export const keys = {
  up: '\x1b[A',
  down: '\x1b[B',
  left: '\x1b[D',
  right: '\x1b[C',
  enter: '\r',
  escape: '\x1b',
  ctrlC: '\x03',
  ctrlS: '\x13',
  tab: '\t',
  shiftTab: '\x1b[Z',
  pageDown: '\x1b[6~',
  backspace: '\x7f',
  space: ' ',
};

/** The whole terminal UI on a virtual terminal. */
export function tuiScreen(ports: TuiPorts, {columns, rows} = {columns: 80, rows: 24}) {
  const size = {columns, rows};
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    frame: '',
    frames: 0,
    write(text: string) {
      this.frame = text;
      this.frames++;
      return true;
    },
  });
  Object.defineProperties(stdout, {columns: {get: () => size.columns}, rows: {get: () => size.rows}});
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    data: null as string | null,
    setEncoding() {},
    setRawMode() {},
    resume() {},
    pause() {},
    ref() {},
    unref() {},
    read() {
      const {data: sent} = this;
      this.data = null;
      return sent;
    },
  });
  const tui = createTui(ports);
  tui.resize({...size});
  const close = tui.open();
  const instance = render(
    <ThemeProvider hasColor={false}>
      <TuiProvider value={tui}>
        <App />
      </TuiProvider>
    </ThemeProvider>,
    {
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stdout as unknown as NodeJS.WriteStream,
      debug: true,
      exitOnCtrlC: false,
      patchConsole: false,
    },
  );
  const leave = () => {
    instance.unmount();
    close();
  };
  onTestFinished(leave);

  const screen = () => stdout.frame.replace(/\x1b\[[0-9;]*m/g, '');
  return {
    tui,
    /** For a test that opens many: an open one is redrawn repeatedly. */
    leave,
    screen,
    lines: () => screen().split('\n'),
    frames: () => stdout.frames,
    /** What is typed at once. */
    press: (...sent: readonly string[]) => {
      for (const each of sent) {
        stdin.data = each;
        stdin.emit('readable');
        stdin.emit('data', each);
      }
    },
    sees: (text: string | RegExp) => eventually(() => expect(screen()).toMatch(text)),
    seesNot: (text: string | RegExp) => eventually(() => expect(screen()).not.toMatch(text)),
    resize: (columns: number, rows: number) => {
      Object.assign(size, {columns, rows});
      tui.resize({columns, rows});
      stdout.emit('resize');
    },
    isGone: () => tui.get().ui.hasTag('gone'),
  };
}
