import {AppError} from '../contracts/errors.ts';
import {readWholeFile} from './whole-file.ts';

/** The text of a file that the user named. Problems with it are the user's to fix: nothing is moved aside. */
export function readGivenFile(file: string, given: string, maxBytes: number): string {
  const refusal = (reason: string) => new AppError('E_USAGE', `${given} cannot be read: ${reason}`);
  try {
    const text = readWholeFile(file, 'file', maxBytes);
    if (text === null) throw refusal('there is no such file');
    return text;
  } catch (error) {
    const reason =
      error instanceof AppError && error.code === 'E_STORE_CORRUPT'
        ? error.details.find(([label]) => label === 'reason')?.[1]
        : undefined;
    throw reason === undefined ? error : refusal(reason);
  }
}
