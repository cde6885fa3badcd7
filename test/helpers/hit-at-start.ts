import {spawn} from 'node:child_process';
import {processState} from './agent-processes.ts';

/**
 * Node's `spawn`, whose first children are ended by a signal before it returns. This is what the terminal's Ctrl+C does
 * to a child that has not left our process group yet: nothing of the program runs.
 */
export function hitAtStart(times: number, signal = 'INT') {
  let starts = 0;
  const start = ((file: string, args: readonly string[], options: object) => {
    starts++;
    if (starts > times) return spawn(file, args, options);
    const child = spawn('/bin/sh', ['-c', `kill -${signal} $$`], options);
    while (child.pid !== undefined && processState(child.pid) !== null);
    return child;
  }) as typeof spawn;
  return {start, starts: () => starts};
}
