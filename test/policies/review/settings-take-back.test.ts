import {describe, expect, test} from 'vitest';
import {
  effectTexts,
  isNothing,
  takenBackTexts,
  withTakenBack,
} from '../../../src/machines/policies/review/effect-words.ts';
import {settingsEffects} from '../../../src/machines/policies/review/settings-effects.ts';
import {settingsToTakeBack} from '../../../src/machines/policies/review/settings-take-back.ts';
import {kept, recalled} from '../../../src/machines/policies/review/side-effects.ts';
import type {ConfigLayer, ConfigLayerName} from '../../../src/services/contracts/config.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import type {
  SettingsContent,
  SideEffect,
  Surroundings,
} from '../../../src/services/contracts/side-effects.ts';

const file = '.blackbird/config.json';
const around = (content: SettingsContent | null | undefined, path = file): Surroundings => ({
  settings: new Map([[path, content === null ? null : `digest of ${JSON.stringify(content)}`]]),
  contents: new Map(content === undefined ? [] : [[path, content]]),
  repository: null,
});
const edited = (
  before: SettingsContent | null | undefined,
  after: SettingsContent | null | undefined,
  path = file,
): SideEffect[] => settingsEffects(recalled(kept(around(before, path), null)), around(after, path));
const layer = (content: SettingsContent | null, name: ConfigLayerName = 'project'): ConfigLayer[] => [
  {name, file, content},
];

const gated = {schemaVersion: 1, execution: {stopAfterEachTask: true, retries: 2}};
const open = {execution: {stopAfterEachTask: false, retries: 2}};

describe('every setting that an agent changed is shown with its values', () => {
  test.each([
    {name: 'changed', before: gated, after: open, told: ['execution.stopAfterEachTask: true → false']},
    {
      name: 'removed',
      before: gated,
      after: null,
      told: ['execution.stopAfterEachTask: true → nothing', 'execution.retries: 2 → nothing'],
    },
    {
      name: 'created',
      before: null,
      after: {hooks: {taskEnded: 'evil'}},
      told: ['hooks.taskEnded: nothing → "evil"'],
    },
    {name: 'changed', before: {a: 1}, after: {a: 'x'.repeat(9000)}, told: ['a: too long to be shown']},
    {name: 'changed', before: gated, after: undefined, told: []},
  ])('$name', ({name, before, after, told}) => {
    expect(effectTexts(edited(before, after))).toEqual([
      `${file} was ${name}; it applies from the next job on`,
      ...told,
    ]);
  });

  test('up to a limit', () => {
    const many = Object.fromEntries(Array.from({length: 50}, (_, at) => [`key${at}`, at]));
    const [effect] = edited({}, many);
    expect(effect).toMatchObject({settings: {length: 40}, more_settings: 10});
    expect(effectTexts(effect && [effect]).at(-1)).toBe('and 40 more, see the record of the run');
  });

  test('content too long for a record is left out of it', () => {
    expect(kept(around({a: 'x'.repeat(20_000)}), null).contents).toEqual({});
  });
});

const key = 'execution.stopAfterEachTask';
const command = `blackbird config set ${key} true`;

describe('settings are restored to their values before the agent', () => {
  test('a changed one, a new one and a removed one; removals first', () => {
    const [before, after] = [
      {execution: {stopAfterEachTask: true, commit: 'task'}},
      {execution: {stopAfterEachTask: false}, hooks: {taskEnded: 'evil'}},
    ];
    expect(settingsToTakeBack(layer(after), edited(before, after))).toEqual({
      writes: [
        {
          key: 'hooks.taskEnded',
          value: undefined,
          seen: 'evil',
          command: 'blackbird config unset hooks.taskEnded',
        },
        {key, value: true, seen: false, command},
        {
          key: 'execution.commit',
          value: 'task',
          seen: undefined,
          command: 'blackbird config set execution.commit task',
        },
      ],
      left: [],
    });
  });

  test('across the edits of several runs, with repeats', () => {
    const first = edited({a: 1}, {a: 2});
    const effects = [...first, ...first, ...edited({a: 2}, {a: 3})];
    expect(settingsToTakeBack(layer({a: 3}), effects).writes).toMatchObject([{key: 'a', value: 1, seen: 3}]);
  });

  test.each([
    {name: 'settings that are already restored need nothing', now: layer(gated), left: []},
    {
      name: 'a setting that someone else changed since stays and is named',
      now: layer({execution: {stopAfterEachTask: 'maybe'}}),
      left: [{key, command}],
    },
    {
      name: 'a file that cannot be read stays and is named',
      now: [{name: 'project' as const, file, content: null, problem: 'is no JSON'}],
      left: [{key, command}],
    },
  ])('$name', ({now, left}) => {
    expect(settingsToTakeBack(now, edited(gated, open))).toEqual({writes: [], left});
  });

  test('user settings are only named: they also apply to other projects', () => {
    const effects = edited(gated, open, '~/.blackbird/config.json');
    expect(settingsToTakeBack(layer(open, 'global'), effects)).toEqual({
      writes: [],
      left: [{key: `~ ${key}`, command: `${command} --global`}],
    });
  });

  test('a setting that the user changed with Blackbird in another terminal is named and stays', () => {
    const effects = settingsEffects(around(gated), around(open), 'elsewhere');
    expect(effects).toEqual([
      {
        kind: 'settings',
        text: `${file} was changed with Blackbird meanwhile; it applies from the next job on`,
        path: file,
        is_by_blackbird: true,
        settings: [{key, before: true, after: false}],
      },
    ]);
    expect(settingsToTakeBack(layer(open), effects)).toEqual({writes: [], left: [{key, command}]});
    // The agent's earlier change is restored to what it found, unless the user set it since.
    const agents = edited({a: 1}, {a: 2});
    const persons = settingsEffects(around({a: 2}), around({a: 3}), 'elsewhere');
    expect(settingsToTakeBack(layer({a: 3}), [...agents, ...persons]).writes).toEqual([]);
    expect(settingsToTakeBack(layer({a: 2}), [...agents, ...persons]).writes).toMatchObject([{value: 1}]);
  });

  test('a setting changed in this very Blackbird is not a side effect of the task', () => {
    expect(settingsEffects(around(gated), around(open), 'here')).toEqual([]);
  });

  test('an unknown state is not ignored', () => {
    expect(settingsToTakeBack(layer(open), edited(undefined, open))).toEqual({
      writes: [],
      left: [{key: file, command: 'blackbird config list'}],
    });
    const long = edited({a: 1}, {a: 'x'.repeat(9000)});
    expect(settingsToTakeBack(layer({a: 'x'}), long).left).toEqual([{key: 'a', command: `edit ${file}`}]);
  });
});

test('what became of the settings is recorded with the run and shown next to the plan', () => {
  const run = {run_id: 'a-1'} as RunRecord;
  expect(withTakenBack(run, {taken: [], left: [], settings: {taken: [], left: []}})).toEqual(run);
  expect(isNothing({taken: [], left: [], settings: {taken: [], left: []}})).toBe(true);
  const settings = {taken: ['execution.commit'], left: [{key, command}]};
  expect(isNothing({taken: [], left: [], settings})).toBe(false);
  expect(takenBackTexts(withTakenBack(run, {taken: ['b (prompt)'], left: [], settings}))).toEqual([
    "the agent's edits of the plan were reverted: b (prompt)",
    "the agent's edits of the settings were reverted: execution.commit; " +
      `settings that stay as they are now, check before you continue: ${key}; restore them with: ${command}`,
  ]);
});
