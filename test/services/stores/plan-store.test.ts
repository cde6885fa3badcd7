import {execFile} from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {addTask, editTask} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {ProcessLock} from '../../../src/services/contracts/lock.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import {createPlanStore} from '../../../src/services/stores/plan-store.ts';
import {versionOf} from '../../../src/services/stores/whole-file.ts';
import {bundleWorker} from '../../helpers/bundle-worker.ts';
import {rejectionOf, seen} from '../../helpers/errors.ts';
import {canMount, mountTmpfs, remount} from '../../helpers/mounts.ts';
import {hugeLineage, hugeSize, made, now, planOf, task, taskIn} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const goPlanFile = path.resolve(import.meta.dirname, '../../fixtures/plans/go-plan.json');
const goPlan = readFileSync(goPlanFile);

function openProject(content?: string | Buffer, {lock}: {lock?: ProcessLock} = {}) {
  const folder = temporaryFolder();
  const file = path.join(folder, 'blackbird.plan.json');
  if (content !== undefined) writeFileSync(file, content);
  const open = () =>
    createPlanStore({
      file,
      lock: async () => lock ?? createProcessLock(path.join(folder, 'plan.lock')),
      rules: {check: checkRawPlan, checkChange: checkPlanChange},
    });
  return {folder, file, store: open(), open};
}

const textOf = (plan: Plan, rest: object = {}) =>
  JSON.stringify({schemaVersion: 1, items: Object.fromEntries(plan.items), ...rest}, null, 2);

const add = (id: string) => (plan: Plan) => addTask(plan, {id, title: id, parentId: null}, now);

describe('a plan that does not exist', () => {
  test('is named, with the command to create one', async () => {
    const {store, file, folder} = openProject();
    const expected = {
      code: 'E_PLAN_NOT_FOUND',
      message: `plan file not found: ${file}`,
      details: [],
      next: [{command: 'blackbird init', why: 'create an empty plan here'}],
    };
    expect(seen(await rejectionOf(store.read()))).toEqual(expected);
    expect(seen(await rejectionOf(store.inspect()))).toEqual(expected);
    expect(seen(await rejectionOf(store.update(add('a'))))).toEqual(expected);
    expect(readdirSync(folder)).toEqual(['plan.lock']);
  });

  test('is created empty, once, and no more private than other files of the project', async () => {
    const {store, file, open} = openProject();
    expect([await store.create(), await store.create(), await open().create()]).toEqual([true, false, false]);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "schemaVersion": 1,\n  "items": {}\n}\n');
    const other = `${file}.other`;
    writeFileSync(other, '');
    expect(statSync(file).mode).toBe(statSync(other).mode);
    expect(await store.read()).toEqual({schemaVersion: 1, items: new Map()});
  });

  test('is created once by many at the same time', async () => {
    const {open} = openProject();
    const created = await Promise.all(Array.from({length: 8}, () => open().create()));
    expect(created.filter(Boolean).length).toBe(1);
  });

  test('is not created through a link', async () => {
    const {store, file, folder} = openProject();
    symlinkSync('elsewhere.json', file);
    expect((await rejectionOf(store.create())).code).toBe('E_STORE_UNSAFE');
    expect(existsSync(path.join(folder, 'elsewhere.json'))).toBe(false);
  });

  test('can be created again, without anything of the previous one', async () => {
    const {store, file} = openProject(goPlan);
    await store.read();
    rmSync(file);
    expect(await store.create()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "schemaVersion": 1,\n  "items": {}\n}\n');
  });
});

