import {execFile} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {bundleWorker} from '../../helpers/bundle-worker.ts';
import fc from '../../helpers/fast-check.ts';
import type {Fault, Step} from '../../helpers/fault-fs.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {sharedFolder} from '../../helpers/temp-folder.ts';
import type {Job, Report, ScenarioName} from '../../helpers/workers/store.worker.ts';

const folder = sharedFolder();
let worker = '';
let shim = '';

beforeAll(async () => {
  worker = await bundleWorker('helpers/workers/store.worker.ts', folder);
  shim = await bundleWorker('helpers/fault-fs.ts', folder);
});

/** The files of each scenario before the change. */
const before = {
  record: {'record.json': '{"state": "old"}\n'},
  plan: {
    'blackbird.plan.json': `${JSON.stringify({schemaVersion: 1, items: Object.fromEntries(planOf(task('a'), task('b')).items)}, null, 2)}\n`,
  },
  config: {'config.json': '{\n  "execution": {"pauseGraceSeconds": 7},\n  "future": [1,2]\n}\n'},
};
type Replacing = Exclude<ScenarioName, 'launch' | 'removal'>;
const isReplacing = (scenario: ScenarioName): scenario is Replacing => scenario in before;
const scenarios = Object.keys(before) as Replacing[];
const changedFile = (scenario: Replacing) => Object.keys(before[scenario])[0] ?? '';
const oldContent = (scenario: Replacing) => Object.values(before[scenario])[0] ?? '';

let lastNumber = 0;
function makeJob(scenario: ScenarioName, fault: Fault): Job {
  const own = path.join(folder, `job-${++lastNumber}`);
  mkdirSync(own);
  for (const [name, text] of Object.entries(before[isReplacing(scenario) ? scenario : 'plan']))
    writeFileSync(path.join(own, name), text, {mode: 0o600});
  return {scenario, folder: own, fault};
}

/** Runs the jobs in one process; null when it was killed before it reported. */
async function run(jobs: readonly Job[]): Promise<Report[] | null> {
  const input = path.join(folder, `jobs-${++lastNumber}.json`);
  const output = path.join(folder, `reports-${lastNumber}.json`);
  writeFileSync(input, JSON.stringify(jobs));
  const {code, signal, stderr} = await new Promise<{code: unknown; signal: unknown; stderr: string}>(
    (resolve) => {
      const child = execFile(process.execPath, ['--import', shim, worker, input, output], (_, __, text) =>
        resolve({code: child.exitCode, signal: child.signalCode, stderr: text}),
      );
    },
  );
  if (signal === 'SIGKILL') return null;
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  return JSON.parse(readFileSync(output, 'utf8')) as Report[];
}

async function runOne(job: Job): Promise<Report> {
  const [report] = (await run([job])) ?? [];
  if (!report) throw new Error('the worker did not report');
  return report;
}

/** Runs all jobs, this many at a time; the results are in the order of the jobs. */
async function inGroups<T, R>(jobs: readonly T[], size: number, work: (job: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let first = 0; first < jobs.length; first += size) {
    results.push(...(await Promise.all(jobs.slice(first, first + size).map(work))));
  }
  return results;
}

const contentOf = ({scenario, folder: own}: Job) =>
  isReplacing(scenario) ? readFileSync(path.join(own, changedFile(scenario)), 'utf8') : '';
const isTemporary = (name: string) => name.endsWith('.tmp');

test.each(scenarios)('%s: the change succeeds, and nothing is left beside it', async (scenario) => {
  const report = await runOne(makeJob(scenario, {kind: 'none'}));
  expect(report.error).toBeNull();
  expect(report.content).not.toBe(oldContent(scenario));
  expect(report.names.filter((name) => !name.endsWith('.lock'))).toEqual([changedFile(scenario)]);
});

describe.each(scenarios)('%s: killed', (scenario) => {
  test.each(['before', 'after', 'half'] as const)(
    '%s each step, one after another: the old content or the new, never anything else',
    async (when) => {
      const {steps, content: newContent} = await runOne(makeJob(scenario, {kind: 'none'}));
      const last = steps.length + 1;
      // Half a step differs from none only when bytes are written.
      const places = Array.from({length: last}, (_, index) => index + 1).filter(
        (at) => when !== 'half' || at === last || steps[at - 1]?.name === 'write',
      );
      const jobs = places.map((at) => makeJob(scenario, {kind: 'kill', when, at}));
      const reports = await inGroups(jobs, 4, (job) => run([job]));
      const killed = jobs.filter((_, index) => reports[index] === null);
      const contents = jobs.map(contentOf);

      // Every step was reached, and there is none after the last.
      expect(reports.map((report) => report === null)).toEqual(places.map((at) => at < last));
      for (const content of contents) expect([oldContent(scenario), newContent]).toContain(content);
      // What was acknowledged exists, and something was at stake.
      expect(contents.at(-1)).toBe(newContent);
      expect(contents[0]).toBe(oldContent(scenario));

      // The next writer succeeds, whatever was left, and leaves nothing.
      const recovered = await run(killed.map((job): Job => ({...job, fault: {kind: 'none'}})));
      const left = recovered?.map(({error, content, names}) => [error, content, names.filter(isTemporary)]);
      expect(left).toEqual(killed.map(() => [null, newContent, []]));
    },
  );
});

