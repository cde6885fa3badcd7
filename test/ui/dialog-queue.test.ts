import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {TuiCommand, TuiSnapshot} from '../../src/machines/tui.machine.ts';
import type {Dialog} from '../../src/machines/tui-dialogs.ts';
import {createDialogQueue} from '../../src/ui/dialog-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance']});
});
afterEach(() => {
  vi.useRealTimers();
});

const checkpoint: Dialog = {type: 'checkpoint', taskId: 'a'};
const open: TuiCommand = {type: 'dialog.open', dialog: checkpoint};

function queueOn({isSearching = false} = {}) {
  const sent: TuiCommand[] = [];
  let dialog: Dialog | null = null;
  let keyAt = Number.NEGATIVE_INFINITY;
  let isWriting = isSearching;
  const snapshot = () => ({context: {dialog}, hasTag: () => isWriting}) as unknown as TuiSnapshot;
  const send = (command: TuiCommand) => {
    sent.push(command);
    if (command.type === 'dialog.open') ({dialog} = command);
  };
  const queue = createDialogQueue(send, snapshot, () => performance.now() - keyAt);
  return {
    sent,
    queue,
    press: () => {
      keyAt = performance.now();
      queue.next();
    },
    stopWriting: () => {
      isWriting = false;
      queue.next();
    },
  };
}

test('a question opens at once when no keys are pressed', () => {
  const {sent, queue} = queueOn();
  queue.ask(checkpoint);
  expect(sent).toEqual([open]);
});

test('while keys are pressed it waits until there was none for 300 ms', () => {
  const {sent, queue, press} = queueOn();
  press();
  queue.ask(checkpoint);
  vi.advanceTimersByTime(200);
  press();
  vi.advanceTimersByTime(299);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([open]);
});

test('it waits for a search, and for the previous dialog', () => {
  const {sent, queue, stopWriting} = queueOn({isSearching: true});
  queue.ask(checkpoint);
  queue.ask({type: 'questions', taskId: 'b'});
  expect(sent).toEqual([]);
  stopWriting();
  expect(sent).toEqual([open]);
});

test('a question that is no longer needed does not open afterwards', () => {
  const {sent, queue, press} = queueOn();
  press();
  queue.ask(checkpoint);
  queue.revise(({type}) => (type === 'checkpoint' ? null : checkpoint));
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual([]);
});
