import type {AgentEvent, Provider, ProviderId} from '../contracts/agent.ts';
import type {NativeProviderId} from '../contracts/provider-table.ts';
import type {RunRecord} from '../contracts/run.ts';
import {claudeProvider} from './claude.ts';
import {codexProvider} from './codex.ts';
import {createDialectReader} from './custom-command.ts';
import {demoProvider} from './demo.ts';
import {isUuid} from './verdicts.ts';

export const providers: Readonly<Record<NativeProviderId, Provider>> = {
  codex: codexProvider,
  claude: claudeProvider,
  demo: demoProvider,
};

/** The provider with this id; null for a name that no provider has. */
export function findProvider(id: NativeProviderId): Provider;
export function findProvider(id: string): Provider | null;
export function findProvider(id: string): Provider | null {
  return Object.values(providers).find((provider) => provider.id === id) ?? null;
}

/** The form a ref must have before it becomes an argument. A custom command has those of its dialect. */
export function isSessionRef(id: ProviderId, ref: string): boolean {
  return id === 'custom' ? isUuid(ref) : findProvider(id).isSessionRef(ref);
}

/** What the lines of a run's log say, read from its beginning or from anywhere in it. */
export function createLogReader({
  provider,
  provider_dialect: dialect,
}: Pick<RunRecord, 'provider' | 'provider_dialect'>): (line: string) => readonly AgentEvent[] {
  return provider === 'custom' ? createDialectReader(dialect ?? null).read : findProvider(provider).parseLine;
}
