import {cutEnd} from '../../ui/text/fit.ts';
import type {CliContext} from '../context.ts';

/** Shows on a terminal how far a job is that takes longer than a second; the line is gone when it ends. */
export async function withProgress<T>(
  {stderr, writeErr}: Pick<CliContext, 'stderr' | 'writeErr'>,
  line: () => string,
  job: () => Promise<T>,
): Promise<T> {
  if (!stderr.isTerminal) return job();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    writeErr(`\r\u001b[2K${cutEnd(line(), Math.max(10, stderr.columns - 1))}`);
  }, 1_000);
  try {
    return await job();
  } finally {
    clearInterval(timer);
    if (isShown) writeErr('\r\u001b[2K');
  }
}
