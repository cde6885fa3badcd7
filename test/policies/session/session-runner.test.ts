import {describe, expect, test} from 'vitest';
import {
  builtInRunners,
  noAgencyConfig,
  parseAgencyConfig,
  programOf,
  resolveRunnerCmd,
} from '../../../src/machines/policies/session/session-runner.ts';
import {errorOf} from '../../helpers/errors.ts';

describe('the command of a runner', () => {
  const config = {
    runners: new Map([
      ['claude', 'claude --model opus'],
      ['mine', './run.sh'],
      ['empty', '  '],
      ['constructor', 'ctor'],
    ]),
  };

  test.each([
    ['mine', './run.sh'],
    ['claude', 'claude --model opus'],
    ['codex', 'codex'],
    ['constructor', 'ctor'],
  ])('%s: %s', (runner, command) => {
    expect(resolveRunnerCmd(config, runner)).toBe(command);
  });

  test.each(['claude', 'codex'])('%s needs no configuration', (runner) => {
    expect(resolveRunnerCmd(noAgencyConfig, runner)).toBe(runner);
  });

  test.each(['nobody', '', 'Claude', '__proto__', 'toString'])('%j is not configured', (runner) => {
    expect(errorOf(() => resolveRunnerCmd(config, runner))).toMatchObject({
      code: 'E_RUNNER_NOT_CONFIGURED',
      message: `runner "${runner}" not configured; set runners.${runner} or choose ${builtInRunners.join('/')}`,
    });
  });

  test('an empty one is not a command', () => {
    expect(errorOf(() => resolveRunnerCmd(config, 'empty'))).toMatchObject({
      code: 'E_RUNNER_NOT_CONFIGURED',
      message: 'runner "empty" has empty command in runners config',
    });
  });
});

describe('agency.json', () => {
  test('only runners and defaults matter', () => {
    const json = JSON.parse(`{"version": 1, "scripts": {"setup": ["never", "run"]}, "unknown": true,
      "runners": {"mine": "./run.sh", "__proto__": "proto"}, "defaults": {"runner": "mine", "parent_branch": "dev"}}`);
    expect(parseAgencyConfig(json)).toEqual({
      runners: new Map([
        ['mine', './run.sh'],
        ['__proto__', 'proto'],
      ]),
      runner: 'mine',
      parentBranch: 'dev',
    });
  });

  test.each([{}, {version: 1}, {defaults: {}}, {runners: {}}, {defaults: {runner: '', parent_branch: ''}}])(
    '%j has no effect',
    (json) => {
      expect(parseAgencyConfig(json)).toEqual(noAgencyConfig);
    },
  );

  test.each([
    [{version: 2}, 'version must be 1'],
    [{version: '1'}, 'version must be 1'],
    [{runners: []}, 'runners must be an object'],
    [{runners: null}, 'runners must be an object'],
    [{runners: {a: ['claude', '--x']}}, 'runners.a must be a string'],
    [{runners: {a: 7}}, 'runners.a must be a string'],
    [{defaults: 'x'}, 'defaults must be an object'],
    [{defaults: {runner: ['x']}}, 'defaults.runner must be a string'],
    [{defaults: {parent_branch: 1}}, 'defaults.parent_branch must be a string'],
    [[], 'agency.json must be an object'],
  ])('%j: %s', (json, message) => {
    expect(() => parseAgencyConfig(json)).toThrow(new Error(message));
  });
});

describe('the program of a command line', () => {
  test.each([
    ['claude', 'claude'],
    ['  claude --model opus', 'claude'],
    ['./run.sh; echo done', './run.sh'],
    ['/usr/bin/env -S x', '/usr/bin/env'],
    ['A=1 B="x y" claude', 'claude'],
    ['exec claude', 'claude'],
    ["'my runner' --x", 'my runner'],
    ['"my runner"/bin', 'my runner/bin'],
    ['cat|tee log', 'cat'],
  ])('%s: %s', (command, program) => {
    expect(programOf(command)).toBe(program);
  });

  test.each([
    'cd x && claude',
    '$RUNNER',
    '~/bin/x',
    '(claude)',
    '`x`',
    'exec -a x y',
    'if true; then x; fi',
    '"$X"',
    '',
  ])('%j: only the shell knows', (command) => {
    expect(programOf(command)).toBeNull();
  });
});
