import * as z from 'zod';
import {processIdentitySchema} from './process.ts';

export const lockHolderSchema = processIdentitySchema.extend({since: z.string()});
export type LockHolder = z.infer<typeof lockHolderSchema>;

export type LockAttempt =
  | {readonly acquired: true; readonly lock: {release(): Promise<void>}}
  /** The holder is null if it could not be read in time. */
  | {readonly acquired: false; readonly holder: LockHolder | null};

/** At most one process holds it at any time, and it never outlives its holder. */
export interface ProcessLock {
  acquire(options: {readonly waitSeconds: number}): Promise<LockAttempt>;
  /** Who holds it now. Needs no lock itself. */
  holder(): Promise<LockHolder | null>;
}
