import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import {runTui} from '../../src/ui/run-tui.tsx';
import {tuiProject} from './tui-project.tsx';

/** A terminal that shows nothing and on which nobody types. */
function silentTerminal() {
  const stdin = Object.assign(new EventEmitter(), {
    ...{isTTY: true, setEncoding() {}, setRawMode() {}, resume() {}, pause() {}, ref() {}, unref() {}},
    read: () => null,
  });
  const stdout = Object.assign(new EventEmitter(), {
    ...{isTTY: true, columns: 80, rows: 24},
    write: (_text: string, done?: () => void) => {
      done?.();
      return true;
    },
  });
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    ...{hasColor: false, hasTitle: false},
  };
}

test('a signal that comes while another program has the terminal ends it when that is over', async () => {
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
