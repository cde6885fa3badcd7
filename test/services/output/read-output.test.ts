import {spawn} from 'node:child_process';
import path from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, onTestFinished, test} from 'vitest';
import {createLineSplitter} from '../../../src/services/output/line-splitter.ts';
import type {LogFile} from '../../../src/services/output/log-file.ts';
import {openLogFile} from '../../../src/services/output/log-file.ts';
import {drainOutput, readOutput} from '../../../src/services/output/read-output.ts';
import {createTail} from '../../../src/services/output/tail.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

function sinks(log: LogFile = openLogFile(path.join(temporaryFolder(), 'log'))) {
  const lines: string[] = [];
  return {lines, sinks: {log, tail: createTail(), lines: createLineSplitter((line) => lines.push(line))}};
}

/** A disk that accepts nothing until told to. */
function slowLog() {
  let catchUp = () => {};
  const caughtUp = new Promise<void>((resolve) => {
    catchUp = resolve;
  });
  const log: LogFile = {
    write: () => false,
    drained: () => caughtUp,
    close: async () => {},
    isTruncated: false,
  };
  return {log, catchUp};
}

test('reads no further while the log is behind', async () => {
  const {log, catchUp} = slowLog();
  const {lines, sinks: to} = sinks(log);
  const stream = new PassThrough();
  const reader = readOutput(stream, to);
  stream.write('one\n');
  stream.write('two\n');
  await eventually(() => expect(lines).toEqual(['one']));
  expect(stream.isPaused()).toBe(true);
  catchUp();
  await eventually(() => expect(lines).toEqual(['one', 'two']));
  await reader.close();
});

test('reads no further while it is held, also when the log catches up', async () => {
  const {log, catchUp} = slowLog();
  const {lines, sinks: to} = sinks(log);
  const stream = new PassThrough();
  const reader = readOutput(stream, to);
  stream.write('one\n');
  await eventually(() => expect(lines).toEqual(['one']));
  reader.hold();
  stream.write('two\n');
  catchUp();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect([lines, stream.isPaused()]).toEqual([['one'], true]);
  reader.readOn();
  await eventually(() => expect(lines).toEqual(['one', 'two']));
  await reader.close();
});

test('a slow disk does not lose the last output of an agent that is gone', async () => {
  const {log} = slowLog();
  const {lines, sinks: to} = sinks(log);
  const stream = new PassThrough();
  const reader = readOutput(stream, to);
  for (const line of ['one', 'two', 'three']) stream.write(`${line}\n`);
  stream.end('result');
  await drainOutput([reader], 10_000);
  await reader.close();
  expect(lines).toEqual(['one', 'two', 'three', 'result']);
});

test('output that was pending when the window closed is still read', async () => {
  const child = spawn('sh', ['-c', 'read -r _; echo result; exec sleep 1000'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const {lines, sinks: to} = sinks();
  const reader = readOutput(child.stdout, to);
  const drained = drainOutput([reader], 20);
  child.stdin.write('go\n');
  // As if this process had been stopped: the timer is due before anything could be read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await drained;
  await reader.close();
  expect(lines).toEqual(['result']);
});

test('the window ends once everything was read', async () => {
  const stream = new PassThrough();
  const {sinks: to} = sinks();
  const reader = readOutput(stream, to);
  stream.end('text\n');
  await drainOutput([reader], 1_000_000);
  await reader.close();
  expect(to.tail.text()).toBe('text\n');
});
