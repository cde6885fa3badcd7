import {type NativeProviderId, providerTable} from '../contracts/provider-table.ts';
import {runProgram} from '../system/run-program.ts';
import {usesOwnKey} from './codex-key.ts';

export type LoginState = 'loggedIn' | 'loggedOut' | 'unknown';

const timeLimitMs = 5_000;

/** Asks the agent itself, which answers without its provider. `unknown` if it does not support the question. */
export async function loginState(
  id: NativeProviderId,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoginState> {
  const {loginStatus} = providerTable[id];
  if (loginStatus === null) return 'loggedIn';
  const result = await runProgram({file, args: loginStatus.args, env, timeLimitMs});
  if (result.type !== 'ended') return 'unknown';
  if (result.code === 0) return 'loggedIn';
  if (!loginStatus.loggedOut.test(result.stdout + result.stderr)) return 'unknown';
  // It only knows about logins, not about another model provider's key.
  return id === 'codex' && usesOwnKey(env) ? 'loggedIn' : 'loggedOut';
}
