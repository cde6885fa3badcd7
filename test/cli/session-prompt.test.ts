import {closeSync, openSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {askOnTerminal} from '../../src/cli/session-prompt.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

async function answerTo(text: string) {
  const file = path.join(temporaryFolder(), 'input');
  writeFileSync(file, text);
  const input = openSync(file, 'r');
  onTestFinished(() => closeSync(input));
  let written = '';
  const answer = await askOnTerminal('sure? ', {
    input,
    write: (each) => {
      written += each;
    },
  });
  return {answer, written};
}

test.each([
  ['y\n', 'y'],
  ['yes\r\n', 'yes'],
  ['\n', ''],
  ['no\nyes\n', 'no'],
  ['without an end', 'without an end'],
])('%j is answered with %j', async (text, answer) => {
  expect(await answerTo(text)).toEqual({answer, written: 'sure? '});
});

test('the end of the input is no answer, and closes the line', async () => {
  expect(await answerTo('')).toEqual({answer: null, written: 'sure? \n'});
});

test('keys that steer a terminal are not made into an answer', async () => {
  const {answer} = await answerTo('\u001b[Ay\n');
  expect(answer).not.toBe('y');
});
