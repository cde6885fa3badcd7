import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import type {ProviderId} from '../contracts/agent.ts';
import {customCommandIn} from '../contracts/provider-table.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Whose quota an agent started in this environment uses, as a digest: keys and account names are never
 * stored. Two logins have two digests; accounts that cannot be told apart share one.
 */
export function accountOf(provider: ProviderId, env: Env): string {
  const {id, place} = (sources[provider] ?? loggedIn)(env);
  return createHash('sha256').update(`${provider}\n${place}\n${id}`).digest('hex').slice(0, 16);
}

/** `id`: the key or account. `place`: the server that counts usage, if it is not the vendor's own. */
type Account = {readonly id: string; readonly place: string};

/** Fallback: the owner of this home folder. */
const loggedIn = (env: Env): Account => ({id: homeOf(env), place: ''});

const sources: Readonly<Partial<Record<ProviderId, (env: Env) => Account>>> = {
  claude: (env) => ({
    id:
      env.ANTHROPIC_API_KEY ||
      env.ANTHROPIC_AUTH_TOKEN ||
      env.CLAUDE_CODE_OAUTH_TOKEN ||
      claudeLogin(env) ||
      claudeFolder(env),
    place: env.ANTHROPIC_BASE_URL ?? '',
  }),
  codex: (env) => ({
    id: env.CODEX_API_KEY || codexLogin(env) || env.OPENAI_API_KEY || codexFolder(env),
    place: env.OPENAI_BASE_URL ?? '',
  }),
  demo: () => ({id: 'demo', place: ''}),
  custom: (env) => ({id: customCommandIn(env) ?? '', place: ''}),
};

const homeOf = (env: Env) => env.HOME || os.homedir();
const claudeFolder = (env: Env) => env.CLAUDE_CONFIG_DIR || homeOf(env);
const codexFolder = (env: Env) => env.CODEX_HOME || path.join(homeOf(env), '.codex');

const claudeSchema = z.object({oauthAccount: z.object({accountUuid: z.string()})});
const codexSchema = z.object({tokens: z.object({account_id: z.string()})});

const claudeLogin = (env: Env) =>
  claudeSchema.safeParse(jsonIn(path.join(claudeFolder(env), '.claude.json'))).data?.oauthAccount.accountUuid;
const codexLogin = (env: Env) =>
  codexSchema.safeParse(jsonIn(path.join(codexFolder(env), 'auth.json'))).data?.tokens.account_id;

/** Undefined if the file is missing or broken: then the folder stands for the account. */
function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
