import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {runProgram} from '../../../src/services/system/run-program.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const run = (script: string, timeLimitMs = 60_000) =>
  runProgram({file: '/bin/sh', args: ['-c', script], env: {PATH: process.env.PATH}, timeLimitMs});

/** As often as the program was started, a line in this file. */
function startLog() {
  const file = path.join(temporaryFolder(), 'started');
  return {
    file,
    starts: () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0),
  };
}

describe('a program run to its end', () => {
  // What the terminal's hang-up does to a child that has not left our process group yet.
  test.each(['HUP', 'INT', 'QUIT'])('is started again if SIG%s ended it at its start', async (signal) => {
    const {file, starts} = startLog();
    const result = await run(
      `echo x >> '${file}'; [ $(wc -l < '${file}') -gt 1 ] || kill -${signal} $$; echo ok`,
    );
    expect(result).toEqual({type: 'ended', code: 0, stdout: 'ok\n', stderr: ''});
    expect(starts()).toBe(2);
  });

  test('is given up if it ends that way three times', async () => {
    const {file, starts} = startLog();
    expect(await run(`echo x >> '${file}'; kill -HUP $$`)).toEqual({
      type: 'failed',
      reason: 'it was ended by SIGHUP or took longer than 60000 ms',
    });
    expect(starts()).toBe(3);
  });

  test.each(['TERM', 'KILL'])('is not started again after SIG%s, which was meant for it', async (signal) => {
    const {file, starts} = startLog();
    expect(await run(`echo x >> '${file}'; kill -${signal} $$`)).toMatchObject({type: 'failed'});
    expect(starts()).toBe(1);
  });

  test('is ended at its time limit, once', async () => {
    const {file, starts} = startLog();
    expect(await run(`echo x >> '${file}'; exec sleep 600`, 2_000)).toMatchObject({type: 'failed'});
    // A busy machine may not have come as far as its first line by then.
    expect(starts()).toBeLessThanOrEqual(1);
  });

  test('is in its own process group', async () => {
    const result = await run('ps -o pgid= -p $$; echo $$');
    const [group, pid] = result.type === 'ended' ? result.stdout.split('\n').map((line) => line.trim()) : [];
    expect(group).toBe(pid);
  });
});
