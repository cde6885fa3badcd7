import type {ProcessLock} from '../contracts/lock.ts';
import {createChainLock} from './chain-lock.ts';
import {createKernelLock, findFlock} from './kernel-lock.ts';

/**
 * The strongest lock this machine supports. The choice depends only on the machine, so all its processes
 * agree.
 */
export function createProcessLock(file: string): ProcessLock {
  const flock = process.platform === 'linux' ? findFlock() : null;
  return flock === null ? createChainLock(file) : createKernelLock(file, flock);
}
