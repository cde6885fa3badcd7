import * as z from 'zod';
import type {ProviderId} from './agent.ts';
import {runProviderIds} from './provider-table.ts';

export const limitsSchemaVersion = 1;

/** A used-up quota. It belongs to a provider and an account, so it applies to all projects of the user. */
const limitSchema = z.looseObject({
  provider: z.enum(runProviderIds),
  /** A digest, never a name or a key. */
  account: z.string(),
  until: z.iso.datetime({offset: true}),
  /** The provider reported the time, or it is an estimate. */
  source: z.enum(['reported', 'estimated']),
  seenAt: z.iso.datetime({offset: true}),
});
export type Limit = z.infer<typeof limitSchema>;

export const limitsFileSchema = z.looseObject({
  schemaVersion: z.literal(limitsSchemaVersion),
  limits: z.array(limitSchema),
});
export type LimitsFile = z.infer<typeof limitsFileSchema>;

export type SeenLimit = Pick<Limit, 'until' | 'source' | 'seenAt'>;

/** The limits of this user's accounts. Read and write errors are warnings and stop nothing. */
export interface LimitStore {
  /** The limit of the account that the provider would use now; null if none is known. */
  read(provider: ProviderId): Promise<SeenLimit | null>;
  save(provider: ProviderId, limit: SeenLimit): Promise<void>;
  /** Forgets a limit that was seen before this time. */
  clear(provider: ProviderId, before: string): Promise<void>;
}
