import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {open, rm} from 'node:fs/promises';
import path from 'node:path';
import type {AgentSpawner} from '../contracts/agent-process.ts';
import type {CheckEnding, CheckRunner} from '../contracts/check-runner.ts';
import {systemErrorCode} from '../contracts/errors.ts';
import type {RunStore} from '../contracts/run.ts';

/** More than a screenful helps nobody, and every record of the run holds it. */
const tailCharacters = 8_000;

export type CheckRunnerOptions = {
  readonly spawner: AgentSpawner;
  readonly runs: Pick<RunStore, 'files'>;
  readonly cwd: string;
  /** The output of a check as it arrives. */
  readonly onOutput?: (text: string, runId: string) => void;
};

/** Runs checks like agents: in their own group, guarded, and marked as part of their run. */
export function createCheckRunner({spawner, runs, cwd, onOutput}: CheckRunnerOptions): CheckRunner {
  return {
    launch: async ({run, command, logFile}) => {
      const file = path.join(path.dirname(runs.files(run.task_id, run.run_id).record), logFile);
      await rm(file, {force: true});
      const check = await spawner.spawn({
        runId: run.run_id,
        // One stream, so that errors appear in order; the command itself is not changed.
        command: {file: 'sh', args: ['-c', 'exec sh -c "$0" 2>&1', command], stdin: '', env: {}},
        cwd,
        stdoutFile: file,
        stderrFile: file,
        onLine: () => {},
        ...(onOutput && {onOutput: (_, text) => onOutput(text, run.run_id)}),
      });
      const ended = check.ended.then(async ({exitCode, signal, stdout, stderr, logTruncated}) => {
        const tail = lastCharacters(`${stdout}${stderr}`);
        const ending: CheckEnding = {
          exitCode,
          signal,
          tail,
          logDigest: await digestOf(file),
          isLogTruncated: logTruncated,
        };
        return ending;
      });
      return {...check, ended};
    },
  };
}

function lastCharacters(text: string): string {
  const end = text.slice(-tailCharacters);
  // Never half a character.
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

/** A check that printed nothing has no log; an unreadable log is not the one it wrote. */
async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') return null;
      throw error;
    },
  );
  if (handle === null) return hash.digest('hex');
  try {
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const {bytesRead} = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
