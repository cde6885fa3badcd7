import {cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {verifyEntries} from '../../src/machines/replay.ts';
import {type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {planOf} from '../helpers/plans.ts';
import {readJournal} from '../helpers/read-journal.ts';
import {type CliProject, cliProject} from '../helpers/run-cli.ts';

// Projects as earlier versions left them (scripts/record-project.mjs), read and continued by this one.

const recorded = path.join(import.meta.dirname, '../fixtures/upgrade');
const versions = readdirSync(recorded).sort();
/** Before it there were no checkpoints, no parent reviews and no journals. */
const oldest = 'first-runs';

/** Copies a recorded project into a folder, as if it had been made there. */
function layOut(version: string, folder: string): void {
  rmSync(folder, {recursive: true});
  cpSync(path.join(recorded, version), folder, {recursive: true});
  // The file that hides all of it from git is not part of the recording.
  writeFileSync(path.join(folder, '.blackbird', '.gitignore'), '*\n!.gitignore\n!config.json\n');
  for (const file of filesIn(folder)) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    writeFileSync(path.join(folder, file), text.replaceAll('"/project"', JSON.stringify(folder)));
  }
}

function readOnly(version: string): CliProject {
  const project = cliProject();
  layOut(version, project.folder);
  return project;
}

function atWork(version: string): EngineProject {
  const project = engineProject(planOf());
  layOut(version, project.folder);
  return project;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .sort();

/** Every file with its bytes, except for locks. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    filesIn(folder)
      .filter((file) => !file.endsWith('.lock'))
      .map((file) => [file, readFileSync(path.join(folder, file), 'latin1')]),
  );

const taskIds = ['done', 'failed', 'last', 'looked-at', 'page', 'question', 'site', 'slow'];

describe.each(versions)('a project of %s', (version) => {
  const isOldest = version === oldest;

  test('is read whole, and reading changes nothing', async () => {
    const project = readOnly(version);
    const before = contents(project.folder);
    const listed = (await project.json(['list', '--all'])) as {tasks: Array<{id: string; status: string}>};
    expect(Object.fromEntries(listed.tasks.map(({id, status}) => [id, status]))).toEqual({
      done: 'done',
      failed: 'todo',
      last: 'todo',
      'looked-at': isOldest ? 'todo' : 'in_progress',
      page: 'done',
      question: 'waiting_user',
      slow: 'in_progress',
    });
    const states: Record<string, readonly string[]> = {};
    for (const id of taskIds) {
      const {runs, broken} = (await project.json(['runs', id])) as {
        runs: Array<{state: string}>;
        broken: unknown[];
      };
      expect({id, broken}).toEqual({id, broken: []});
      states[id] = runs.map(({state}) => state);
      for (const command of ['show', 'why']) expect((await project.run([command, id])).code).toBe(0);
    }
    expect(states).toEqual({
      done: ['succeeded'],
      failed: ['failed'],
      last: [],
      'looked-at': isOldest ? [] : ['succeeded'],
      page: ['succeeded'],
      question: ['waiting'],
      site: isOldest ? [] : ['succeeded'],
      slow: ['paused'],
    });
    for (const command of ['status', 'report', 'next', 'validate', 'config list']) {
      expect({command, ...(await project.run(command.split(' ')))}).toMatchObject({code: 0, err: ''});
    }
    expect(contents(project.folder)).toEqual(before);
  });

  test('has journals that replay, up to a first difference that is named', () => {
    const runs = path.join(recorded, version, '.blackbird', 'runs');
    const journals = filesIn(runs).filter((file) => file.endsWith('.journal.jsonl'));
    expect(journals.map((file) => path.dirname(file))).toEqual(isOldest ? [] : ['looked-at', 'site', 'slow']);
    for (const file of journals) {
      const {entries, broken} = readJournal(path.join(runs, file));
      const {first, compared} = verifyEntries(entries);
      expect(broken).toEqual([]);
      // Machines change: then the first entry that differs today is named.
      if (first === null) expect(compared).toBe(entries.length);
      else expect(first.entry).toBe(entries[compared]);
    }
  });
});

test('what an earlier version left open continues in its own sessions', async () => {
  const project = atWork(oldest);
  expect(await project.run(['resume', 'question', '--answer', 'colour=blue'])).toMatchObject({code: 0});
  expect(await project.run(['resume', 'slow'])).toMatchObject({code: 0});
  expect(project.text('palette.css')).toBe('chosen\n');
  expect(project.text('slow.txt')).toBe('done\n');
  expect(project.statuses()).toMatchObject({question: 'done', slow: 'done'});
});

test('a decision that an earlier version asked for is made by this one', async () => {
  const project = atWork('first-journals');
  const {code} = await project.run(['review', 'looked-at', '--approve-quit']);
  expect({code, state: project.latest('looked-at')?.decision_state}).toEqual({
    code: 0,
    state: 'approved_quit',
  });
  expect(project.statuses()['looked-at']).toBe('done');
});

type Newer = {
  readonly file: string;
  readonly version: string;
  /** What is impossible then, with the error code. */
  readonly refused: ReadonlyArray<readonly [command: string, code: string]>;
};

const newest = '0.1.0';
const fileLike = (pattern: RegExp): string =>
  filesIn(path.join(recorded, newest)).find((file) => pattern.test(file)) ?? '';

describe('a file of a newer version is refused, not misread and not rewritten', () => {
  test.each<Newer>([
    {
      file: 'blackbird.plan.json',
      version: 'schemaVersion',
      refused: [
        ['list', 'E_PLAN_INVALID'],
        ['show slow', 'E_PLAN_INVALID'],
        ['execute', 'E_PLAN_INVALID'],
        ['resume slow', 'E_PLAN_INVALID'],
        ['set-status slow done', 'E_PLAN_INVALID'],
        ['add --id new --title New', 'E_PLAN_INVALID'],
      ],
    },
    {
      file: '.blackbird/config.json',
      version: 'schemaVersion',
      refused: [
        ['config set execution.stopOnFailure true', 'E_CONFIG'],
        ['execute last', 'E_CONFIG'],
        ['resume slow', 'E_CONFIG'],
      ],
    },
    {
      file: fileLike(/runs.slow.slow-[\w-]+\.json$/),
      version: 'schema_version',
      refused: [
        ['resume slow', 'E_STORE_CORRUPT'],
        ['restart slow --yes', 'E_STORE_CORRUPT'],
        ['execute slow', 'E_STORE_CORRUPT'],
      ],
    },
    {
      file: '.blackbird/agent.json',
      version: 'schemaVersion',
      refused: [['execute last', 'E_STORE_CORRUPT']],
    },
  ])('$file', async ({file, version, refused}) => {
    const project = readOnly(newest);
    const whole = path.join(project.folder, file);
    const value = JSON.parse(readFileSync(whole, 'utf8'));
    expect(value[version]).toBe(1);
    writeFileSync(whole, JSON.stringify({...value, [version]: 2, meaning: {of: 'a later version'}}));
    const before = contents(project.folder);
    for (const [command, code] of refused) {
      const {err} = await project.run([...command.split(' '), '--json']);
      expect({command, ...JSON.parse(err)}).toMatchObject({command, error: {code}});
    }
    // A refused job may have a record; nothing that existed changes.
    expect(contents(project.folder)).toMatchObject(before);
  });

  test('a job record: what ran is shown without it, and a new job does not touch it', async () => {
    const project = readOnly(newest);
    const file = fileLike(/jobs.[\w-]+\.json$/);
    const whole = path.join(project.folder, file);
    const text = readFileSync(whole, 'utf8').replace('"schemaVersion": 1', '"schemaVersion": 2');
    writeFileSync(whole, text);
    const jobId = path.basename(file, '.json');
    const {error} = await project.error(['report', '--job', jobId]);
    expect(error).toMatchObject({code: 'E_STORE_CORRUPT'});
    expect((await project.run(['status'])).code).toBe(0);
    expect(readFileSync(whole, 'utf8')).toBe(text);
  });

  test('a journal: none of its lines is read', () => {
    const project = readOnly(newest);
    const file = path.join(project.folder, fileLike(/slow-.*journal\.jsonl$/));
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"format":1', '"format":2'));
    const {entries, broken, headers} = readJournal(file);
    expect({entries, headers}).toEqual({entries: [], headers: []});
    expect(broken.length).toBeGreaterThan(1);
  });

  test('a bundle', async () => {
    const project = readOnly(newest);
    expect((await project.run(['bundle', 'slow', '--output', 'slow.bundle'])).code).toBe(0);
    const file = path.join(project.folder, 'slow.bundle');
    const bundle = JSON.parse(readFileSync(file, 'utf8'));
    mkdirSync(path.join(project.folder, 'sent'));
    const sent = path.join(project.folder, 'sent', 'bundle');
    writeFileSync(sent, JSON.stringify({...bundle, format: bundle.format + 1}));
    const {error} = await project.error(['inspect', '--bundle', sent]);
    expect(error).toMatchObject({code: 'E_STORE_CORRUPT'});
  });
});
