import {AppError} from '../contracts/errors.ts';
import {type LockHolder, lockHolderSchema} from '../contracts/lock.ts';
import {writeReason, writeSteps} from '../stores/store-errors.ts';
import {identifyProcess, livenessOf} from '../system/process-identity.ts';

export function thisHolder(): LockHolder {
  const identity = identifyProcess(process.pid);
  if (!identity) throw new Error('this process cannot identify itself');
  return {...identity, since: new Date().toISOString()};
}

export function lockFailure(file: string, cause: unknown): AppError {
  return new AppError('E_STORE_WRITE', `cannot take the lock ${file}: ${writeReason(cause)}`, {
    cause,
    next: writeSteps(file, cause),
  });
}

export function parseHolder(text: string): LockHolder | null {
  try {
    return lockHolderSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Empty between two holders, or half written by one that died: the holder is unknown.
    return null;
  }
}

/** The holder, unless it is known to be dead. One in another pid namespace counts as alive. */
export function liveHolder(holder: LockHolder | null): LockHolder | null {
  return holder !== null && livenessOf(holder) !== 'dead' ? holder : null;
}
