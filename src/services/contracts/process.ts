import * as z from 'zod';

/**
 * Who a process is, safe against reused pids: the same pid with another start time, boot or pid
 * namespace is somebody else.
 */
export const processIdentitySchema = z.looseObject({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** `unknown`: the process belongs to another pid namespace, so nothing here can tell. */
export type Liveness = 'alive' | 'dead' | 'unknown';
