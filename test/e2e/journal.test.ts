import {appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {verifyEntries} from '../../src/machines/replay.ts';
import {
  demo,
  type EngineProject,
  engineProject,
  pauseInTheMiddle,
  untilAtWork,
} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {type ReadJournal, readJournal} from '../helpers/read-journal.ts';

// The built program and its journals: whatever happened to a run, replaying it gives the recorded states.

const secretWords = 'the-secret-of-the-plan';
const longWork = demo('write started x', 'sleep 60', `append done.txt ${secretWords}`);

const journalFile = (project: EngineProject, taskId: string, index = -1) => {
  const run = project.runs(taskId).at(index);
  return path.join(project.folder, '.blackbird', 'runs', taskId, `${run?.run_id}.journal.jsonl`);
};

function journalOf(project: EngineProject, taskId: string, index = -1): ReadJournal {
  const journal = readJournal(journalFile(project, taskId, index));
  if (journal.entries.length === 0) throw new Error(`no journal of ${taskId}`);
  return journal;
}

/** Every entry is compared, none differs, and no text of the plan or its agent is in the file. */
function expectReplay(project: EngineProject, taskId: string, index = -1): ReadJournal {
  const journal = journalOf(project, taskId, index);
  const {entries} = journal;
  expect(verifyEntries(entries)).toEqual({entries: entries.length, compared: entries.length, first: null});
  expect(journal.broken).toEqual([]);
  const file = journalFile(project, taskId, index);
  expect(readFileSync(file, 'utf8')).not.toContain(secretWords);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return journal;
}

const endOf = ({entries}: ReadJournal, machine: string) => {
  const last = entries.findLast((entry) => entry.machine === machine);
  return last && `${last.state} ${last.status}`;
};

describe('the journal of a run', () => {
  test('that succeeded, and of the next one', async () => {
    const project = engineProject(
      planOf(task('a', {title: secretWords, prompt: demo(`print ${secretWords}`)}), task('b')),
    );
    expect((await project.run(['execute'])).code).toBe(0);
    const first = expectReplay(project, 'a');
    const second = expectReplay(project, 'b');
    expect(first.headers).toEqual([
      {
        kind: 'header',
        format: 1,
        blackbird: expect.any(String),
        at: expect.any(String),
        run_id: project.latest('a')?.run_id,
        task_id: 'a',
        machines: expect.arrayContaining(['engine', 'executor', 'task']),
      },
    ]);
    expect([endOf(first, 'segment'), endOf(first, 'task')]).toEqual(['ended done', 'settled done']);
    expect(endOf(second, 'engine')).toBe('idle active');
    expect(second.entries[0]).toMatchObject({
      kind: 'standing',
      actor: 'engine',
      state: {working: {work: 'executing'}},
    });
  });

  test('that failed', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo(`fail ${secretWords}`)})));
    expect((await project.run(['execute'])).code).toBe(3);
    expect(endOf(expectReplay(project, 'a'), 'engine')).toBe('idle active');
  });

  test('that waited for an answer and got one', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo(`ask color ${secretWords}?`)})));
    expect((await project.run(['execute'])).code).toBe(4);
    expectReplay(project, 'a');
    const {id = ''} = project.latest('a')?.questions?.[0] ?? {};
    expect((await project.run(['resume', 'a', '--answer', `${id}=${secretWords}`])).code).toBe(0);
    expect(expectReplay(project, 'a').headers).toHaveLength(2);
  });

  test('that was paused, resumed, and restarted afterwards', async () => {
    const project = engineProject(planOf(task('a', {prompt: longWork})));
    expect((await pauseInTheMiddle(project, 'a')).code).toBe(130);
    const paused = expectReplay(project, 'a');
    expect(paused.entries.map(({event}) => event.type)).toContain('engine.pause');
    expect((await project.run(['resume', 'a', '--feedback', secretWords])).code).toBe(0);
    const resumed = expectReplay(project, 'a');
    expect(resumed.headers).toHaveLength(2);
    expect(resumed.entries.slice(0, paused.entries.length)).toEqual(paused.entries);
    expect((await project.run(['edit', 'a', '--prompt', 'Say hello.'])).code).toBe(0);
    expect((await project.run(['restart', 'a', '--yes'])).code).toBe(0);
    expect(project.runs('a')).toHaveLength(2);
    expectReplay(project, 'a', 0);
    expectReplay(project, 'a', 1);
  });

  test('whose Blackbird was killed, with a line torn in the middle', async () => {
    const project = engineProject(planOf(task('a', {prompt: longWork})));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    await eventually(() => expect(endOf(journalOf(project, 'a'), 'segment')).toBe('active active'));
    running.child.kill('SIGKILL');
    await running.ended;
    appendFileSync(journalFile(project, 'a'), '{"kind":"event","seq":99,"at":"20');
    const killed = expectReplay(project, 'a');
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    const resumed = expectReplay(project, 'a');
    expect(resumed.headers).toHaveLength(2);
    expect(resumed.entries.length).toBeGreaterThan(killed.entries.length);
  });

  test('that cannot be written stops nothing, and is reported once', async () => {
    const project = engineProject(
      planOf(task('a', {prompt: demo('write started x', 'sleep 60')}), task('b')),
    );
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    await eventually(() => expect(journalOf(project, 'a').entries.length).toBeGreaterThan(5));
    rmSync(journalFile(project, 'a'));
    mkdirSync(journalFile(project, 'a'));
    running.child.kill('SIGINT');
    const {code, err} = await running.ended;
    expect(code).toBe(130);
    expect(err.match(/warning: .*journal/g)).toHaveLength(1);
    expect(project.latest('a')).toMatchObject({state: 'paused'});
  });

  test('is named by runs --json, and a record without one is still listed', async () => {
    const project = engineProject(planOf(task('a')));
    await project.run(['execute']);
    const {files} = JSON.parse((await project.run(['runs', 'a', '--json'])).out);
    const {run_id = ''} = project.latest('a') ?? {};
    expect(files[run_id].journal).toBe(journalFile(project, 'a'));
    rmSync(journalFile(project, 'a'));
    expect((await project.run(['runs', 'a'])).code).toBe(0);
  });
});

