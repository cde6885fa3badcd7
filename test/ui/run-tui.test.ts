import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import {AppError} from '../../src/services/contracts/errors.ts';
import {runTui} from '../../src/ui/run-tui.tsx';
import {eventually} from '../helpers/eventually.ts';
import {keys, tuiProject} from './tui-project.tsx';

/** A terminal that shows nothing. */
function silentTerminal() {
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setEncoding() {},
    setRawMode() {},
    resume() {},
    pause() {},
    ref() {},
    unref() {},
    data: null as string | null,
    read() {
      const {data: typed} = this;
      this.data = null;
      return typed;
    },
  });
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (_text: string, done?: () => void) => {
      done?.();
      return true;
    },
  });
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    hasColor: false,
    hasTitle: false,
    isRead: () => stdin.listenerCount('readable') > 0,
    type: (text: string) => {
      stdin.data = text;
      stdin.emit('readable');
    },
  };
}

test('a signal that arrives while another program has the terminal ends it when that program exits', async () => {
  const {tui, leave} = tuiProject();
  leave();
  let isShown = false;
  tui.ports.programs.run = async () => {
    isShown = true;
    tui.send({type: 'tui.leave', reason: 'terminated'});
  };
  const over = runTui(tui, silentTerminal());
  tui.patch({handover: {type: 'program', program: {type: 'pager', patch: ''}}});
  await over;
  expect(isShown).toBe(true);
  expect(tui.get().ui.hasTag('gone')).toBe(true);
});

test('a key closes the dialog that was open when the terminal came back, and nothing behind it', async () => {
  const {tui, leave} = tuiProject();
  leave();
  tui.send({type: 'screen.sessions'});
  tui.ports.sessions.resume = async () => {
    throw new AppError('E_TMUX_FAILED', 'no current client');
  };
  const terminal = silentTerminal();
  const over = runTui(tui, terminal);
  tui.patch({handover: {type: 'session', id: '1'}});
  await eventually(() => expect([tui.get().handover, terminal.isRead()]).toEqual([null, true]));
  expect(tui.get().ui.context.dialog).toMatchObject({type: 'message', title: 'no current client'});
  terminal.type(keys.escape);
  await eventually(() => expect(tui.get().ui.context.dialog).toBe(null));
  expect(tui.facts().screen).toBe('sessions');
  tui.send({type: 'tui.leave', reason: 'user_interrupt'});
  await over;
});
