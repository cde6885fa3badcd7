import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import path from 'node:path';
import {createWebSocketReceiver} from '@statelyai/inspect';
import {describe, expect, test} from 'vitest';
import type {JobList} from '../../src/machines/policies/inspect/job-page.ts';
import {
  demo,
  type EngineProject,
  engineProject,
  pauseInTheMiddle,
  untilAtWork,
} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {addressIn} from '../helpers/page.ts';
import {planOf, task} from '../helpers/plans.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

// The built program, and its page requested as by a browser; its looks are tested in test/browser.

const longWork = demo('write started x', 'sleep 60');
const oneTask = (prompt = demo('print hello')) => engineProject(planOf(task('a', {prompt})));

describe('inspect', () => {
  test.skipIf(!hasTmux)("after Ctrl+C the shell's prompt is on a line of its own", async () => {
    const project = oneTask();
    await project.run(['execute']);
    const terminal = openTerminal(project);
    terminal.type('blackbird inspect');
    await terminal.until('Ctrl+C ends it.');
    terminal.press('C-c');
    await terminal.until(/\^C\n\[0\]>/);
  });

  test('lists an inspected process while it lives, and its run from then on', async () => {
    const project = oneTask(longWork);
    const running = project.start(['execute', '--inspect']);
    const url = await addressIn(running.err);
    await untilAtWork(project, 'a');

    const live = JSON.parse((await project.run(['inspect', '--list', '--json'])).out).live;
    expect(live).toEqual([{pid: running.pid, what: 'execute', started_at: expect.any(String), url}]);
    expect((await project.run(['inspect', '--list'])).out).toContain(`● execute, process ${running.pid}`);

    running.child.kill('SIGINT');
    await running.ended;
    expect(readdirSync(path.join(project.folder, '.blackbird', 'inspectors'))).toEqual([]);
    const {run_id} = project.latest('a') ?? {};
    expect(JSON.parse((await project.run(['inspect', '--list', '--json'])).out)).toEqual({
      live: [],
      jobs: [{job_id: expect.any(String), started_at: expect.any(String), state: 'paused'}],
      runs: [{task_id: 'a', run_id, changed_at: expect.any(String), state: 'paused'}],
    });
    const {out} = await project.run(['inspect', '--list']);
    // The time of day where the user is, as everywhere else.
    expect(out).toMatch(new RegExp(`\\nrun +paused +\\d\\d:\\d\\d +blackbird inspect a ${run_id}\\n`));
    expect(out).toMatch(/blackbird inspect --job \S+\n/);
  });

  test('skips what a killed process left behind', async () => {
    const project = oneTask(longWork);
    const running = project.start(['execute', '--inspect']);
    await untilAtWork(project, 'a');
    running.child.kill('SIGKILL');
    await running.ended;
    expect(readdirSync(path.join(project.folder, '.blackbird', 'inspectors'))).toEqual([
      `${running.pid}.json`,
    ]);
    expect(JSON.parse((await project.run(['inspect', '--list', '--json'])).out)).toMatchObject({live: []});
  });

  test('says what to do when there is nothing yet', async () => {
    const {code, out} = await oneTask().run(['inspect']);
    expect({code, out}).toEqual({code: 0, out: 'nothing to look at yet: blackbird execute --inspect\n'});
  });

  test('serves a recorded run, with its state, until Ctrl+C', async () => {
    const project = oneTask(longWork);
    await pauseInTheMiddle(project, 'a');
    const {run_id} = project.latest('a') ?? {};
    const served = project.start(['inspect', 'a']);
    const url = await addressIn(served.out);
    expect(served.out()).toBe(`${url}\n`);

    const facts = await (await fetch(`${url}facts`)).json();
    expect(facts).toMatchObject({title: `a · ${run_id}`, notices: [], opens: {task_id: 'a', run_id}});
    const entries = await recordedEntries(`${url}runs/a/${run_id}/`);
    const last = entries.findLast(({machine}) => machine === 'segment');
    expect(last).toMatchObject({kind: 'done', state: 'ended', session: 1});
    expect(await (await fetch(`${url}runs/a/${run_id}`)).json()).toMatchObject({
      task_id: 'a',
      outcome: {kind: 'paused', word: 'user interrupt'},
      next: [{command: 'blackbird resume a'}, {command: 'blackbird restart a'}],
    });

    served.child.kill('SIGINT');
    expect(await served.ended).toMatchObject({code: 0, signal: null});
  });

  test('serves the last job, whole, when nothing is named; and an earlier one by its id', async () => {
    const project = engineProject(
      planOf(task('a', {prompt: demo('print x')}), task('b', {prompt: demo('fail no')})),
    );
    await project.run(['execute', 'a']);
    await project.run(['execute', 'b']);
    const served = project.start(['inspect']);
    const url = await addressIn(served.out);
    const {jobs: lines} = (await (await fetch(`${url}jobs`)).json()) as JobList;
    expect(lines.map(({outcome}) => outcome.kind)).toEqual(['failed', 'succeeded']);
    // They followed closely, so they are shown together, as in a report.
    expect(await (await fetch(`${url}jobs/newest`)).json()).toMatchObject({
      jobs: 2,
      outcome: {kind: 'failed'},
      is_live: false,
      notable: [{kind: 'failed', task_id: 'b', text: 'no', is_open: true}],
    });
    const earlier = lines[1]?.job_id ?? '';
    const rows = await (await fetch(`${url}jobs/${earlier}/rows?count=10&show=job`)).json();
    expect(rows).toMatchObject({total: 1, rows: [{task_id: 'a', kind: 'succeeded'}]});
    served.child.kill('SIGINT');
    expect(await served.ended).toMatchObject({code: 0});
    const other = project.start(['inspect', '--job', earlier, '--json']);
    expect(await (await fetch(`${await addressIn(other.out)}facts`)).json()).toMatchObject({job_id: earlier});
  });

  test.each<{name: string; args: string[]; code: string}>([
    {name: 'an unknown job', args: ['--job', 'x'], code: 'E_JOB_NOT_FOUND'},
    {name: 'a task that never ran', args: ['a'], code: 'E_RUN_NOT_FOUND'},
    {name: 'an unknown task', args: ['nothing'], code: 'E_TASK_NOT_FOUND'},
    {name: 'an unknown run', args: ['a', 'a-9'], code: 'E_RUN_NOT_FOUND'},
  ])('refuses $name', async ({args, code}) => {
    const ended = await oneTask().run(['inspect', ...args, '--json']);
    expect({code: ended.code, error: JSON.parse(ended.err).error.code}).toEqual({code: 1, error: code});
  });

  test('refuses a run without a journal', async () => {
    const project = oneTask();
    await project.run(['execute']);
    const {run_id} = project.latest('a') ?? {};
    rmSync(path.join(project.folder, '.blackbird', 'runs', 'a', `${run_id}.journal.jsonl`));
    const ended = await project.run(['inspect', 'a', '--json']);
    expect(JSON.parse(ended.err).error).toMatchObject({code: 'E_INSPECT'});
  });

  test('reports what cannot be read of a journal, and does not treat it as missing', async () => {
    const project = oneTask();
    await project.run(['execute']);
    const {run_id} = project.latest('a') ?? {};
    const file = path.join(project.folder, '.blackbird', 'runs', 'a', `${run_id}.journal.jsonl`);
    const lines = readFileSync(file, 'utf8').split('\n');
    const cut = JSON.stringify({kind: 'truncated', at: '2026-01-01T00:00:00.000Z', bytes: 9});
    writeFileSync(file, [...lines.with(3, 'garbage').slice(0, -1), cut, ''].join('\n'));
    const served = project.start(['inspect', 'a']);
    const url = await addressIn(served.out);
    expect(await (await fetch(`${url}facts`)).json()).toMatchObject({
      notices: ['lines of the journal that cannot be read: 1', 'the journal was cut where it grew too long'],
    });
    served.child.kill('SIGINT');
    await served.ended;

    writeFileSync(file, 'garbage\n');
    const ended = await project.run(['inspect', 'a', '--json']);
    expect(JSON.parse(ended.err).error).toMatchObject({
      code: 'E_INSPECT',
      message: `nothing in the journal of run ${run_id} can be read`,
    });
  });
});