describe('an update', () => {
  test('of a plan of the Go program changes one item’s status and time, and no other byte', async () => {
    const {store, file} = openProject(goPlan);
    const {before, after} = await store.update((plan) => setStatus(plan, '2', 'in_progress', now));
    expect([taskIn(before, '2').status, taskIn(after, '2').status]).toEqual(['todo', 'in_progress']);
    const parts = goPlan
      .toString('utf8')
      .split(/("status": "todo",\n {6}"createdAt": ".*",\n {6}"updatedAt": ".*")/);
    expect(readFileSync(file, 'utf8')).toBe(
      [
        parts[0],
        `"status": "in_progress",\n      "createdAt": "2026-01-31T09:15:02.123456789Z",\n      "updatedAt": "${now}"`,
        ...parts.slice(2),
      ].join(''),
    );
  });

  test('continues from what is on disk, every time', async () => {
    const {store, file, open} = openProject(goPlan);
    await store.update((plan) => setStatus(plan, '2', 'in_progress', now));
    await open().update((plan) => editTask(plan, '10', {notes: 'by another'}, now));
    await store.update((plan) => setStatus(plan, '2', 'todo', '2026-01-31T09:15:02.123456789Z'));
    expect(readFileSync(file, 'utf8')).toBe(
      goPlan
        .toString('utf8')
        .replace('"2026-01-31T10:00:00.000000001Z"', `"${now}"`)
        .replace('"see docs/config.md"', '"by another"'),
    );
  });

  test('that changes nothing writes nothing', async () => {
    const {store, file} = openProject(goPlan);
    const version = versionOf(file);
    const {before, after} = await store.update((plan) => setStatus(plan, '2', 'todo', now));
    expect(after).toBe(before);
    expect(versionOf(file)).toBe(version);
  });

  test.each<{name: string; change: (plan: Plan) => Plan; details: Array<[string, string]>}>([
    {
      name: 'a wrong field',
      change: (plan) => ({...plan, items: new Map(plan.items).set('a', {...taskIn(plan, 'a'), title: ' '})}),
      details: [['$.items["a"].title', 'required']],
    },
    {
      name: 'a broken relation',
      change: (plan) => ({...plan, items: new Map([...plan.items].filter(([id]) => id !== 'a'))}),
      details: [['$.items["b"].deps[0]', 'unknown dep id "a"']],
    },
    {
      name: 'many mistakes',
      change: (plan) => ({
        ...plan,
        items: new Map(plan.items).set('c', task('c', {deps: ['1', '2', '3', '4', '5', '6', '7']})),
      }),
      details: [
        ...[1, 2, 3, 4, 5].map((id): [string, string] => [
          `$.items["c"].deps[${id - 1}]`,
          `unknown dep id "${id}"`,
        ]),
        ['…', 'and 2 more'],
      ],
    },
  ])('into an invalid plan is refused: $name', async ({change, details}) => {
    const {store, file, folder} = openProject(textOf(planOf(task('a'), task('b', {deps: ['a']}))));
    const version = versionOf(file);
    expect(seen(await rejectionOf(store.update(change)))).toEqual({
      code: 'E_PLAN_EDIT',
      message: 'this change would make the plan invalid; nothing was written',
      details,
      next: [],
    });
    expect(versionOf(file)).toBe(version);
    expect(readdirSync(folder)).toEqual(['blackbird.plan.json', 'plan.lock']);
    await store.update(add('c'));
  });

  test('that fails leaves the plan and releases the lock', async () => {
    const {store, file} = openProject(goPlan);
    await expect(
      store.update(() => {
        throw new Error('a bug');
      }),
    ).rejects.toThrow('a bug');
    expect(readFileSync(file)).toEqual(goPlan);
    await store.update(add('new'));
    expect((await store.read()).items.has('new')).toBe(true);
  });

  test('keeps the mode of the file', async () => {
    const {store, file} = openProject(goPlan);
    chmodSync(file, 0o644);
    await store.update(add('new'));
    expect((statSync(file).mode & 0o777).toString(8)).toBe('644');
  });

  test.each([
    '../x',
    'a/b',
    'CON',
    '/etc/passwd',
    '..',
    '__proto__',
    'constructor',
    'a b',
    'x'.repeat(256),
    '😀',
  ])('of the id %j works, and touches nothing outside', async (id) => {
    const {store, folder} = openProject(
      textOf(planOf()).replace('{}', `{${JSON.stringify(id)}: ${JSON.stringify(task(id))}}`),
    );
    await store.update((plan) => setStatus(plan, id, 'done', now));
    expect(taskIn(await store.read(), id)).toEqual(task(id, {status: 'done', updatedAt: now}));
    expect(readdirSync(folder)).toEqual(['blackbird.plan.json', 'plan.lock']);
  });
});

