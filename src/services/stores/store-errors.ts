import {AppError, messageOf, shellWord, systemErrorCode} from '../contracts/errors.ts';

/** A file that cannot be used. It is named, with the reason, and left alone. */
export function corrupt(file: string, what: string, reason: string): AppError {
  const name = shellWord(file);
  return new AppError('E_STORE_CORRUPT', `the ${what} ${file} cannot be used: ${reason}`, {
    details: [
      ['file', file],
      ['reason', reason],
    ],
    next: [
      ...(what === 'plan' ? [{command: 'blackbird validate', why: 'once you have mended it by hand'}] : []),
      // A bundle stands in nobody's way.
      ...(what === 'bundle'
        ? []
        : [
            {
              command: `mv ${name} ${name}.broken`,
              why: `${what === 'plan' ? 'or ' : ''}move it aside; Blackbird will not overwrite it`,
            },
          ]),
    ],
  });
}

/** Why a file cannot be used, out of the error that said so. */
export function reasonOf(error: unknown): string {
  const reason =
    error instanceof AppError ? error.details.find(([label]) => label === 'reason')?.[1] : undefined;
  return reason ?? messageOf(error);
}

export function readFailure(file: string, what: string, cause: unknown): AppError {
  return new AppError('E_STORE_READ', `cannot read the ${what} ${file}: ${messageOf(cause)}`, {cause});
}

export function writeFailure(file: string, what: string, cause: unknown): AppError {
  const message = `cannot write the ${what} ${file}: ${writeReason(cause)}; nothing was changed`;
  return new AppError('E_STORE_WRITE', message, {cause});
}

/** The new content is in its place, but the disk did not say that it will stay there. */
export function syncFailure(file: string, cause: unknown): AppError {
  const message = `${file} was written, but may not survive a power cut: ${writeReason(cause)}`;
  return new AppError('E_STORE_WRITE', message, {cause});
}

/** A system error of a write in words a person knows. */
export function writeReason(cause: unknown): string {
  const code = systemErrorCode(cause);
  return (code && writeReasons[code]) ?? messageOf(cause);
}

const writeReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENAMETOOLONG: 'the name is too long',
};
