import {readdirSync} from 'node:fs';
import {systemErrorCode} from '../contracts/errors.ts';
import {readFailure} from './store-errors.ts';

// Synchronous, because thousands of folders are read while a plan runs.

/** The names in a folder; empty if reading it fails with one of these codes. */
export function namesIn(folder: string, ...none: readonly string[]): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (none.includes(systemErrorCode(error) ?? '')) return [];
    throw readFailure(folder, 'folder', error);
  }
}

/** For callers that can do without: empty if the folder cannot be read for any reason. */
export function namesIfAny(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export const isRecordName = (name: string) => name.endsWith('.json') && !name.startsWith('.');