describe('a plan that changes while in use', () => {
  test('is read again', async () => {
    const {store, file} = openProject(textOf(planOf(task('a'))));
    expect([...(await store.read()).items.keys()]).toEqual(['a']);
    writeFileSync(`${file}.new`, textOf(planOf(task('a'), task('b'))));
    renameSync(`${file}.new`, file);
    expect([...(await store.read()).items.keys()]).toEqual(['a', 'b']);
    writeFileSync(file, textOf(planOf(task('ccc'))));
    expect([...(await store.read()).items.keys()]).toEqual(['ccc']);
    rmSync(file);
    expect((await rejectionOf(store.read())).code).toBe('E_PLAN_NOT_FOUND');
  });

  test('is not read again while it is unchanged', async () => {
    const {store} = openProject(goPlan);
    expect(await store.read()).toBe(await store.read());
  });

  test('is read by many at once, at any step of each other', async () => {
    const {store, file} = openProject(textOf(planOf(task('a'))));
    const readLater = async (steps: number) => {
      for (let step = 0; step < steps; step++) await null;
      return (await store.read()).items.size;
    };
    for (let size = 1; size <= 20; size++) {
      const plan = planOf(Array.from({length: size}, (_, index) => task(`t${index}`)));
      writeFileSync(`${file}.new`, textOf(plan));
      renameSync(`${file}.new`, file);
      const sizes = await Promise.all(Array.from({length: 40}, (_, steps) => readLater(steps)));
      expect(sizes).toEqual(sizes.map(() => size));
    }
  });

  test('a repaired plan is used at once', async () => {
    const {store, file} = openProject('{"schemaVersion": 1');
    expect((await rejectionOf(store.read())).code).toBe('E_STORE_CORRUPT');
    writeFileSync(file, textOf(planOf(task('a'))));
    expect((await store.update(add('b'))).after.items.size).toBe(2);
  });
});

