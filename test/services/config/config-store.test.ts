import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {resolveConfig} from '../../../src/machines/policies/config-resolution.ts';
import {createConfigStore} from '../../../src/services/config/config-store.ts';
import {
  type SettingKey,
  type SettingValue,
  settingKeys,
  settings,
} from '../../../src/services/contracts/config.ts';
import {versionOf} from '../../../src/services/stores/whole-file.ts';
import {createWriteTrail} from '../../../src/services/stores/write-trail.ts';
import {rejectionOf, seen} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

function openStore(contents: {project?: string | Buffer; global?: string | Buffer} = {}) {
  const folder = temporaryFolder();
  const files = {
    project: path.join(folder, 'shop', '.blackbird', 'config.json'),
    global: path.join(folder, 'home', '.blackbird', 'config.json'),
  };
  for (const name of ['project', 'global'] as const) {
    mkdirSync(path.dirname(path.dirname(files[name])));
    const content = contents[name];
    if (content === undefined) continue;
    mkdirSync(path.dirname(files[name]));
    writeFileSync(files[name], content);
  }
  return {files, store: createConfigStore(files)};
}

const modeOf = (file: string) => (lstatSync(file).mode & 0o777).toString(8);

describe('the layers', () => {
  test('are empty without files', async () => {
    const {store, files} = openStore();
    expect(await store.layers()).toEqual([
      {name: 'project', file: files.project, content: null},
      {name: 'global', file: files.global, content: null},
    ]);
  });

  test('are what the files contain, the project first', async () => {
    const {store, files} = openStore({project: '{"a": {"b": 1}}', global: '{"schemaVersion": 9}'});
    expect(await store.layers()).toEqual([
      {name: 'project', file: files.project, content: {a: {b: 1}}},
      {name: 'global', file: files.global, content: {schemaVersion: 9}},
    ]);
  });

  test.each<{name: string; content: string | Buffer; problem: RegExp}>([
    {name: 'empty', content: '', problem: /^it is empty$/},
    {name: 'null', content: 'null', problem: /^it contains null$/},
    {name: 'a list', content: '[]', problem: /^it does not contain a JSON object$/},
    {name: 'torn', content: '{"execution": {', problem: /^it is not valid JSON: /},
    {name: 'binary', content: Buffer.from([0xff, 0xfe]), problem: /^it is not UTF-8 text$/},
    {
      name: 'too deep',
      content: `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
      problem: /^it is nested deeper than 64 levels$/,
    },
    {
      name: 'larger than a MiB',
      content: `{"a":"${'x'.repeat(1024 * 1024)}"}`,
      problem: /^it is larger than 1 MiB$/,
    },
  ])('that are unusable say why, and the other one still counts: $name', async ({content, problem}) => {
    const {store, files} = openStore({project: content, global: '{"execution": {"stopOnFailure": true}}'});
    const layers = await store.layers();
    expect(layers).toEqual([
      {name: 'project', file: files.project, content: null, problem: expect.stringMatching(problem)},
      {name: 'global', file: files.global, content: {execution: {stopOnFailure: true}}},
    ]);
    const {values, warnings} = resolveConfig(layers);
    expect(values.get('execution.stopOnFailure')).toEqual({value: true, source: 'global'});
    expect(warnings.length).toBe(1);
  });

  test('with a folder in place of a file say why', async () => {
    const {store, files} = openStore();
    mkdirSync(files.project, {recursive: true});
    expect((await store.layers())[0]?.problem).toBe('it is not a regular file');
  });

  test('may be one and the same file', async () => {
    const {files} = openStore({project: '{"execution": {"stopOnFailure": true}}'});
    const store = createConfigStore({project: files.project, global: files.project});
    expect(resolveConfig(await store.layers()).values.get('execution.stopOnFailure')?.source).toBe('project');
  });
});

describe('writing', () => {
  test.each<{
    name: string;
    before: string | null;
    key: SettingKey;
    value: SettingValue | undefined;
    after: string | null;
  }>([
    {
      name: 'the first value creates the file',
      before: null,
      key: 'execution.stopOnFailure',
      value: true,
      after: '{\n  "schemaVersion": 1,\n  "execution": {\n    "stopOnFailure": true\n  }\n}\n',
    },
    {
      name: 'a value is changed in place',
      before: '{"tui":{"x":1},"execution":{"pauseGraceSeconds":7,"future":[1,2]},"10":1.0}\n',
      key: 'execution.pauseGraceSeconds',
      value: 20,
      after: '{"tui":{"x":1},"execution":{"pauseGraceSeconds":20,"future":[1,2]},"10":1.0}\n',
    },
    {
      name: 'a value is added to its section',
      before: '{\n  "execution": {\n    "future": true\n  }\n}\n',
      key: 'execution.stopOnFailure',
      value: false,
      after: '{\n  "execution": {\n    "future": true,\n    "stopOnFailure": false\n  }\n}\n',
    },
    {
      name: 'a value is added with its section',
      before: '{\n  "future": {"x": [1, 2]}\n}\n',
      key: 'planning.maxPlanAutoRefinePasses',
      value: 0,
      after: '{\n  "future": {"x": [1, 2]},\n  "planning": {\n    "maxPlanAutoRefinePasses": 0\n  }\n}\n',
    },
    {
      name: 'an invalid section is replaced',
      before: '{\n  "execution": 5\n}\n',
      key: 'execution.stopOnFailure',
      value: true,
      after: '{\n  "execution": {\n    "stopOnFailure": true\n  }\n}\n',
    },
    {
      name: 'a value is removed and its neighbours stay',
      before: '{\n  "execution": {\n    "pauseGraceSeconds": 7,\n    "future": 1.0\n  }\n}\n',
      key: 'execution.pauseGraceSeconds',
      value: undefined,
      after: '{\n  "execution": {\n    "future": 1.0\n  }\n}\n',
    },
    {
      name: 'the last value is removed with its section',
      before: '{\n  "schemaVersion": 1,\n  "execution": {\n    "pauseGraceSeconds": 7\n  }\n}\n',
      key: 'execution.pauseGraceSeconds',
      value: undefined,
      after: '{\n  "schemaVersion": 1\n}\n',
    },
    {
      name: 'the same value again changes nothing',
      before: '{"execution":{"stopOnFailure":true}}',
      key: 'execution.stopOnFailure',
      value: true,
      after: null,
    },
    {
      name: 'removing a missing value changes nothing',
      before: '{"execution":{"x":1}}',
      key: 'execution.stopOnFailure',
      value: undefined,
      after: null,
    },
    {
      name: 'removing from an invalid section changes nothing',
      before: '{"execution":5}',
      key: 'execution.stopOnFailure',
      value: undefined,
      after: null,
    },
  ])('$name', async ({before, key, value, after}) => {
    const {store, files} = openStore(before === null ? {} : {project: before});
    const version = versionOf(files.project);
    await store.write('project', key, value);
    if (after === null) expect(versionOf(files.project)).toBe(version);
    expect(readFileSync(files.project, 'utf8')).toBe(after ?? before);
    expect(readdirSync(path.dirname(files.project)).filter((name) => name !== 'config.lock')).toEqual([
      'config.json',
    ]);
    expect(existsSync(files.global)).toBe(false);
  });

  test('loses no change when many are made at once', async () => {
    const {files} = openStore({project: '{"future": 1}'});
    const seconds = settingKeys.filter((key) => settings[key].type === 'integer');
    await Promise.all(seconds.map((key) => createConfigStore(files).write('project', key, 2)));
    const {values} = resolveConfig(await createConfigStore(files).layers());
    expect(seconds.map((key) => values.get(key))).toEqual(seconds.map(() => ({value: 2, source: 'project'})));
  });

  test('to the user’s file leaves the project’s alone', async () => {
    const {store, files} = openStore();
    await store.write('global', 'tui.runDataRefreshIntervalSeconds', 9);
    expect(existsSync(files.project)).toBe(false);
    expect(resolveConfig(await store.layers()).values.get('tui.runDataRefreshIntervalSeconds')).toEqual({
      value: 9,
      source: 'global',
    });
  });

  test('to the project’s file is in the trail of Blackbird’s own writes, one to the user’s is not', async () => {
    const {files} = openStore({project: '{"claude": ["x"]}', global: '{}'});
    const trail = createWriteTrail(null);
    const store = createConfigStore(files, trail);
    const before = {project: versionOf(files.project), global: versionOf(files.global)};
    await store.write('project', 'claude.model', 'opus');
    await store.write('global', 'claude.model', 'opus');
    expect(trail.leads(before.project, versionOf(files.project))).toBe('here');
    expect(trail.leads(before.global, versionOf(files.global))).toBeNull();
    // A list is no section: it is replaced.
    expect(JSON.parse(readFileSync(files.project, 'utf8'))).toEqual({claude: {model: 'opus'}});
  });

  test('removing a value without a file creates neither file nor folder', async () => {
    const {store, files} = openStore();
    await store.write('project', 'execution.stopOnFailure', undefined);
    expect(existsSync(path.dirname(files.project))).toBe(false);
  });

  test('makes a private folder and a private file', async () => {
    const {store, files} = openStore();
    await store.write('global', 'execution.stopOnFailure', true);
    expect([modeOf(path.dirname(files.global)), modeOf(files.global)]).toEqual(['700', '600']);
  });

  test('keeps `__proto__` as an ordinary key', async () => {
    const {store, files} = openStore({
      project: '{"__proto__": {"stopOnFailure": true}, "execution": {"__proto__": 1}}',
    });
    await store.write('project', 'execution.stopOnFailure', true);
    expect(readFileSync(files.project, 'utf8')).toContain('"__proto__": {"stopOnFailure": true}');
    expect(({} as Record<string, unknown>).stopOnFailure).toBeUndefined();
  });

  test.each(['', 'null', '[]', '{"execution": {'])(
    'to a file that contains %j is refused, and it stays',
    async (content) => {
      const {store, files} = openStore({project: content});
      expect((await rejectionOf(store.write('project', 'execution.stopOnFailure', true))).code).toBe(
        'E_STORE_CORRUPT',
      );
      expect(readFileSync(files.project, 'utf8')).toBe(content);
    },
  );

  test('to a file of another version is refused, and it stays', async () => {
    const content = '{"schemaVersion": 2, "execution": {"stopOnFailure": "sometimes"}}';
    const {store, files} = openStore({project: content});
    expect(seen(await rejectionOf(store.write('project', 'execution.stopOnFailure', true)))).toEqual({
      code: 'E_CONFIG',
      message: `${files.project} cannot be changed: unsupported schemaVersion 2 (expected 1)`,
      details: [],
      next: [],
    });
    expect(readFileSync(files.project, 'utf8')).toBe(content);
  });

  test('to a read-only file, through a link, or into a folder that leads elsewhere is refused', async () => {
    const fixed = openStore({project: '{}'});
    chmodSync(fixed.files.project, 0o444);
    expect((await rejectionOf(fixed.store.write('project', 'execution.stopOnFailure', true))).code).toBe(
      'E_STORE_WRITE',
    );

    const linked = openStore({global: '{}'});
    const victim = path.join(temporaryFolder(), 'victim.json');
    writeFileSync(victim, '{}');
    rmSync(linked.files.global);
    symlinkSync(victim, linked.files.global);
    expect((await rejectionOf(linked.store.write('global', 'execution.stopOnFailure', true))).code).toBe(
      'E_STORE_UNSAFE',
    );
    expect(readFileSync(victim, 'utf8')).toBe('{}');

    const elsewhere = temporaryFolder();
    const led = openStore();
    symlinkSync(elsewhere, path.dirname(led.files.project));
    expect((await rejectionOf(led.store.write('project', 'execution.stopOnFailure', true))).code).toBe(
      'E_STORE_UNSAFE',
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('a value that someone else set since it was read', () => {
  const key = 'execution.pauseGraceSeconds';
  const held = (value: unknown) => JSON.stringify({execution: {pauseGraceSeconds: value}});

  test('is not replaced, and all values are shown', async () => {
    const {files, store} = openStore({project: held(30)});
    expect(seen(await rejectionOf(store.write('project', key, 20, {value: 10})))).toEqual({
      code: 'E_CONFLICT',
      message: `${key} was changed by somebody else meanwhile; nothing was written`,
      details: [
        ['file', files.project],
        ['it was', '10'],
        ['it is now', '30'],
        ['yours', '20'],
      ],
      next: [],
    });
    expect(readFileSync(files.project, 'utf8')).toBe(held(30));
  });

  test.each([
    {what: 'the same', project: held(10), value: 10},
    {what: 'none, and there is no file', value: undefined},
    {what: 'none, and there are others', project: '{"execution": {"keepAwake": false}}', value: undefined},
  ])('is $what: it is replaced', async ({project, value}) => {
    const {files, store} = openStore(project === undefined ? {} : {project});
    await store.write('project', key, 20, {value});
    expect(JSON.parse(readFileSync(files.project, 'utf8')).execution.pauseGraceSeconds).toBe(20);
  });
});
