import {createHash} from 'node:crypto';
import {readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {verificationMachine} from '../../../src/machines/verification.machine.ts';
import {createCheckRunner} from '../../../src/services/agents/check-runner.ts';
import {createAgentSpawner} from '../../../src/services/agents/spawn-agent.ts';
import {defineEffects} from '../../fakes/machines.ts';
import {endedSegment, runRecord} from '../../fakes/runs.ts';
import {createFakeServices} from '../../fakes/services.ts';
import {expectGone, markedPids, textOf, uniqueRunId} from '../../helpers/agent-processes.ts';
import {eventually} from '../../helpers/eventually.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const spawner = createAgentSpawner();

function checkRunner() {
  const folder = temporaryFolder();
  const run = runRecord({run_id: uniqueRunId()});
  const printed: string[] = [];
  const runner = createCheckRunner({
    spawner,
    runs: {
      files: () => ({
        record: path.join(folder, 'run.json'),
        stdout: '',
        stderr: '',
        times: '',
        journal: '',
      }),
    },
    cwd: folder,
    onOutput: (text) => printed.push(text),
  });
  onTestFinished(() => expect(markedPids(run.run_id)).toEqual([]));
  const launch = async (command: string) => {
    const check = await runner.launch({run, command, logFile: 'check.log'});
    onTestFinished(async () => void (await check.endEverything()));
    return check;
  };
  return {folder, run, runner, launch, printed, log: path.join(folder, 'check.log')};
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

describe('a check', () => {
  test.each([
    {command: 'exit 7', exitCode: 7, tail: ''},
    {command: `printf 'a b' && echo "$0 'x'" # no`, exitCode: 0, tail: "a bsh 'x'\n"},
    {command: 'cat', exitCode: 0, tail: ''},
    {command: 'echo one >&2; echo two', exitCode: 0, tail: 'one\ntwo\n'},
    {command: 'if', exitCode: 2, tail: expect.stringMatching(/syntax error/i)},
    {command: 'no-such-command-here', exitCode: 127, tail: expect.stringMatching(/not found/)},
  ])('$command exits with $exitCode', async ({command, exitCode, tail}) => {
    const {launch} = checkRunner();
    const check = await launch(command);
    check.go();
    expect(await check.ended).toMatchObject({exitCode, signal: null, tail});
  });

  test('runs nothing before go', async () => {
    const {folder, launch} = checkRunner();
    const check = await launch('echo x >ran');
    await check.endEverything();
    expect(textOf(path.join(folder, 'ran'))).toBe('');
  });

  test('logs all output to its own file, whose digest is known, and keeps the end', async () => {
    const {launch, log, printed} = checkRunner();
    writeFileSync(log, 'of a check that was cut short\n');
    const check = await launch('yes 0123456789 | head -n 5000; printf "äöü"');
    check.go();
    const {tail, logDigest, isLogTruncated} = await check.ended;
    const text = readFileSync(log);
    expect({bytes: text.length, isLogTruncated}).toEqual({bytes: 5000 * 11 + 6, isLogTruncated: false});
    expect(logDigest).toBe(sha256(text));
    expect({length: tail.length, end: tail.slice(-3)}).toEqual({length: 8_000, end: 'äöü'});
    expect(printed.join('')).toBe(text.toString());
  });

  test('without output has no log, and the digest of nothing', async () => {
    const {launch} = checkRunner();
    const check = await launch('true');
    check.go();
    expect(await check.ended).toMatchObject({tail: '', logDigest: sha256('')});
  });

  test('replaces a link in place of its log, and leaves its target alone', async () => {
    const {folder, launch, log} = checkRunner();
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, log);
    const check = await launch('echo x');
    check.go();
    expect(await check.ended).toMatchObject({exitCode: 0, logDigest: sha256('x\n')});
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
  });
});

test('a check that hangs and ignores signals is ended at its limit, with all it started', async () => {
  const {folder, run: named, runner, printed} = checkRunner();
  const command = `trap '' INT; (trap '' INT; sleep 300 & echo $! >child); echo working; sleep 300`;
  const run = runRecord({
    run_id: named.run_id,
    phase: 'verifying',
    checks_due: true,
    verify: [command],
    segments: [endedSegment()],
  });
  const {services, runs} = createFakeServices({plan: planOf(task('a')), runs: [run]});
  const {verification} = defineEffects({...services, checks: runner, monotonicNow: () => performance.now()});
  const clock = new SimulatedClock();
  const actor = createActor(verificationMachine.provide({actors: verification}), {
    clock,
    input: {run, pauseReason: null, graceMilliseconds: 50, limitMilliseconds: 60_000, rounds: 0},
  });
  const finished = toPromise(actor);
  actor.start();
  await eventually(() => {
    expect(textOf(path.join(folder, 'child'))).not.toBe('');
    expect(printed.join('')).toBe('working\n');
  });
  clock.increment(60_000);
  clock.increment(50);
  await finished;
  await expectGone([Number(textOf(path.join(folder, 'child')))]);
  expect(runs.records('a')[0]).toMatchObject({
    state: 'failed',
    failure: {kind: 'verification', message: `the check failed: ${command} (took too long)`},
    verifications: [{exit_code: null, timed_out: true, tail: 'working\n'}],
  });
});
