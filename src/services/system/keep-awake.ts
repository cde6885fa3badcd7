import {type ChildProcess, spawn} from 'node:child_process';
import type {KeepAwake} from '../contracts/hooks.ts';
import {findOnPath} from './executables.ts';

/**
 * If the system has a program for it. Each ends with us, even after a crash: `cat` when its stdin closes,
 * `caffeinate` when our process is gone. If the program fails (a container without a login manager), nothing
 * changes.
 */
export function createKeepAwake(env: Readonly<Record<string, string | undefined>>): KeepAwake {
  return () => {
    const program = awakeProgram(env);
    if (program === null) return () => {};
    // Without free file descriptors there are no pipes; the error event says so.
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
      // A child that failed to start briefly has pid 0: the signal would go to our own group.
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
