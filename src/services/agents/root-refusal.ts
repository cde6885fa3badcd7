import type {ProviderId} from '../contracts/agent.ts';
import {providerTable} from '../contracts/provider-table.ts';

/** The variable without which this agent refuses to edit files for root; null if it does not refuse. */
export function rootRefusal(
  id: ProviderId,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (id === 'custom' || process.getuid?.() !== 0) return null;
  const {rootVariable, sandboxMark} = providerTable[id];
  const isAllowed = rootVariable === null || env[rootVariable] === '1' || Boolean(env[sandboxMark]);
  return isAllowed ? null : rootVariable;
}
