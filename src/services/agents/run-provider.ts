import type {AgentEvent, ProviderId} from '../contracts/agent.ts';
import type {RunRecord} from '../contracts/run.ts';
import {createDialectReader} from './custom-command.ts';
import {findProvider} from './providers.ts';
import {isUuid} from './verdicts.ts';

/** The form a ref must have before it becomes an argument. A custom command uses that of its dialect. */
export function isSessionRef(id: ProviderId, ref: string): boolean {
  return id === 'custom' ? isUuid(ref) : findProvider(id).isSessionRef(ref);
}

/** Parses the lines of a run's log, from the start or any later line. */
export function createLogReader({
  provider,
  provider_dialect: dialect,
}: Pick<RunRecord, 'provider' | 'provider_dialect'>): (line: string) => readonly AgentEvent[] {
  return provider === 'custom' ? createDialectReader(dialect ?? null).read : findProvider(provider).parseLine;
}