describe('inspect --bundle', () => {
  /** A bundle of a paused run, as in a bug report. */
  async function bundled(): Promise<{project: EngineProject; file: string}> {
    const project = oneTask(longWork);
    await pauseInTheMiddle(project, 'a');
    const file = path.join(project.folder, 'report.json');
    expect((await project.run(['bundle', 'a', '--output', file])).code).toBe(0);
    return {project, file};
  }

  test('serves it anywhere, and reports that its replay gives the recorded states', async () => {
    const {file} = await bundled();
    const elsewhere = oneTask();
    const served = elsewhere.start(['inspect', '--bundle', file, '--json']);
    const url = await addressIn(served.out);
    const entries = await recordedEntries(url);
    expect(JSON.parse(served.out())).toEqual({url, replay: {compared: entries.length, first: null}});
    expect(entries.length).toBeGreaterThan(20);
    expect(await (await fetch(`${url}facts`)).json()).toMatchObject({
      title: 'bundle of a',
      notices: [],
      opens: 'machines',
    });
    served.child.kill('SIGINT');
    expect(await served.ended).toMatchObject({code: 0});
  });

  test('names the first event whose replay differs', async () => {
    const {project, file} = await bundled();
    const bundle = JSON.parse(readFileSync(file, 'utf8'));
    const lines: Array<{kind: string; machine?: string; state: unknown; event?: {type: string}}> =
      bundle.journals[0].lines;
    const changed = lines.findIndex(
      ({machine, event}) => machine === 'segment' && event?.type === 'agent.held',
    );
    lines[changed] = {...lines[changed], state: 'killing'} as (typeof lines)[number];
    writeFileSync(file, JSON.stringify(bundle));
    const served = project.start(['inspect', '--bundle', file]);
    const url = await addressIn(served.out);
    const number = lines.slice(0, changed + 1).filter(({kind}) => kind !== 'header').length;
    const difference = `replay differs at event ${number}: engine/executor/task/run/segment took agent.held`;
    await eventually(() => expect(served.err()).toBe(`${difference}\n`));
    expect(await (await fetch(`${url}facts`)).json()).toMatchObject({notices: [difference]});
  });

  test.each<{name: string; args: string[]; code: number; error: string}>([
    {name: 'an invalid port', args: ['--bundle', 'x', '--port', '99999'], code: 2, error: 'E_USAGE'},
    {name: 'a task as well', args: ['a', '--bundle', 'x'], code: 2, error: 'E_USAGE'},
    {name: 'a missing file', args: ['--bundle', 'x'], code: 1, error: 'E_STORE_READ'},
    {
      name: 'an invalid file',
      args: ['--bundle', 'blackbird.plan.json'],
      code: 1,
      error: 'E_STORE_CORRUPT',
    },
  ])('refuses $name', async ({args, code, error}) => {
    const ended = await oneTask().run(['inspect', ...args, '--json']);
    expect({code: ended.code, error: JSON.parse(ended.err).error.code}).toEqual({code, error});
  });
});

