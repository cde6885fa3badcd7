import {spawn} from 'node:child_process';

export type TerminalProgram = {
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to its stdin; without it, stdin is the terminal. */
  readonly input?: string;
};

/**
 * Gives the terminal to a user's program until it exits and returns the exit code. Ctrl+C and the like are
 * meant for the program, so we ignore them meanwhile.
 */
export async function showProgram({script, args, cwd, env, input}: TerminalProgram): Promise<number> {
  const release = ignoreSignals();
  try {
    return await new Promise<number>((resolve, reject) => {
      const stdin = input === undefined ? 'inherit' : 'pipe';
      const child = spawn('sh', ['-c', script, 'sh', ...args], {
        cwd,
        env,
        stdio: [stdin, 'inherit', 'inherit'],
      });
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
      // A pager that is quit early stops reading.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  } finally {
    release();
  }
}

function ignoreSignals(): () => void {
  const restores = (['SIGINT', 'SIGQUIT'] as const).map((signal) => {
    const listeners = process.listeners(signal);
    const ignore = () => {};
    process.removeAllListeners(signal);
    process.on(signal, ignore);
    return () => {
      process.off(signal, ignore);
      for (const listener of listeners) process.on(signal, listener);
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}
