import {describe, expect, test} from 'vitest';
import {
  parseSetting,
  requireGates,
  requireSettingKey,
  resolveConfig,
  settingOf,
  valueAt,
} from '../../src/machines/policies/config-resolution.ts';
import {
  type ConfigLayer,
  type SettingKey,
  settingKeys,
  settings,
} from '../../src/services/contracts/config.ts';
import {errorOf, seen} from '../helpers/errors.ts';

const project = (content: ConfigLayer['content'], problem?: string): ConfigLayer => ({
  name: 'project',
  file: '/p/config.json',
  content,
  ...(problem === undefined ? {} : {problem}),
});
const global = (content: ConfigLayer['content']): ConfigLayer => ({
  name: 'global',
  file: '/g/config.json',
  content,
});

// docs.test.ts compares each of them with docs/configuration.md.
const defaults = Object.fromEntries(
  settingKeys.map((key) => [key, {value: settings[key].default, source: 'default'}]),
);

const resolved = (...layers: ConfigLayer[]) => {
  const {values, warnings} = resolveConfig(layers);
  return {values: Object.fromEntries(values), warnings};
};

describe('the configuration', () => {
  test('is the defaults when no settings are written', () => {
    expect(resolved(project(null), global(null))).toEqual({values: defaults, warnings: []});
    expect(resolved()).toEqual({values: defaults, warnings: []});
  });

  test("takes the project's value over the user's over the default, key by key", () => {
    expect(
      resolved(
        project({schemaVersion: 1, execution: {stopOnFailure: true, pauseGraceSeconds: 20}}),
        global({
          execution: {pauseGraceSeconds: 30, parentReviewEnabled: false},
          tui: {runDataRefreshIntervalSeconds: 300},
        }),
      ),
    ).toEqual({
      values: {
        ...defaults,
        'execution.stopOnFailure': {value: true, source: 'project'},
        'execution.pauseGraceSeconds': {value: 20, source: 'project'},
        'execution.parentReviewEnabled': {value: false, source: 'global'},
        'tui.runDataRefreshIntervalSeconds': {value: 300, source: 'global'},
      },
      warnings: [],
    });
  });

  test('a value equal to the default still belongs to the file that sets it', () => {
    expect(resolved(project({execution: {stopOnFailure: false}})).values['execution.stopOnFailure']).toEqual({
      value: false,
      source: 'project',
    });
  });

  test('ignores unknown keys silently', () => {
    const foreign = {future: {x: 1}, execution: {other: 'y'}, 'execution.stopOnFailure': true};
    expect(resolved(project(foreign))).toEqual({values: defaults, warnings: []});
  });

  test('a broken file is reported and skipped, and the other one still counts', () => {
    expect(resolved(project(null, 'it is empty'), global({execution: {stopOnFailure: true}}))).toEqual({
      values: {...defaults, 'execution.stopOnFailure': {value: true, source: 'global'}},
      warnings: ['/p/config.json is ignored: it is empty'],
    });
  });

  test.each([
    {version: 2, text: '2'},
    {version: 0, text: '0'},
    {version: '1', text: '"1"'},
    {version: null, text: 'null'},
  ])('a file of version $version is reported and skipped', ({version, text}) => {
    expect(resolved(project({schemaVersion: version, execution: {stopOnFailure: true}}))).toEqual({
      values: defaults,
      warnings: [`/p/config.json is ignored: unsupported schemaVersion ${text} (expected 1)`],
    });
  });

  test.each<{key: SettingKey; raw: unknown; value: unknown; warning: string | null}>([
    {key: 'execution.pauseGraceSeconds', raw: 1, value: 1, warning: null},
    {key: 'execution.pauseGraceSeconds', raw: 0, value: 1, warning: 'is 0, outside 1 to 120; 1 is used'},
    {key: 'execution.pauseGraceSeconds', raw: 120, value: 120, warning: null},
    {
      key: 'execution.pauseGraceSeconds',
      raw: 121,
      value: 120,
      warning: 'is 121, outside 1 to 120; 120 is used',
    },
    {key: 'planning.maxPlanAutoRefinePasses', raw: 0, value: 0, warning: null},
    {key: 'planning.maxPlanAutoRefinePasses', raw: -1, value: 0, warning: 'is -1, outside 0 to 3; 0 is used'},
    {key: 'planning.maxPlanAutoRefinePasses', raw: 3, value: 3, warning: null},
    {key: 'planning.maxPlanAutoRefinePasses', raw: 4, value: 3, warning: 'is 4, outside 0 to 3; 3 is used'},
    {key: 'tui.runDataRefreshIntervalSeconds', raw: 300, value: 300, warning: null},
    {key: 'tui.notify', raw: 'off', value: 'off', warning: null},
    {
      key: 'tui.runDataRefreshIntervalSeconds',
      raw: 301,
      value: 300,
      warning: 'is 301, outside 1 to 300; 300 is used',
    },
    {
      key: 'tui.planDataRefreshIntervalSeconds',
      raw: 0,
      value: 1,
      warning: 'is 0, outside 1 to 300; 1 is used',
    },
    {
      key: 'tui.planDataRefreshIntervalSeconds',
      raw: 1e300,
      value: 300,
      warning: 'is 1e+300, outside 1 to 300; 300 is used',
    },
  ])('$key of $raw is $value', ({key, raw, value, warning}) => {
    expect(resolved(global(nested(key, raw)))).toEqual({
      values: {...defaults, [key]: {value, source: 'global'}},
      warnings: warning === null ? [] : [`/g/config.json: ${key} ${warning}`],
    });
  });

  test.each<{key: SettingKey; raw: unknown; warning: string}>([
    {key: 'execution.stopOnFailure', raw: 'true', warning: 'must be true or false; it is ignored'},
    {key: 'execution.stopOnFailure', raw: 1, warning: 'must be true or false; it is ignored'},
    {key: 'execution.stopOnFailure', raw: null, warning: 'must be true or false; it is ignored'},
    {key: 'execution.pauseGraceSeconds', raw: '10', warning: 'must be a whole number; it is ignored'},
    {key: 'execution.pauseGraceSeconds', raw: 1.5, warning: 'must be a whole number; it is ignored'},
    {
      key: 'execution.pauseGraceSeconds',
      raw: Number.POSITIVE_INFINITY,
      warning: 'must be a whole number; it is ignored',
    },
    {key: 'execution.pauseGraceSeconds', raw: true, warning: 'must be a whole number; it is ignored'},
    {key: 'execution.pauseGraceSeconds', raw: [10], warning: 'must be a whole number; it is ignored'},
    {key: 'tui.notify', raw: 'OFF', warning: 'must be one of bell, osc9, osc777, off; it is ignored'},
    {key: 'tui.notify', raw: false, warning: 'must be one of bell, osc9, osc777, off; it is ignored'},
  ])('$key of $raw is ignored with a warning, and the weaker layer decides', ({key, raw, warning}) => {
    const weaker = key === 'execution.stopOnFailure' ? true : key === 'tui.notify' ? 'osc9' : 30;
    expect(resolved(project(nested(key, raw)), global(nested(key, weaker)))).toEqual({
      values: {...defaults, [key]: {value: weaker, source: 'global'}},
      warnings: [`/p/config.json: ${key} ${warning}`],
    });
  });

  test.each([5, 'x', [], null, true])('a section that is %j is reported and skipped', (section) => {
    expect(resolved(project({execution: section}))).toEqual({
      values: defaults,
      warnings: ['/p/config.json: execution must be an object; it is ignored'],
    });
  });

  test('gives a single setting with its type', () => {
    const config = resolveConfig([project({execution: {stopOnFailure: true}})]);
    expect([
      settingOf(config, 'execution.stopOnFailure'),
      settingOf(config, 'execution.pauseGraceSeconds'),
    ]).toEqual([true, 10]);
    expect(
      settingOf({values: new Map(), warnings: [], unusable: new Map()}, 'planning.maxPlanAutoRefinePasses'),
    ).toBe(1);
  });
});

