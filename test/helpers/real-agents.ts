import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {access, mkdir, mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import type {ModelServer} from './model-server.ts';

const execute = promisify(execFile);

const cache = process.env.BLACKBIRD_AGENT_CACHE ?? path.join(os.homedir(), '.cache', 'blackbird-agents');
const modules = path.join(cache, 'node_modules');
const packages = ['@openai/codex', '@anthropic-ai/claude-code'];

export type RealAgents = {readonly codex: string; readonly claude: string};

/** The real agents in the cache; null if not installed yet. */
export async function installedAgents(): Promise<RealAgents | null> {
  const agents = {codex: path.join(modules, '.bin', 'codex'), claude: path.join(modules, '.bin', 'claude')};
  try {
    await Promise.all(Object.values(agents).map((file) => access(file)));
    return agents;
  } catch {
    return null;
  }
}

/** Installs both agents once; several test files may call it at the same time. */
export async function ensureAgents(): Promise<RealAgents> {
  const present = await installedAgents();
  if (present !== null) return present;

  await mkdir(cache, {recursive: true});
  const staging = await mkdtemp(path.join(cache, '.install-'));
  try {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--prefix', staging, ...packages]);
    await finishClaudeInstall(path.join(staging, 'node_modules', '@anthropic-ai', 'claude-code'));
    // The first installer wins; a later one finds the folder and uses it.
    await rename(path.join(staging, 'node_modules'), modules).catch(() => {});
  } finally {
    await rm(staging, {recursive: true, force: true});
  }

  const installed = await installedAgents();
  if (installed === null)
    throw new Error(`npm installed ${packages.join(' and ')}, but no executables came of it`);
  return installed;
}

/** npm may skip install scripts; Claude Code's executable is a stub until its own has run. */
async function finishClaudeInstall(folder: string): Promise<void> {
  const ready = await execute(path.join(folder, 'bin', 'claude.exe'), ['--version']).then(
    () => true,
    () => false,
  );
  if (!ready) await execute(process.execPath, ['install.cjs'], {cwd: folder});
}

export type AgentHome = {
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
};

/** A temporary home in which both agents know only the model server. */
export async function createAgentHome(server: ModelServer, agents: RealAgents): Promise<AgentHome> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'blackbird-home-'));
  const codexHome = path.join(home, '.codex');
  await mkdir(codexHome);
  await writeFile(path.join(codexHome, 'config.toml'), codexConfig(server));
  return {
    env: {
      PATH: [path.dirname(agents.codex), process.env.PATH ?? ''].join(path.delimiter),
      HOME: home,
      LANG: 'C.UTF-8',
      TMPDIR: os.tmpdir(),
      CODEX_HOME: codexHome,
      BLACKBIRD_TEST_KEY: 'no-secret',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'no-secret',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      // Ten by default, with growing delays: more than a minute.
      CLAUDE_CODE_MAX_RETRIES: '1',
      // Claude refuses to skip permissions as root, which is what containers run tests as.
      ...(process.getuid?.() === 0 ? {IS_SANDBOX: '1'} : {}),
    },
    remove: () => rm(home, {recursive: true, force: true, maxRetries: 5, retryDelay: 100}),
  };
}

const codexConfig = ({url}: ModelServer) => `
model = "gpt-5"
model_provider = "local"
check_for_update_on_startup = false

[model_providers.local]
name = "local"
base_url = "${url}/v1"
env_key = "BLACKBIRD_TEST_KEY"
wire_api = "responses"
`;

/** An agent's file of a session: JSON lines, with the ref in its name. */
export function transcriptOf(
  {HOME: home = ''}: Readonly<Record<string, string | undefined>>,
  ref: string,
): string {
  const file = readdirSync(home, {recursive: true, encoding: 'utf8'}).find(
    (name) => name.includes(ref) && name.endsWith('.jsonl'),
  );
  return file === undefined ? '' : readFileSync(path.join(home, file), 'utf8');
}
