import {fromPromise} from 'xstate';
import type {ProjectLock} from '../../services/contracts/project.ts';

export const defineAcquireLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.acquire());

export const defineReleaseLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.release());
