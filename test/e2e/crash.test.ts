import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {expectGone, processState, textOf} from '../helpers/agent-processes.ts';
import {
  demo,
  type EngineProject,
  engineProject,
  pauseInTheMiddle,
  untilAtWork,
} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// Blackbird dies at any moment. What was done stays done, what was not is found again.

/** The long form is `npm run verify:crash -- --kills 500`. */
const kills = Number(process.env.BLACKBIRD_TEST_KILLS ?? 15);
const seed = Number(process.env.BLACKBIRD_TEST_SEED ?? Date.now() % 1_000_000);

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const plan = () =>
  planOf(
    task('a', {prompt: demo('append done.txt a')}),
    task('b', {prompt: demo('append done.txt b', 'spawn-sleeper', 'sleep 0.05'), deps: ['a']}),
    task('c', {prompt: demo('print working', 'append done.txt c', 'sleep 0.1')}),
    task('d', {prompt: demo('ignore-sigint', 'append done.txt d'), deps: ['b', 'c']}),
    task('e', {prompt: demo('lines 200', 'append done.txt e')}),
    task('f', {prompt: demo('append done.txt f', 'print end')}),
  );

/** Stands in for the program that keeps the machine awake: it runs as long as the command it was given. */
function awakeTool() {
  const folder = temporaryFolder();
  const called = path.join(folder, 'called');
  const script = `#!/bin/sh\nfor last; do :; done\nexec 3<&0\n"$last" <&3 &\necho "$$ $!" >> '${called}'\nwait\n`;
  writeFileSync(path.join(folder, 'systemd-inhibit'), script, {mode: 0o755});
  return {
    env: {PATH: [folder, process.env.PATH ?? ''].join(path.delimiter)},
    /** Itself and its command, for every job. */
    pids: () => textOf(called).split(/\s+/).filter(Boolean).map(Number),
  };
}

