import {readdirSync} from 'node:fs';
import {systemErrorCode} from '../contracts/errors.ts';
import {readFailure} from './store-errors.ts';

// Thousands of folders are looked into while a plan runs, so these wait for none of them.

/** The names in a folder; nothing where reading it fails with one of these codes. */
export function namesIn(folder: string, ...none: readonly string[]): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (none.includes(systemErrorCode(error) ?? '')) return [];
    throw readFailure(folder, 'folder', error);
  }
}

/** For those who can do without: nothing where the folder cannot be read, whatever the reason. */
export function namesIfAny(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export const isRecordName = (name: string) => name.endsWith('.json') && !name.startsWith('.');
