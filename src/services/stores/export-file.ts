import {lstatSync} from 'node:fs';
import {AppError} from '../contracts/errors.ts';
import {writeDurably} from './durable-write.ts';
import {writeFailure} from './store-errors.ts';

/** Writes a file that the user asked for, completely or not at all. An existing one is replaced only on request. */
export async function writeExport(file: string, text: string, {force}: {force: boolean}): Promise<void> {
  if (!force && lstatSync(file, {throwIfNoEntry: false})) {
    throw new AppError('E_STORE_WRITE', `${file} already exists; pass --force to replace it`);
  }
  try {
    await writeDurably(file, text, {keepMode: true});
  } catch (error) {
    throw writeFailure(file, 'export', error);
  }
}
