import * as z from 'zod';

/**
 * Identifies a process even if its pid is reused: the same pid with another start time, boot or pid namespace is
 * another process.
 */
export const processIdentitySchema = z.looseObject({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** `unknown`: the process belongs to another pid namespace, so it cannot be checked from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';
