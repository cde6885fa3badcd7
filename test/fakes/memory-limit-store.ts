import type {ProviderId} from '../../src/services/contracts/agent.ts';
import type {LimitStore, SeenLimit} from '../../src/services/contracts/limits.ts';
import {createMemoryLimits} from '../../src/services/memory/memory-stores.ts';

export type MemoryLimitStore = LimitStore & {readonly limits: Map<ProviderId, SeenLimit>};

/** One account per provider. */
export function createMemoryLimitStore(): MemoryLimitStore {
  const limits = new Map<ProviderId, SeenLimit>();
  return {limits, ...createMemoryLimits(limits)};
}
