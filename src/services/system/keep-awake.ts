import {type ChildProcess, spawn} from 'node:child_process';
import type {KeepAwake} from '../contracts/hooks.ts';
import {findOnPath} from './executables.ts';

/**
 * Where the system has a program for it. Each ends with us, however we end: `cat` when our end of its stdin is closed,
 * `caffeinate` when our process is gone. A program that fails (a container without a login manager) changes nothing.
 */
export function createKeepAwake(env: Readonly<Record<string, string | undefined>>): KeepAwake {
  return () => {
    const program = awakeProgram(env);
    if (program === null) return () => {};
    // Where no more files can be opened it has no pipes; its error tells.
    const child: ChildProcess = spawn(program.file, program.args, {
      env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.unref();
    return () => {
      child.stdin?.end();
      // One that was never started has the pid 0 for a moment: the signal would go to our own group.
      if (child.pid !== undefined) child.kill();
    };
  };
}

export function awakeProgram(
  env: Readonly<Record<string, string | undefined>>,
): {readonly file: string; readonly args: readonly string[]} | null {
  const inhibit = findOnPath('systemd-inhibit', env.PATH ?? '');
  if (inhibit !== null) {
    const args = [
      '--what=idle:sleep',
      '--who=Blackbird',
      '--why=A plan is being executed',
      '--mode=block',
      'cat',
    ];
    return {file: inhibit, args};
  }
  const caffeinate = findOnPath('caffeinate', env.PATH ?? '');
  return caffeinate === null ? null : {file: caffeinate, args: ['-i', '-w', String(process.pid)]};
}
