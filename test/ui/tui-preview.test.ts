import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {SessionRow} from '../../src/ui/ports.ts';
import type {TuiCore} from '../../src/ui/tui-core.ts';
import {createPreview} from '../../src/ui/tui-preview.ts';

beforeEach(() => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
});
afterEach(() => {
  vi.useRealTimers();
});

const session = (id: string) => ({id, isRunning: true}) as SessionRow;

function previewOf(first: {isGone?: boolean; handover?: object | null} = {}) {
  const seen = {isGone: false, handover: null as object | null, ...first};
  let list = {index: 0, query: '', sessions: [session('a'), session('b')], preview: null};
  const asked: string[] = [];
  const core = {
    get: () => ({list, handover: seen.handover, ui: {hasTag: () => seen.isGone}}),
    facts: () => ({screen: 'sessions'}),
    patch: (part: {list: typeof list}) => {
      ({list} = part);
      preview.follow();
    },
  } as unknown as TuiCore;
  const screen = async (id: string) => {
    asked.push(id);
    return [`${id} works`];
  };
  const preview = createPreview(core, {sessions: {screen}} as unknown as Parameters<typeof createPreview>[1]);
  return {
    asked,
    preview,
    seen,
    shown: () => list.preview,
    select: (index: number) => core.patch({list: {...list, index}} as never),
  };
}

test('the selected session is read every second, and only that one', async () => {
  const {asked, preview, select, shown} = previewOf();
  preview.follow();
  select(1);
  select(0);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(asked).toEqual(['a', 'b', 'a', 'a', 'a']);
  expect(shown()).toEqual({id: 'a', lines: ['a works']});
});

test.each([{isGone: true}, {handover: {type: 'session', id: 'a'}}])(
  'a list that arrives while it is not visible starts no watch: %j',
  async (first) => {
    const {asked, preview} = previewOf(first);
    preview.follow();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(asked).toEqual([]);
  },
);

test('the watch ends with the screen, and starts again when it is back', async () => {
  const {asked, preview, seen} = previewOf();
  preview.follow();
  await vi.advanceTimersByTimeAsync(0);
  seen.handover = {type: 'session', id: 'a'};
  preview.follow();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(asked).toEqual(['a']);
  seen.handover = null;
  preview.follow();
  expect(asked).toEqual(['a', 'a']);
});
