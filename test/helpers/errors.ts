import {AppError} from '../../src/services/contracts/errors.ts';

/** The expected error of a job. Any other error, or none, fails the test. */
export function errorOf(job: () => unknown): AppError {
  try {
    job();
  } catch (error) {
    return expected(error);
  }
  throw new Error('nothing was refused');
}

/** The same for a promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise;
  } catch (error) {
    return expected(error);
  }
  throw new Error('nothing was refused');
}

/** What a caller sees of an error: code, message and the rest. */
export const seen = ({code, message, details, next}: AppError) => ({code, message, details, next});

function expected(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