describe.each(scenarios)('%s: failing', (scenario) => {
  test.each([
    {code: 'EIO', reason: 'EIO: injected'},
    {code: 'ENOSPC', reason: 'the disk is full'},
    {code: 'EACCES', reason: 'permission denied'},
    {code: 'EROFS', reason: 'the file system is read-only'},
    {code: 'EMFILE', reason: 'EMFILE: injected'},
  ])(
    'with $code at each step, once and permanently: an error, the old content, nothing left beside it',
    async ({code}) => {
      const clean = await runOne(makeJob(scenario, {kind: 'none'}));
      const jobs = clean.steps.flatMap((_, index) =>
        [true, false].map((once) => makeJob(scenario, {kind: 'fail', code, at: index + 1, once})),
      );
      const reports = (await run(jobs)) ?? [];
      expect(reports.length).toBe(jobs.length);
      for (const [index, report] of reports.entries()) {
        const job = jobs[index];
        if (job?.fault.kind !== 'fail') throw new Error('every job here fails');
        const step = clean.steps[job.fault.at - 1];
        const tale = {step, once: job.fault.once, error: report.error};
        const {error, content, names} = report;
        const isReplaced = content === clean.content;
        expect(isReplaced || content === oldContent(scenario), JSON.stringify(tale)).toBe(true);
        expect(error === null || error.code.startsWith('E_'), JSON.stringify(tale)).toBe(true);
        if (error === null) expect(isReplaced, JSON.stringify(tale)).toBe(true);
        // It never reports that nothing changed when something did.
        if (isReplaced) expect(error?.message ?? '').not.toContain('nothing was changed');
        // Only when even removing fails can something be left.
        if (job.fault.once) expect(names.filter(isTemporary), JSON.stringify(tale)).toEqual([]);
      }
      const silent = reports.filter(({error}) => error === null).length;
      expect(silent).toBeLessThan(reports.length / 2);
    },
  );

  test('with short writes: every byte arrives', async () => {
    const clean = await runOne(makeJob(scenario, {kind: 'none'}));
    const report = await runOne(makeJob(scenario, {kind: 'short', bytes: 3}));
    expect([report.error, report.content]).toEqual([null, clean.content]);
    expect(report.steps.filter(({name}) => name === 'write').length).toBeGreaterThan(20);
  });

  test('with writes that accept nothing: an error, and no endless loop', async () => {
    const report = await runOne(makeJob(scenario, {kind: 'short', bytes: 0}));
    expect([report.error?.code, report.content]).toEqual(['E_STORE_WRITE', oldContent(scenario)]);
  });
});

test.each(scenarios)(
  '%s: a file that is shorter than what was written replaces nothing',
  async (scenario) => {
    const {error, content, names} = await runOne(makeJob(scenario, {kind: 'lossy'}));
    expect([error?.code, content, names.filter(isTemporary)]).toEqual([
      'E_STORE_WRITE',
      oldContent(scenario),
      [],
    ]);
  },
);

describe.each(scenarios)('%s: a power cut', (scenario) => {
  test('at any step leaves the old content or the new, and the new once it was acknowledged', async () => {
    const {steps, content: newContent} = await runOne(makeJob(scenario, {kind: 'none'}));
    const target = changedFile(scenario);
    const story = steps.map((step) => ({...step, file: path.basename(step.file)}));
    const choice = fc.record({
      cut: fc.nat({max: story.length}),
      survives: fc.array(fc.boolean(), {minLength: 64, maxLength: 64}),
      kept: fc.double({min: 0, max: 1, noNaN: true}),
    });
    fc.assert(
      fc.property(choice, ({cut, survives, kept}) => {
        const left = afterPowerCut(story.slice(0, cut), {target, old: oldContent(scenario), survives, kept});
        expect(cut === story.length ? [newContent] : [oldContent(scenario), newContent]).toContain(left);
      }),
      {numRuns: 5_000},
    );
  });

  test('would be noticed by this test if a sync were missing', async () => {
    const {steps, content: newContent} = await runOne(makeJob(scenario, {kind: 'none'}));
    const target = changedFile(scenario);
    const story = steps.map((step) => ({...step, file: path.basename(step.file)}));
    const worst = (left: Step[], survives: boolean) =>
      afterPowerCut(left, {target, old: oldContent(scenario), survives: Array(64).fill(survives), kept: 0});
    const withoutFileSync = story.filter(({name, file}) => !(name === 'sync' && isTemporary(file)));
    const withoutFolderSync = story.filter(({name, file}) => !(name === 'sync' && !isTemporary(file)));
    expect([withoutFileSync.length, withoutFolderSync.length]).toEqual([story.length - 1, story.length - 1]);
    expect(worst(story, false)).toBe(newContent);
    expect(worst(withoutFileSync, true)).toBe('');
    expect(worst(withoutFolderSync, false)).toBe(oldContent(scenario));
  });
});