describe('a job', () => {
  const key = 'execution.stopAfterEachTask';
  const yes = {execution: {stopAfterEachTask: 'yes'}};
  const begins = (layers: readonly ConfigLayer[], told: readonly SettingKey[] = []) =>
    requireGates(resolveConfig(layers), new Set(told));

  test.each<{name: string; layers: ConfigLayer[]; told?: SettingKey[]}>([
    {name: 'every gate is readable', layers: [project({execution: {stopAfterEachTask: true}}), global(null)]},
    {name: 'the gate was set on the command line', layers: [project(yes), global(null)], told: [key]},
    {
      name: 'a file with higher precedence has a valid value',
      layers: [project({execution: {stopAfterEachTask: true}}), global(yes)],
    },
    {name: 'the invalid value is not a gate', layers: [project({tui: {notify: 5}}), global(null)]},
  ])('starts when $name', ({layers, told}) => {
    expect(begins(layers, told)).toBeUndefined();
  });

  test('does not start with an invalid gate, and names the file, the key and the accepted values', () => {
    const set = `blackbird config set ${key} false`;
    expect(seen(errorOf(() => begins([project(yes), global(null)])))).toEqual({
      code: 'E_CONFIG',
      message: `nothing was started: ${key} in /p/config.json must be true or false`,
      details: [
        ['file', '/p/config.json'],
        ['key', key],
        ['accepted', 'true or false'],
      ],
      next: [{command: set, why: 'or another of these'}],
    });
    expect(errorOf(() => begins([project(null), global(yes)])).next[0]?.command).toBe(
      `blackbird config set --global ${key} false`,
    );
  });

  test('does not start with an invalid gate that a file with lower precedence would open', () => {
    const layers = [project(yes), global({execution: {stopAfterEachTask: false}})];
    expect(errorOf(() => begins(layers)).code).toBe('E_CONFIG');
  });

  test.each([
    {name: 'an unreadable file', layer: project(null, 'it is empty'), why: 'it is empty'},
    {
      name: 'a file of a newer Blackbird',
      layer: project({schemaVersion: 2}),
      why: 'unsupported schemaVersion 2 (expected 1)',
    },
  ])('does not start with $name, whatever the command line says', ({layer, why}) => {
    expect(seen(errorOf(() => begins([layer, global(null)], [key])))).toMatchObject({
      code: 'E_CONFIG',
      message: `nothing was started: /p/config.json cannot be used, and execution.parentReviewEnabled may be set in it: ${why}`,
      next: [{command: 'blackbird config list'}],
    });
  });

  test('does not start without its checks when their list is invalid', () => {
    expect(errorOf(() => begins([project({execution: {verify: ['npm test', 7]}})])).code).toBe('E_CONFIG');
  });

  test('does not start when a section with gates is invalid', () => {
    expect(errorOf(() => begins([project({execution: 'x'})])).code).toBe('E_CONFIG');
  });
});

