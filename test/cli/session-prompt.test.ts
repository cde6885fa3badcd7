import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {askOnTerminal} from '../../src/cli/session/session-prompt.ts';

/** Asks while the chunks arrive as a terminal delivers them: line by line. */
async function ask(...chunks: readonly string[]) {
  const input = new PassThrough({objectMode: true});
  for (const chunk of chunks) input.write(chunk);
  if (chunks.length === 0) input.end();
  let written = '';
  const answer = await askOnTerminal('sure? ', {
    input,
    write: (text) => {
      written += text;
    },
  });
  return {answer, written, input};
}

test.each([
  [['y\n'], 'y'],
  [['yes\r\n'], 'yes'],
  [['\n'], ''],
  [['no\nyes\n'], 'no'],
  [['without an end'], 'without an end'],
])('%j is answered with %j', async (chunks, answer) => {
  expect(await ask(...chunks)).toMatchObject({answer, written: 'sure? '});
});

test('the end of the input is not an answer, and ends the line', async () => {
  expect(await ask()).toMatchObject({answer: null, written: 'sure? \n'});
});

test('the next line is left unread', async () => {
  const {answer, input} = await ask('y\n', 'for the session\n');
  expect(answer).toBe('y');
  expect(input.isPaused()).toBe(true);
  expect(input.read()).toBe('for the session\n');
});

test('control keys are not part of an answer', async () => {
  expect((await ask('\u001b[Ay\n')).answer).not.toBe('y');
});
