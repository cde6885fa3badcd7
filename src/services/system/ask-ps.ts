import {execFileSync} from 'node:child_process';
import {maxStarts} from './group-signals.ts';

/** What `ps` prints. A Ctrl+C meant for us ends it as well, which is no answer: it is asked again. */
export function askPs(args: readonly string[]): string {
  for (let start = 1; ; start++) {
    try {
      return execFileSync('ps', args, {
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
        env: {...process.env, LC_ALL: 'C'},
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch (error) {
      const {signal = null} = error as {readonly signal?: string | null};
      if (signal === null || start === maxStarts) throw error;
    }
  }
}