describe('a value typed by the user', () => {
  test.each<{key: SettingKey; text: string; value: unknown}>([
    {key: 'execution.stopOnFailure', text: 'true', value: true},
    {key: 'execution.stopOnFailure', text: 'false', value: false},
    {key: 'execution.pauseGraceSeconds', text: '1', value: 1},
    {key: 'execution.pauseGraceSeconds', text: '120', value: 120},
    {key: 'execution.pauseGraceSeconds', text: '007', value: 7},
    {key: 'planning.maxPlanAutoRefinePasses', text: '0', value: 0},
    {key: 'tui.notify', text: 'osc777', value: 'osc777'},
  ])('$key $text', ({key, text, value}) => {
    expect(parseSetting(key, text)).toBe(value);
  });

  const range = 'a whole number from 1 to 120';
  test.each<{key: SettingKey; text: string; kind: string}>([
    ...['TRUE', 'yes', '1', '', ' true'].map((text) => ({
      key: 'execution.stopOnFailure' as const,
      text,
      kind: 'true or false',
    })),
    ...['0', '121', '-1', '1.5', '1e1', '0x10', ' 5', '+5', '', 'NaN', 'Infinity', '٥', '9'.repeat(400)].map(
      (text) => ({
        key: 'execution.pauseGraceSeconds' as const,
        text,
        kind: range,
      }),
    ),
    {key: 'tui.notify', text: 'Bell', kind: 'one of bell, osc9, osc777, off'},
  ])('$key refuses $text', ({key, text, kind}) => {
    expect(seen(errorOf(() => parseSetting(key, text)))).toEqual({
      code: 'E_CONFIG',
      message: `${key} must be ${kind}, not ${JSON.stringify(text)}`,
      details: [],
      next: [],
    });
  });
});

describe('a key', () => {
  test.each(settingKeys)('%s is known', (key) => {
    expect(requireSettingKey(key)).toBe(key);
  });

  test.each(['', 'execution', 'toString', '__proto__'])('%j is unknown', (key) => {
    expect(seen(errorOf(() => requireSettingKey(key)))).toEqual({
      code: 'E_CONFIG',
      message: `unknown configuration key ${JSON.stringify(key)}`,
      details: [],
      next: [{command: 'blackbird config list', why: 'see every key'}],
    });
  });

  test.each([
    ['execution.comit', 'execution.commit'],
    ['EXECUTION.stopOnFailure', 'execution.stopOnFailure'],
    ['execution.stopOnFailure ', 'execution.stopOnFailure'],
    ['commit', 'execution.commit'],
  ])('%j is unknown, and %j is suggested', (key, meant) => {
    expect(seen(errorOf(() => requireSettingKey(key)))).toMatchObject({
      code: 'E_CONFIG',
      details: [['hint', `Did you mean ${meant}?`]],
    });
  });

  test('the agent is not a setting, and the command that shows it is named', () => {
    expect(errorOf(() => requireSettingKey('agent')).next[0]?.command).toBe('blackbird agents');
  });

  test.each([
    {key: 'a', value: {b: 1}},
    {key: 'a.b', value: 1},
    {key: 'a.c', value: undefined},
    {key: 'a.b.c', value: undefined},
    {key: 'toString', value: undefined},
    {key: 'a.constructor', value: undefined},
    {key: '__proto__.x', value: undefined},
  ])('$key leads to $value, through own properties only', ({key, value}) => {
    expect(valueAt({a: {b: 1}}, key)).toEqual(value);
  });
});

function nested(key: string, value: unknown): Record<string, unknown> {
  const [section = '', name = ''] = key.split('.');
  return {[section]: {[name]: value}};
}