test('a removed file stays removed: its folder is synced before the removal is reported', async () => {
  const job = makeJob('removal', {kind: 'none'});
  const {steps, error, names} = await runOne(job);
  expect({error, names}).toEqual({error: null, names: ['drafts', 'feedback', 'plans', 'runs']});
  const lasting = steps.flatMap(({name, file}) =>
    name === 'unlink' || name === 'sync' ? [`${name} ${path.relative(job.folder, file)}`] : [],
  );
  expect(lasting).toEqual([
    ...['unlink blackbird.plan.json', 'sync '],
    ...['unlink drafts/a.feedback.json', 'sync drafts'],
    ...['unlink feedback/a.json', 'sync feedback'],
    ...['unlink plans/a.json', 'sync plans'],
    ...['unlink runs/a/a-1.comments/c1.json', 'sync runs/a/a-1.comments'],
  ]);
});

describe('a run that is about to be launched', () => {
  const launch = (fault: Fault) => makeJob('launch', fault);
  const placeOf = (file: string) => path.relative(folder, file).split(path.sep).slice(1).join('/');
  const storyOf = (steps: Report['steps']) =>
    steps.map((step) => `${step.name} ${placeOf(step.name === 'rename' ? step.to : step.file)}`);

  test('is durable, name and folder, when its insert returns: before the plan mentions it', async () => {
    const {steps, error} = await runOne(launch({kind: 'none'}));
    expect(error).toBeNull();
    const durable = storyOf(steps).filter(
      (step) => /^(mkdir|rename|sync) /.test(step) && !step.endsWith('.tmp'),
    );
    expect(durable).toEqual([
      ...['mkdir runs', 'sync ', 'mkdir runs/a', 'sync runs'],
      ...['rename runs/a/a-1.json', 'sync runs/a'],
      ...['rename blackbird.plan.json', 'sync '],
      ...['rename runs/a/a-1.json', 'sync runs/a'],
    ]);
  });

  test('makes folders durable that a killed Blackbird left, before its record is in them', async () => {
    const job = launch({kind: 'none'});
    mkdirSync(path.join(job.folder, 'runs', 'a'), {recursive: true});
    const {steps} = await runOne(job);
    const story = storyOf(steps);
    const begun = story.slice(0, story.indexOf('rename runs/a/a-1.json'));
    expect(begun.filter((step) => step.startsWith('sync ') && !step.endsWith('.tmp'))).toEqual([
      'sync ',
      'sync runs',
    ]);
  });

  test('never continues after a failed sync, whichever it was', async () => {
    const {steps} = await runOne(launch({kind: 'none'}));
    const syncs = steps.flatMap(({name}, index) => (name === 'sync' ? [index + 1] : []));
    const jobs = syncs.map((at) => launch({kind: 'fail', code: 'EIO', at, once: true}));
    const reports = await inGroups(jobs, 4, runOne);
    expect(syncs.length).toBe(8);
    expect(reports.map(({error}) => error?.code)).toEqual(syncs.map(() => 'E_STORE_WRITE'));
    for (const {content} of reports)
      expect(content === '' || JSON.parse(content).run_id === 'a-1').toBe(true);
  });
});

/**
 * What a file contains after a power cut, by the weakest promise a file system makes: data is safe after
 * the file's sync, names after the folder's; until then each may survive, be lost or be cut short.
 */
function afterPowerCut(
  steps: readonly Step[],
  {target, old, survives, kept}: {target: string; old: string; survives: readonly boolean[]; kept: number},
): string {
  const written = new Map<string, string>();
  const safe = new Set<string>();
  let name: {content: () => string} = {content: () => old};
  let pending: Array<{content: () => string}> = [];
  for (const step of steps) {
    if (step.name === 'write') {
      written.set(step.file, (written.get(step.file) ?? '') + step.text);
      safe.delete(step.file);
    } else if (step.name === 'sync' && written.has(step.file)) safe.add(step.file);
    else if (step.name === 'sync') {
      name = pending.at(-1) ?? name;
      pending = [];
    } else if (step.name === 'rename' && path.basename(step.to) === target) {
      const {file} = step;
      pending.push({
        content: () => {
          const text = written.get(file) ?? '';
          return safe.has(file) ? text : text.slice(0, Math.floor(text.length * kept));
        },
      });
    }
  }
  const last = pending.findLast((_, index) => survives[index]);
  return (last ?? name).content();
}