describe('--inspect', () => {
  test('changes nothing else: no address on stdout, same code, and the process ends with its job', async () => {
    const project = oneTask();
    const {code, out, err} = await project.run(['execute', '--inspect', 'a']);
    expect(code).toBe(0);
    expect(err).toMatch(/^Inspect: http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\n$/);
    expect(out).not.toContain('http');
    expect(project.statuses()).toEqual({a: 'done'});
  });

  test('ends with its job even while a page is open', async () => {
    const project = oneTask(longWork);
    const running = project.start(['execute', '--inspect']);
    const response = await fetch(`${await addressIn(running.err)}entries`);
    await untilAtWork(project, 'a');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(await response.text()).toMatch(/done\.actor\.releaseLock[\s\S]*event: end\ndata: \n\n$/);
  });

  test('is an event under --json', async () => {
    const {out} = await oneTask().run(['execute', '--inspect', '--json']);
    expect(JSON.parse(out.split('\n')[0] ?? '')).toEqual({
      event: 'inspector.started',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
    });
  });

  test('shows both steps of resume --execute on one page, as one job', async () => {
    const plan = planOf(
      task('a', {prompt: demo('write started x', 'sleep 60')}),
      task('b', {prompt: longWork}),
    );
    const project = engineProject(plan);
    await pauseInTheMiddle(project, 'a');
    project.write('started', '');
    const running = project.start(['resume', 'a', '--execute', '--inspect']);
    const url = await addressIn(running.err);
    await untilAtWork(project, 'b');
    const entries = await recordedEntries(url);
    expect([...new Set(entries.map(({session}) => session))]).toEqual([1]);
    const steps = entries.filter(({kind, actor}) => kind === 'started' && /^engine\/\w+$/.test(actor));
    expect(steps.map(({machine}) => machine)).toEqual(['jobTask', 'parentReview', 'executor']);
    expect(running.err().match(/Inspect/g)).toHaveLength(1);
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });

  test('accepts a port, and refuses one in use before anything starts', async () => {
    const project = oneTask(longWork);
    const running = project.start(['execute', '--inspect']);
    const {port} = new URL(await addressIn(running.err));
    await untilAtWork(project, 'a');
    const other = oneTask();
    const ended = await other.run(['execute', `--inspect=${port}`, '--json']);
    expect({code: ended.code, error: JSON.parse(ended.err).error}).toMatchObject({
      code: 1,
      error: {code: 'E_INSPECT', message: `the inspector cannot use port ${port}: it is taken`},
    });
    expect(other.runs('a')).toEqual([]);
    expect(existsSync(path.join(other.folder, '.blackbird', 'inspectors'))).toBe(false);
    running.child.kill('SIGINT');
    await running.ended;
    // Another process may take a free port before we do, so several are tried.
    await eventually(async () => {
      const free = await freePort();
      const again = await other.run(['execute', `--inspect=${free}`]);
      expect(again.err).toContain(`Inspect: http://127.0.0.1:${free}/`);
    });
  });

  test.each(['0', '65536', 'x', '-1'])('refuses %s as a port', async (port) => {
    const ended = await oneTask().run(['execute', `--inspect=${port}`, '--json']);
    expect({code: ended.code, error: JSON.parse(ended.err).error.code}).toEqual({code: 2, error: 'E_USAGE'});
  });
});

