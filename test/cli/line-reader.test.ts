import {PassThrough} from 'node:stream';
import {stripVTControlCharacters} from 'node:util';
import {expect, test, vi} from 'vitest';
import {createLineReader} from '../../src/cli/terminal/line-reader.ts';

function reader() {
  const input = new PassThrough();
  const output = new PassThrough();
  return {input, shown: () => String(output.read() ?? ''), ...createLineReader(input, output)};
}

test('answers questions in order, also with lines that came before they were asked', async () => {
  const {input, ask, shown} = reader();
  input.write('one\r\ntwo\n');
  expect([await ask('1? '), await ask('2? ')]).toEqual(['one', 'two']);
  const third = ask('3? ');
  input.write('three\n');
  expect(await third).toBe('three');
  expect(shown()).toBe('1? 2? 3? ');
});

test('the last line needs no line ending', async () => {
  const {input, ask} = reader();
  input.end('last');
  expect([await ask('? '), await ask('? ')]).toEqual(['last', null]);
});

test('at the end of the input every question is answered with null, on its own line', async () => {
  const {input, ask, shown} = reader();
  const waiting = ask('now? ');
  input.end();
  expect([await waiting, await ask('then? ')]).toEqual([null, null]);
  expect(shown()).toBe('now? \nthen? \n');
});

test('all of the input is read at once, after earlier questions, and nothing is shown', async () => {
  const {input, ask, readAll, shown} = reader();
  input.write('name\none\r\n\n\ttwo');
  await ask('? ');
  const all = readAll('all? ');
  input.end('!\n');
  expect([await all, await readAll('more? '), shown()]).toEqual(['one\n\n\ttwo!', '', '? ']);
});

test('an endless input is refused, even as one line', async () => {
  const {input, readAll} = reader();
  const refusal = readAll('all? ').catch((error: unknown) => error);
  const [megabyte, mebibytes] = [Buffer.alloc(1024 * 1024, 'a'), 64];
  for (let written = 0; written <= mebibytes && !input.destroyed; written++) {
    if (!input.write(megabyte)) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await refusal).toMatchObject({code: 'E_USAGE', message: 'stdin is larger than 64 MiB'});
  expect(input.destroyed).toBe(true);
});

test('an input that was never read is left alone when it is closed', () => {
  const {input, close} = reader();
  close();
  expect(input.destroyed).toBe(false);
});

test('an input that was read does not keep the process alive once it is closed', async () => {
  const {input, ask, close} = reader();
  input.write('one\n');
  await ask('? ');
  close();
  expect(input.destroyed).toBe(true);
});

test('on a terminal, text typed ahead answers the next questions', async () => {
  const input = Object.assign(new PassThrough(), {isTTY: true});
  const {ask} = createLineReader(input, new PassThrough().resume());
  const first = ask('1? ');
  input.write('\rwarm réd\rgre');
  expect([await first, await ask('2? ')]).toEqual(['', 'warm réd']);
  const third = ask('3? ');
  input.write('en\r');
  expect(await third).toBe('green');
});

test('on a terminal a return and a line feed in one chunk are one line ending', async () => {
  const input = Object.assign(new PassThrough(), {isTTY: true});
  const {ask} = createLineReader(input, new PassThrough().resume());
  const first = ask('1? ');
  input.write('one\r\ntwo\r\n');
  expect([await first, await ask('2? ')]).toEqual(['one', 'two']);
  const third = ask('3? ');
  input.write('three\n\n');
  expect([await third, await ask('4? ')]).toEqual(['three', '']);
});

test('on a terminal a key is shown once, at every question', async () => {
  const input = Object.assign(new PassThrough(), {isTTY: true});
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk) => {
    shown += stripVTControlCharacters(String(chunk));
  });
  const {ask} = createLineReader(input, output);
  for (const [question, keys] of [
    ['1? ', 'one'],
    ['2? ', 'two'],
  ] as const) {
    const answer = ask(question);
    await vi.waitFor(() => expect(shown.endsWith(question)).toBe(true));
    input.write(`${keys}\r`);
    expect(await answer).toBe(keys);
  }
  expect(shown).toBe('1? one\r\n2? two\r\n');
});

test.each([
  {kept: null, farewell: 'Kept. Continue with: again'},
  {kept: 'no space left', farewell: 'What you wrote could not be kept: no space left'},
])(
  'leaving a terminal with Ctrl+C prints $farewell once that is certain, before the signal',
  async ({kept, farewell}) => {
    const input = Object.assign(new PassThrough(), {isTTY: true});
    const output = new PassThrough();
    let shown = '';
    output.on('data', (chunk) => {
      shown += stripVTControlCharacters(String(chunk));
    });
    let written = (_: string | null) => {};
    const signal = new Promise<string>((resolve) => process.once('SIGINT', () => resolve(shown)));
    const answer = createLineReader(input, output).ask('1? ', {
      onType: () => {},
      onLeave: () =>
        new Promise((resolve) => {
          written = resolve;
        }),
      farewell: 'Kept. Continue with: again',
    });
    await vi.waitFor(() => expect(shown).toBe('1? '));
    input.write('half\u0003');
    await vi.waitFor(() => expect(shown).toBe('1? half\n'));
    written(kept);
    expect([await signal, await answer]).toEqual([`1? half\n${farewell}\n`, null]);
  },
);
