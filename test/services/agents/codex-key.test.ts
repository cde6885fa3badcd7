import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {usesOwnKey} from '../../../src/services/agents/codex-key.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const own = (...lines: readonly string[]) =>
  ['model_provider = "mine" # ours', '', '[model_providers.mine]', ...lines].join('\n');

test.each([
  {name: 'no settings', config: null, is: false},
  {name: 'no provider selected', config: 'model = "x"', is: false},
  {name: 'a provider with its key', config: own('env_key = "MINE"'), env: {MINE: 'k'}, is: true},
  {name: 'a provider whose key is missing', config: own('env_key = "MINE"'), is: false},
  {name: 'a provider whose key is blank', config: own("env_key = 'MINE'"), env: {MINE: ' '}, is: false},
  {name: 'a provider that needs no key', config: own('base_url = "http://[::1]:1"'), is: true},
  {name: 'a provider that uses the login', config: own('requires_openai_auth = true'), is: false},
  {name: 'an undefined provider', config: 'model_provider = "mine"', is: false},
  {
    name: 'a defined provider that is not selected',
    config: '[model_providers.mine]\nenv_key = "A"',
    is: false,
  },
  {name: 'rubbish', config: '[[[\n= = "\u0000', is: false},
])('Codex needs no login of OpenAI with $name: $is', ({config, env = {}, is}) => {
  const home = temporaryFolder();
  mkdirSync(path.join(home, '.codex'));
  if (config !== null) writeFileSync(path.join(home, '.codex/config.toml'), config);
  expect(usesOwnKey({HOME: home, ...env})).toBe(is);
  expect(usesOwnKey({CODEX_HOME: path.join(home, '.codex'), ...env})).toBe(is);
});
