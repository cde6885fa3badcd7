import {describe, expect, test} from 'vitest';
import {chooseProvider, requireProviderId} from '../../src/cli/job/provider-choice.ts';
import {errorOf, seen} from '../helpers/errors.ts';

describe('the provider', () => {
  const all = {option: 'Demo', customCommand: 'my-agent', environment: 'codex', saved: 'codex'} as const;
  const command = {...all, option: undefined};
  const environment = {...command, customCommand: null};
  const saved = {...environment, environment: ''};

  test.each([
    {name: 'that was named for this call', wishes: all, choice: {id: 'demo', source: 'option'}},
    {name: 'that is a command of the user', wishes: command, choice: {id: 'custom', source: 'command'}},
    {name: 'of the environment', wishes: environment, choice: {id: 'codex', source: 'environment'}},
    {name: 'that was saved', wishes: saved, choice: {id: 'codex', source: 'saved'}},
    {name: 'of last resort', wishes: {...saved, saved: null}, choice: {id: 'claude', source: 'default'}},
  ])('$name comes before all that follow', ({wishes, choice}) => {
    expect(chooseProvider(wishes)).toEqual(choice);
  });

  test.each(['custom', 'gpt'])('%s is no name to choose', (name) => {
    expect(seen(errorOf(() => requireProviderId(name)))).toEqual({
      code: 'E_AGENT_UNKNOWN',
      message: `unsupported agent provider "${name}"`,
      details: [['known', 'codex, claude, demo']],
      next: [{command: 'blackbird agents', why: 'see what is installed'}],
    });
  });
});
