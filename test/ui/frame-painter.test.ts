import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import {createFramePainter} from '../../src/ui/screen/frame-painter.ts';

function painted(rows = 4, hasTitle = false) {
  const written: string[] = [];
  const waiting: Array<() => void> = [];
  const terminal = Object.assign(new EventEmitter(), {
    columns: 20,
    rows,
    write: (text: string, done?: () => void) => {
      written.push(text);
      if (done) waiting.push(done);
      return true;
    },
  });
  const painter = createFramePainter(terminal as never, {hasTitle});
  return {
    ...painter,
    terminal,
    draw: (frame: string) => void painter.stdout.write(frame),
    /** What was written since the last call; the terminal is ready for more. */
    taken: () => {
      const all = written.splice(0);
      for (const done of waiting.splice(0)) done();
      return all.map((text) => text.replaceAll(/\x1b\[\?2026[hl]/g, ''));
    },
  };
}

test('only changed lines are written, each in its place', () => {
  const {enter, draw, taken} = painted();
  enter();
  taken();
  draw('a\nb\nc');
  expect(taken()).toEqual(['\x1b[1;1H\x1b[2Ka\x1b[2;1H\x1b[2Kb\x1b[3;1H\x1b[2Kc']);
  draw('a\nB\nc');
  expect(taken()).toEqual(['\x1b[2;1H\x1b[2KB']);
  draw('a\nB\nc');
  expect(taken()).toEqual([]);
  draw('a');
  expect(taken()).toEqual(['\x1b[2;1H\x1b[2K\x1b[3;1H\x1b[2K']);
});

test('a frame never scrolls the terminal', () => {
  const {enter, draw, taken} = painted(2);
  enter();
  taken();
  draw('a\nb\nc\nd');
  expect(taken()).toEqual(['\x1b[1;1H\x1b[2Ka\x1b[2;1H\x1b[2Kb']);
});

test('a slow terminal gets the newest frame and none in between', () => {
  const {enter, draw, taken} = painted();
  enter();
  taken();
  for (const frame of ['1', '2', '3']) draw(frame);
  expect(taken()).toEqual(['\x1b[1;1H\x1b[2K1']);
  expect(taken()).toEqual(['\x1b[1;1H\x1b[2K3']);
});

test('after a resize everything is written again', () => {
  const {enter, draw, taken, terminal} = painted();
  enter();
  draw('a\nb');
  taken();
  terminal.emit('resize');
  draw('a\nb');
  expect(taken()).toEqual(['\x1b[2J', '\x1b[1;1H\x1b[2Ka\x1b[2;1H\x1b[2Kb']);
});

test('the terminal is restored once, as it was', () => {
  const {enter, leave, draw, taken, terminal} = painted();
  enter();
  expect(taken()).toEqual(['\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h']);
  leave();
  leave();
  expect(taken()).toEqual(['\x1b[?2004l\x1b[?25h\x1b[?1049l']);
  draw('late');
  terminal.emit('resize');
  expect(taken()).toEqual([]);
  expect(terminal.listenerCount('resize')).toBe(0);
});

test('the mouse wheel is captured only while the screen is, and released with it', () => {
  const {enter, leave, setMouse, taken} = painted();
  setMouse(true);
  expect(taken()).toEqual([]);
  enter();
  expect(taken()).toEqual(['\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h\x1b[?1000h\x1b[?1006h']);
  setMouse(false);
  setMouse(true);
  expect(taken()).toEqual(['\x1b[?1006l\x1b[?1000l', '\x1b[?1000h\x1b[?1006h']);
  leave();
  expect(taken()).toEqual(['\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?1049l']);
});

test('the title is written once, without control characters, and is gone afterwards', () => {
  const {enter, leave, setTitle, taken} = painted(4, true);
  enter();
  taken();
  setTitle('needs you\x07\x1b]2;x');
  setTitle('needs you\x07\x1b]2;x');
  expect(taken()).toEqual(['\x1b]2;needs you  ]2;x\x07']);
  leave();
  expect(taken()).toEqual(['\x1b]2;\x07\x1b[23;2t\x1b[?2004l\x1b[?25h\x1b[?1049l']);
  setTitle('later');
  enter();
  expect(taken()).toEqual(['\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h\x1b[22;2t\x1b]2;later\x07']);
});

test('a terminal without titles gets none', () => {
  const {enter, setTitle, taken} = painted();
  enter();
  taken();
  setTitle('needs you');
  expect(taken()).toEqual([]);
});