describe('bundle', () => {
  async function bundled(args: readonly string[] = []) {
    const project = engineProject(
      planOf(task('a', {title: secretWords, description: secretWords, prompt: demo(`print ${secretWords}`)})),
      {env: {BLACKBIRD_AGENT_STREAM: secretWords}},
    );
    await project.run(['execute']);
    const ended = await project.run(['bundle', 'a', ...args]);
    const file = path.join(project.folder, 'blackbird-bundle-a.json');
    return {project, ended, file};
  }

  test('contains plan, records, journals and versions in one private file, and none of their text', async () => {
    const {project, ended, file} = await bundled();
    expect(ended).toMatchObject({code: 0, err: ''});
    const text = readFileSync(file, 'utf8');
    const bundle = JSON.parse(text);
    const entries = journalOf(project, 'a').entries.length;
    expect(ended.out.split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(`^wrote .*blackbird-bundle-a.json: 1 run, ${entries} events in 1 journal, \\d+ KiB$`),
      ),
      `replayed: ${entries} events lead to the recorded states`,
      'Prompts, output, feedback and answers are lengths in it; look through it before you share it.',
      '',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const word of [secretWords, project.folder, String(project.env.HOME)])
      expect(text).not.toContain(word);
    expect(bundle).toMatchObject({
      kind: 'blackbird-bundle',
      format: 1,
      task_id: 'a',
      versions: {node: process.version, agents: {demo: 'built in'}},
      config: {environment: ['BLACKBIRD_TEST_PROJECT', 'BLACKBIRD_AGENT_STREAM']},
      plan: {total: 1, tasks: [{id: 'a', title: `<${secretWords.length} chars>`, status: 'done', deps: []}]},
      runs: [
        {
          run_id: project.latest('a')?.run_id,
          state: 'succeeded',
          repo_root: expect.stringMatching(/^<\d+ chars>$/),
        },
      ],
      problems: [],
    });
    expect(bundle.runs[0].segments[0].argv).toContain('--session-id');
  });

  test('never replaces a file unless it is told to', async () => {
    const {project, file} = await bundled();
    writeFileSync(file, 'mine');
    const refused = await project.run(['bundle', 'a']);
    expect(refused).toMatchObject({code: 1, out: ''});
    expect(refused.err).toContain('already exists');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await project.run(['bundle', 'a', '--force'])).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('journals.0.lines.length');
    expect((await project.run(['bundle', 'a', '--output', 'other.json'])).code).toBe(0);
    expect(readdirSync(project.folder)).toContain('other.json');
  });

  test('names what it could not read, and the first event whose replay differs', async () => {
    const {project, file} = await bundled();
    const journal = journalFile(project, 'a');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    const changed = lines.map((line, index) =>
      index === 3 ? JSON.stringify({...JSON.parse(line), state: 'idle'}) : line,
    );
    writeFileSync(journal, `${changed.join('\n')}\nno line\n`);
    const {out} = await project.run(['bundle', 'a', '--force', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      file,
      replay: {
        compared: 2,
        first: {
          entry: {seq: 3, state: 'idle'},
          difference: {state: {working: {work: 'locking'}}, status: 'active'},
        },
      },
    });
    expect(JSON.parse(readFileSync(file, 'utf8')).problems).toEqual([
      expect.stringMatching(/^journal of a-1-\w+: line \d+ cannot be read$/),
    ]);
  });

  test.each([
    {args: ['bundle', 'nobody'], message: 'unknown id "nobody"'},
    {args: ['bundle', 'a', 'a-9'], message: 'task a has no run "a-9"'},
  ])('refuses $args', async ({args, message}) => {
    const project = engineProject(planOf(task('a')));
    const {code, err} = await project.run(args);
    expect({code, err: err.split('\n')[0]}).toEqual({code: 1, err: `error: ${message}`});
    expect(readdirSync(project.folder).filter((name) => name.includes('bundle'))).toEqual([]);
  });
});
