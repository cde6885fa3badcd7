import path from 'node:path';
import type {ZodError} from 'zod';
import {AppError, messageOf, type NextStep, shellWord, systemErrorCode} from '../contracts/errors.ts';

/** A file that cannot be used. It is reported with the reason and left alone. */
export function corrupt(file: string, what: string, reason: string): AppError {
  const name = shellWord(file);
  return new AppError('E_STORE_CORRUPT', `the ${what} ${file} cannot be used: ${reason}`, {
    details: [
      ['file', file],
      ['reason', reason],
    ],
    next: [
      ...(what === 'plan' ? [{command: 'blackbird validate', why: 'once you have fixed it by hand'}] : []),
      // A bundle blocks nothing, so it need not be moved aside.
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

/** The first problem a schema found, with its path. */
export function firstIssue({issues: [issue]}: ZodError, what: string): string {
  return `${issue?.path.join('.') || what}: ${issue?.message}`;
}

/** Why a file cannot be used, taken from the error. */
export function reasonOf(error: unknown): string {
  const reason =
    error instanceof AppError ? error.details.find(([label]) => label === 'reason')?.[1] : undefined;
  return reason ?? messageOf(error);
}

export function readFailure(file: string, what: string, cause: unknown): AppError {
  const message = `cannot read the ${what} ${file}: ${messageOf(cause)}`;
  return new AppError('E_STORE_READ', message, {cause, next: readSteps(file, cause)});
}

/** What to check when a file cannot even be read; empty if the user cannot fix it. */
function readSteps(file: string, cause: unknown): NextStep[] {
  const look = `ls -ld ${shellWord(path.dirname(file))}`;
  switch (systemErrorCode(cause)) {
    case 'EACCES':
    case 'EPERM':
      return [{command: look, why: 'see whose it is: a project has one user at a time'}];
    case 'ENOTDIR':
      return [{command: look, why: 'it must be a folder; move aside what is there'}];
    case 'EMFILE':
    case 'ENFILE':
      return openFilesSteps;
    default:
      return [];
  }
}

/** The limit on open files is so low that nothing can be read. */
export const openFilesSteps: NextStep[] = [
  {command: 'ulimit -n 1024', why: 'let programs open more files here, then run the command again'},
];

export function writeFailure(file: string, what: string, cause: unknown): AppError {
  const message = `cannot write the ${what} ${file}: ${writeReason(cause)}; nothing was changed`;
  return new AppError('E_STORE_WRITE', message, {cause, next: writeSteps(file, cause)});
}

/** The new content is in place, but the disk did not confirm that it is durable. */
export function syncFailure(file: string, cause: unknown): AppError {
  const message = `${file} was written, but may not survive a power cut: ${writeReason(cause)}`;
  return new AppError('E_STORE_WRITE', message, {cause, next: writeSteps(file, cause)});
}

/** A system error of a write, in plain words. */
export function writeReason(cause: unknown): string {
  return writeTrouble(cause)?.reason ?? messageOf(cause);
}

/** What to check before the same command is run again; empty if the user cannot fix it. */
export function writeSteps(file: string, cause: unknown): NextStep[] {
  const trouble = writeTrouble(cause);
  if (trouble === openFiles) return openFilesSteps;
  const {look, fix} = trouble ?? {};
  if (look === undefined || fix === undefined) return [];
  return [{command: `${look} ${shellWord(path.dirname(file))}`, why: `${fix}, then run the command again`}];
}

type WriteTrouble = {readonly reason: string; readonly look?: string; readonly fix?: string};

/** The system error, however deeply it is wrapped. */
function writeTrouble(cause: unknown): WriteTrouble | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = systemErrorCode(error);
    // A missing program is not a missing folder.
    if (code === 'ENOENT' && String((error as NodeJS.ErrnoException).syscall).startsWith('spawn')) continue;
    if (code !== undefined && Object.hasOwn(writeTroubles, code)) return writeTroubles[code];
  }
  return undefined;
}

const denied = {reason: 'permission denied', look: 'ls -la', fix: 'make it writable for you'};

const openFiles = {reason: 'too many files are open'};

const writeTroubles: Readonly<Record<string, WriteTrouble>> = {
  ENOSPC: {reason: 'the disk is full', look: 'df -h', fix: 'free space there'},
  EDQUOT: {reason: 'the disk quota is used up', look: 'df -h', fix: 'free space there'},
  EROFS: {reason: 'the file system is read-only', look: 'df', fix: 'make that disk writable'},
  EACCES: denied,
  EPERM: denied,
  ENOENT: {reason: 'its folder does not exist', look: 'mkdir -p', fix: 'make it'},
  EMFILE: openFiles,
  ENFILE: openFiles,
  ENAMETOOLONG: {reason: 'the name is too long'},
};