describe('SIGKILL', () => {
  test(`at ${kills} random moments (seed ${seed}) loses no task, does none twice and leaves no process`, {
    timeout: 60_000 + kills * 20_000,
  }, async () => {
    const random = randomNumbers(seed);
    let killed = 0;
    while (killed < kills) {
      const project = engineProject(plan());
      const restarted = new Map<string, number>();
      let args: readonly string[] = ['execute'];
      while (!isDone(project)) {
        const [verb, id = ''] = args;
        if (verb === 'restart') restarted.set(id, (restarted.get(id) ?? 0) + 1);
        const out = await killDuring(project, args, killed < kills ? random() * 1_400 : null);
        if (out === null) {
          killed += 1;
          await eventually(() => expect(project.agents()).toEqual([]));
        }
        expectWholeRecords(project);
        // The next command says how to continue, without knowing what happened.
        args = verb === 'execute' && out !== null && !isDone(project) ? toldCommand(out) : ['execute'];
      }
      for (const id of ids) {
        const lines = project.text('done.txt').split('\n');
        const times = lines.filter((line) => line === id).length;
        // Restarting is the user's choice, and repeats what was done.
        expect({id, times}).toEqual({id, times: Math.min(Math.max(times, 1), 1 + (restarted.get(id) ?? 0))});
        expect(project.runs(id).filter(({state}) => state === 'succeeded')).toHaveLength(1);
      }
      expect(project.agents()).toEqual([]);
      expect(leftovers(project)).toEqual([]);
    }
  });

  test('in the middle of a task leaves it paused and resumable, and ends whatever it started', async () => {
    const prompt = demo('spawn-sleeper', 'write started x', 'sleep 60', 'append done.txt a');
    const awake = awakeTool();
    const project = engineProject(planOf(task('a', {prompt}), task('b')), {env: awake.env});
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    const agents = project.agents();
    expect(agents).toHaveLength(2);
    const keepers = await eventually(() => {
      expect(awake.pids()).toHaveLength(2);
      return awake.pids();
    });
    expect(keepers.map(processState)).not.toContain(null);
    expect((await project.run(['why', 'a'])).out).toContain('blackbird logs a --follow');
    running.child.kill('SIGKILL');
    expect((await running.ended).signal).toBe('SIGKILL');
    await expectGone([...agents, ...keepers]);
    expect(project.latest('a')).toMatchObject({state: 'running', phase: 'active'});
    expect((await project.run(['why', 'a'])).out).toContain('blackbird resume a');
    expect((await project.run(['list', '--all'])).out).toContain('PAUSED');

    const {code, out, err} = await project.run(['resume', 'a']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toContain('Ⅱ a was interrupted when Blackbird ended, and is paused: blackbird resume a\n');
    expect(project.runs('a')).toMatchObject([{state: 'succeeded', segments: [{}, {exit_code: 0}]}]);
    expect(project.text('done.txt')).toBe('a\n');
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
    expect(awake.pids()).toHaveLength(4);
    await expectGone(awake.pids());
  });

  test('while it pauses an agent that ignores signals still leaves a pause', async () => {
    const prompt = demo('ignore-sigint', 'write started x', 'sleep 60');
    const project = engineProject(planOf(task('a', {prompt})), {
      config: {execution: {pauseGraceSeconds: 60}},
    });
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    running.child.kill('SIGINT');
    await eventually(() => expect(project.latest('a')).toMatchObject({phase: 'pausing'}));
    const agents = project.agents();
    running.child.kill('SIGKILL');
    await expectGone(agents);
    // Its session is complete, so it continues where the agent was: after the sleep.
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    expect(project.latest('a')).toMatchObject({state: 'succeeded', segments: [{}, {}]});
  });

  test('followed by a resume at once: the guardian that outlived it leaves the new agent alone', async () => {
    const prompt = demo('ignore-sigint', 'write started x', 'sleep 60', 'sleep 0.6', 'append done.txt a');
    const project = engineProject(planOf(task('a', {prompt})));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await project.run(['resume', 'a'])).toMatchObject({code: 0});
    expect(project.text('done.txt')).toBe('a\n');
    expect(project.latest('a')).toMatchObject({state: 'succeeded', segments: [{}, {}]});
    expect(project.agents()).toEqual([]);
  });

  test.each([
    {args: ['execute'], run: {state: 'paused', pause_reason: 'process_lost', resumable: true}},
    {args: ['resume', 'a'], run: {state: 'succeeded', segments: [{}, {exit_code: 0}]}},
  ])('of all its processes, the guardian too, is shown and repaired by $args', async ({args, run}) => {
    const prompt = demo('spawn-sleeper', 'write started x', 'sleep 60');
    const project = engineProject(planOf(task('a', {prompt})));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    // Stopped, it starts no other guardian while its own are being killed.
    process.kill(running.pid, 'SIGSTOP');
    const children = readdirSync('/proc').filter((pid) => parentOf(pid) === running.pid);
    // First the guardian, the reaper and Blackbird, so that none is left to end what the agent started.
    const agents = project.agents();
    for (const pid of [...children.map(Number).filter((pid) => !agents.includes(pid)), running.pid])
      process.kill(pid, 'SIGKILL');
    await running.ended;
    expect(project.agents()).not.toEqual([]);
    expect((await project.run(['list', '--all'])).out).toContain('ORPHANED');
    const {out} = await project.run(['doctor']);
    expect(out).toContain(`works without a Blackbird: ${project.agents().join(', ')}`);
    expect(out).toContain('blackbird resume a ends it and continues');

    // What it leaves paused, the user has to continue.
    expect((await project.run(args)).code).toBe(args[0] === 'execute' ? 4 : 0);
    await expectGone(agents);
    expect(project.latest('a')).toMatchObject(run);
    expect((await project.run(['list', '--all'])).out).not.toContain('ORPHANED');
  });
});

test('a restart that never started is named by the run it would have replaced', async () => {
  const prompt = demo('write started x', 'sleep 60');
  const project = engineProject(planOf(task('a', {prompt}), task('b')));
  await pauseInTheMiddle(project, 'a');
  const {paused_at: _, pause_reason: __, ...paused} = {...project.latest('a')};
  const restart = {run_id: 'a-2-000000', attempt: 2, restart_of_run_id: paused.run_id};
  const begun = {...paused, ...restart, state: 'running', phase: 'launching', resumable: false, segments: []};
  project.write('.blackbird/runs/a/a-2-000000.json', JSON.stringify(begun));

  const {code, out} = await project.run(['execute']);

  expect(code).toBe(4);
  expect(out).toContain('Ⅱ a was interrupted when Blackbird ended, and is paused: blackbird resume a\n');
  expect(project.runs('a')).toMatchObject([{state: 'paused'}, {state: 'canceled'}]);
  expect((await project.run(['resume', 'a'])).code).toBe(0);
  expect(project.statuses()).toEqual({a: 'done', b: 'done'});
});

