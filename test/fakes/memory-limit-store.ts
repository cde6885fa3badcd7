import type {ProviderId} from '../../src/services/contracts/agent.ts';
import type {LimitStore, SeenLimit} from '../../src/services/contracts/limits.ts';

export type MemoryLimitStore = LimitStore & {readonly limits: Map<ProviderId, SeenLimit>};

/** One account for each provider. */
export function createMemoryLimitStore(): MemoryLimitStore {
  const limits = new Map<ProviderId, SeenLimit>();
  return {
    limits,
    read: async (provider) => limits.get(provider) ?? null,
    save: async (provider, limit) => void limits.set(provider, limit),
    clear: async (provider, before) => {
      const limit = limits.get(provider);
      if (limit && Date.parse(limit.seenAt) <= Date.parse(before)) limits.delete(provider);
    },
  };
}