describe('--inspect=stately', () => {
  test("sends the same to the package's receivers, and ends with its job while they listen", async () => {
    const project = oneTask(longWork);
    const running = project.start(['execute', '--inspect=stately']);
    const url = await eventually(() => {
      const found = /^Inspect: (ws:\/\/127\.0\.0\.1:\d+\/[\w-]{22})$/m.exec(running.err())?.[1];
      if (!found) throw new Error('no address yet');
      return found;
    });
    const received: Array<{
      type: string;
      name?: string;
      snapshot?: {value: unknown};
      event?: {type: string};
    }> = [];
    createWebSocketReceiver({server: url}).subscribe((event) => received.push(event as never));
    await untilAtWork(project, 'a');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    // What it sent last may be read after we hear of its end.
    await eventually(() => expect(received.map(({event}) => event?.type)).toContain('engine.pause'));
    const names = received.flatMap(({type, name}) => (type === '@xstate.actor' ? [name] : []));
    expect(names).toEqual(expect.arrayContaining(['engine', 'executor', 'task', 'run', 'segment']));
    expect(JSON.stringify(received)).not.toContain('sleep 60');
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

type Entry = {
  seq: number;
  actor: string;
  session: number;
  machine: string;
  kind: string;
  state: unknown;
  event: {type: string};
};

async function recordedEntries(url: string): Promise<Entry[]> {
  const tab = new AbortController();
  const response = await fetch(`${url}entries`, {signal: tab.signal});
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('\n\n')) break;
  }
  tab.abort();
  return eventually(() => JSON.parse(/^event: all\ndata: (.*)$/m.exec(text)?.[1] ?? ''));
}