test('a task that was made ready again and never started is ready, not done as before', async () => {
  const project = engineProject(planOf(task('a', {prompt: demo('append done.txt a')})));
  expect((await project.run(['execute'])).code).toBe(0);
  expect((await project.run(['set-status', 'a', 'todo'])).code).toBe(0);
  const {result: _, ...earlier} = {...project.latest('a')};
  const fresh = {run_id: 'a-2-000000', attempt: 2, state: 'running', phase: 'launching', segments: []};
  project.write(
    '.blackbird/runs/a/a-2-000000.json',
    JSON.stringify({...earlier, ...fresh, resumable: false}, null, 2),
  );
  project.write('blackbird.plan.json', project.planText().replace('"todo"', '"in_progress"'));

  expect((await project.run(['execute'])).code).toBe(0);
  expect(project.runs('a')).toMatchObject([{state: 'succeeded'}, {state: 'canceled'}, {state: 'succeeded'}]);
  expect(project.text('done.txt')).toBe('a\na\n');
});

test('files that a dead Blackbird was writing are removed by the next one', async () => {
  const project = engineProject(planOf(task('a')));
  const {pid} = spawnSync('true');
  mkdirSync(path.join(project.folder, '.blackbird/runs/a'), {recursive: true, mode: 0o700});
  project.write(`.blackbird/.agent-versions.json.${pid}.0123456789ab.tmp`, '{');
  project.write(`.blackbird/runs/a/.a-1-000000.json.${pid}.0123456789ab.tmp`, '{');
  expect((await project.run(['execute'])).code).toBe(0);
  expect(leftovers(project)).toEqual([]);
});

/** The command that `execute` suggested for a task that it left alone. */
function toldCommand(out: string): readonly string[] {
  const [, verb, id] = /^(?:Ⅱ .*:| {2}\w {2}paused.*) blackbird (resume|restart) (\w)$/m.exec(out) ?? [];
  if (!verb || !id) throw new Error(`a task is left, and nobody says how to go on:\n${out}`);
  return [verb, id];
}

/** Null when it was still alive to be killed; otherwise it ended by itself, with success, and printed this. */
async function killDuring(
  project: EngineProject,
  args: readonly string[],
  after: number | null,
): Promise<string | null> {
  const running = project.start(args);
  if (after !== null) {
    await Promise.race([running.ended, delay(after)]);
    running.child.kill('SIGKILL');
  }
  const {code, signal, out, err} = await running.ended;
  if (signal === 'SIGKILL') return null;
  // A plan in which a lost task is paused needs the user.
  const expected = args[0] === 'execute' && !isDone(project) ? 4 : 0;
  expect({args, code, err}).toEqual({args, code: expected, err: ''});
  return out;
}

const isDone = (project: EngineProject) => ids.every((id) => project.statuses()[id] === 'done');

/**
 * Every record can be read, attempts count up, only the latest run of a task may be unfinished, and no agent was
 * started without a record.
 */
function expectWholeRecords(project: EngineProject): void {
  for (const id of ids) {
    const runs: readonly RunRecord[] = project.runs(id);
    expect(runs.map(({attempt}) => attempt)).toEqual(runs.map((_, index) => index + 1));
    const open = runs.slice(0, -1).filter(({state}) => state === 'running');
    expect(open).toEqual([]);
  }
  const runs = ids.flatMap((id) => project.runs(id));
  const known = runs.map(({provider_session_ref: ref}) => `${ref}.json`);
  // An agent stores its session before it announces it; killed in between, only its start is known.
  const unnamed = runs.filter(({segments, provider_session_ref: ref}) => segments.length > 0 && ref === '');
  const sessions = path.join(project.folder, '.blackbird', 'demo-sessions');
  const begun = existsSync(sessions) ? readdirSync(sessions).filter((name) => name.endsWith('.json')) : [];
  const unknown = begun.filter((name) => !known.includes(name));
  expect(unknown.length).toBeLessThanOrEqual(unnamed.length);
}

/** Half-written files that will never be finished, unless the pid of their writer is reused. */
function leftovers(project: EngineProject): string[] {
  return readdirSync(path.join(project.folder, '.blackbird'), {recursive: true, encoding: 'utf8'}).filter(
    (name) => {
      const writer = /\.(\d+)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1];
      return writer !== undefined && processState(Number(writer)) === null;
    },
  );
}

function parentOf(pid: string): number | null {
  if (!/^\d+$/.test(pid)) return null;
  return Number(/^PPid:\s*(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