describe('an unusable plan', () => {
  test.each<{name: string; content: string | Buffer; code: string}>([
    {name: 'empty', content: '', code: 'E_STORE_CORRUPT'},
    {name: 'null', content: 'null', code: 'E_STORE_CORRUPT'},
    {name: 'a list', content: '[]', code: 'E_STORE_CORRUPT'},
    {name: 'truncated', content: goPlan.subarray(0, 500), code: 'E_STORE_CORRUPT'},
    {name: 'binary', content: Buffer.from([0, 1, 2, 0xff]), code: 'E_STORE_CORRUPT'},
    {name: 'with a byte order mark', content: `\ufeff${goPlan}`, code: 'E_STORE_CORRUPT'},
    {name: 'followed by something else', content: `${goPlan}{}`, code: 'E_STORE_CORRUPT'},
    {
      name: 'nested too deep in an unknown field',
      content: textOf(planOf(), {x: JSON.parse('['.repeat(80) + ']'.repeat(80))}),
      code: 'E_STORE_CORRUPT',
    },
    {name: 'without items', content: '{"schemaVersion": 1}', code: 'E_PLAN_INVALID'},
    {name: 'of another version', content: '{"schemaVersion": 2, "items": {}}', code: 'E_PLAN_INVALID'},
    {
      name: 'with an id of 300 characters',
      content: textOf(planOf(task('x'.repeat(300)))),
      code: 'E_PLAN_INVALID',
    },
    {
      name: 'with the same task twice',
      content: `{"schemaVersion":1,"items":{"a":${JSON.stringify(task('a'))},"a":${JSON.stringify(task('a'))}}}`,
      code: 'E_PLAN_INVALID',
    },
    {
      name: 'with a cycle',
      content: textOf(planOf(task('a', {deps: ['b']}), task('b', {deps: ['a']}))),
      code: 'E_PLAN_INVALID',
    },
  ])('$name: refused by every command that needs it, and left as it is', async ({content, code}) => {
    const {store, file, folder} = openProject(content);
    expect((await rejectionOf(store.read())).code).toBe(code);
    expect((await rejectionOf(store.update(add('new')))).code).toBe(code);
    expect(await store.create()).toBe(false);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
    expect(readdirSync(folder)).toEqual(['blackbird.plan.json', 'plan.lock']);
  });

  test('can be inspected: the answer is what is wrong with it', async () => {
    const {store} = openProject('{"schemaVersion": 3, "items": []}');
    expect(await store.inspect()).toEqual({
      problems: [
        {path: '$.schemaVersion', message: 'unsupported schemaVersion 3 (expected 1)'},
        {path: '$.items', message: 'required (must be an object/map)'},
      ],
    });
  });

  test('lists the first five mistakes', async () => {
    const {store, file} = openProject(textOf(planOf(task('a', {deps: ['1', '2', '3', '4', '5', '6']}))));
    expect(seen(await rejectionOf(store.read()))).toEqual({
      code: 'E_PLAN_INVALID',
      message: `plan is invalid: ${file}`,
      details: [
        ...[1, 2, 3, 4, 5].map((id) => [`$.items["a"].deps[${id - 1}]`, `unknown dep id "${id}"`]),
        ['…', 'and 1 more'],
      ],
      next: [{command: 'blackbird validate', why: 'see everything that is wrong'}],
    });
  });

  test('because it may not be written: still read, every change refused', async () => {
    const {store, file} = openProject(goPlan);
    chmodSync(file, 0o444);
    expect((await store.read()).items.size).toBe(4);
    expect((await rejectionOf(store.update(add('new')))).message).toBe(
      `cannot write the plan ${file}: permission denied; nothing was changed`,
    );
    expect(readFileSync(file)).toEqual(goPlan);
  });

  test('because it is a link: still read, every change refused', async () => {
    const {store, file, folder} = openProject();
    copyFileSync(goPlanFile, path.join(folder, 'real.json'));
    symlinkSync('real.json', file);
    expect((await store.read()).items.size).toBe(4);
    expect((await rejectionOf(store.update(add('new')))).code).toBe('E_STORE_UNSAFE');
    expect(readFileSync(path.join(folder, 'real.json'))).toEqual(goPlan);
  });

  test('because it is a folder', async () => {
    const {store, file} = openProject();
    mkdirSync(file);
    expect((await rejectionOf(store.read())).code).toBe('E_STORE_CORRUPT');
    expect((await rejectionOf(store.update(add('new')))).code).toBe('E_STORE_CORRUPT');
  });

  test('cut at any byte, or with any byte changed: an error or a valid plan, never anything else', async () => {
    const {store, file} = openProject(goPlan);
    const flipped = (index: number, bit: number) => {
      const copy = Buffer.from(goPlan);
      copy[index] = (copy[index] ?? 0) ^ (1 << (bit % 8));
      return copy;
    };
    const damaged = [...goPlan.keys()].flatMap((index) => [
      goPlan.subarray(0, index),
      flipped(index, index),
      flipped(index, index + 5),
    ]);
    const outcomes = new Map<string, number>();
    for (const content of damaged) {
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
      const outcome = await store.inspect().then(
        (check) => ('plan' in check ? 'valid' : 'invalid'),
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['E_STORE_CORRUPT', 'invalid', 'valid']);
    expect(damaged.length).toBeGreaterThan(5_000);
  });
});

describe('the lock', () => {
  test('names who has held it too long, and nothing is written', async () => {
    const identity = {pid: 4711, startTime: '1', bootId: 'b', pidNamespace: 'n', since: made};
    const waits: number[] = [];
    const taken: ProcessLock = {
      acquire: async ({waitSeconds}) => {
        waits.push(waitSeconds);
        return {acquired: false, holder: identity};
      },
      holder: async () => identity,
    };
    const {store, file} = openProject(goPlan, {lock: taken});
    expect(seen(await rejectionOf(store.update(add('new'))))).toEqual({
      code: 'E_LOCK_TIMEOUT',
      message: 'process 4711 has held the lock of the plan for more than 20 seconds',
      details: [['plan', file]],
      next: [],
    });
    expect([waits, readFileSync(file)]).toEqual([[20], goPlan]);
  });

  test('is not needed to read', async () => {
    const broken: ProcessLock = {
      acquire: () => Promise.reject(new Error('no lock')),
      holder: () => Promise.reject(new Error('no lock')),
    };
    const {store} = openProject(goPlan, {lock: broken});
    expect((await store.read()).items.size).toBe(4);
    await expect(store.update(add('new'))).rejects.toThrow('no lock');
  });

  test('serialises changes made by one process at one moment', async () => {
    const {store, open} = openProject(textOf(planOf()));
    const stores = [store, open(), open()];
    await Promise.all(Array.from({length: 60}, (_, index) => stores[index % 3]?.update(add(`t${index}`))));
    expect((await open().read()).items.size).toBe(60);
  });

  test('loses no change of any process', async () => {
    const {folder, store} = openProject(textOf(planOf()));
    const worker = await bundleWorker('helpers/workers/plan.worker.ts', folder);
    const run = promisify(execFile);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [worker, folder, name, '25'])),
    );
    const ids = [...(await store.read()).items.keys()].sort();
    expect(ids).toEqual(
      ['a', 'b', 'c', 'd']
        .flatMap((name) => Array.from({length: 25}, (_, index) => `${name}-${index}`))
        .sort(),
    );
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('a huge plan', () => {
  test('is read, changed in all its tasks at once, and read again', async () => {
    const {store, open} = openProject(textOf(hugeLineage()));
    await store.update((plan) => setStatus(plan, `g${hugeSize - 1}`, 'done', now));
    const plan = await open().read();
    expect(new Set([...plan.items.values()].map(({status}) => status))).toEqual(new Set(['done']));
  });
});

describe.skipIf(!canMount)('a disk (needs the right to mount)', () => {
  function openMounted() {
    const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=32k,mode=700');
    const file = path.join(folder, 'blackbird.plan.json');
    writeFileSync(file, goPlan);
    const store = createPlanStore({
      file,
      lock: async () => createProcessLock(path.join(folder, 'plan.lock')),
      rules: {check: checkRawPlan, checkChange: checkPlanChange},
    });
    return {folder, file, store};
  }

  test('that is full is named as the reason, the plan stays, and works again with free space', async () => {
    const {folder, file, store} = openMounted();
    const ballast = path.join(folder, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(64 * 1024))).toThrow('ENOSPC');
    expect((await rejectionOf(store.update(add('new')))).message).toBe(
      `cannot write the plan ${file}: the disk is full; nothing was changed`,
    );
    expect(readFileSync(file)).toEqual(goPlan);
    rmSync(ballast);
    await store.update(add('new'));
    expect((await store.read()).items.has('new')).toBe(true);
  });

  test('that is read-only is named as the reason, and the plan can be read', async () => {
    const {folder, file, store} = openMounted();
    remount(folder, 'ro');
    expect((await store.read()).items.size).toBe(4);
    expect((await rejectionOf(store.update(add('new')))).message).toBe(
      `cannot take the lock ${path.join(folder, 'plan.lock')}: the file system is read-only`,
    );
    expect([readFileSync(file), readdirSync(folder)]).toEqual([goPlan, ['blackbird.plan.json']]);
  });
});
