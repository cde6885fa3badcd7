import {type ChildProcess, spawn} from 'node:child_process';
import path from 'node:path';
import {simpleGit} from 'simple-git';
import {messageOf} from '../contracts/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why a git command failed. */
export class GitFailure extends Error {
  readonly kind: 'missing' | 'failed' | 'interrupted' | 'slow' | 'large';

  constructor(kind: GitFailure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export type GitOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Passed to every call, for repositories whose own settings git reads. */
  readonly settings?: readonly string[];
};

export type GitCall = {
  /** Exit codes that are results, not failures. */
  readonly answers?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** More output than this fails as `large`. */
  readonly maxBytes?: number;
};

export type Git = {
  run(args: readonly string[], call?: GitCall): Promise<{readonly code: number; readonly text: string}>;
  /** Its output for the given stdin, which simple-git does not support. */
  feed(args: readonly string[], input: string, call?: GitCall): Promise<string>;
  /**
   * Like `feed`, for output that may not fit into memory; if the consumer throws, git is stopped. A retry
   * starts with a new consumer. The input may become known while git starts.
   */
  pour(
    args: readonly string[],
    input: () => Promise<string>,
    newTaker: () => (chunk: Buffer) => void,
  ): Promise<void>;
  /** For commands that print nothing on success: any output is a failure. */
  tell(args: readonly string[], input: string): Promise<void>;
};

/** The output limit of one call. Nothing here could use a longer list. */
const maxOutputBytes = 64 * 1024 * 1024;

/** Runs git so that it answers within the limits of `signal` or fails; a hung git never blocks us. */
export function createGit(options: GitOptions): Git {
  return {
    run: (args, call = {}) => persistently(() => runOnce(options, args, call)),
    feed: (args, input, call = {}) => persistently(() => feedOnce(options, args, input, call)),
    pour: async (args, input, newTaker) => {
      await persistently(() => pourOnce(options, args, input(), newTaker()));
    },
    tell: async (args, input) => {
      const said: Buffer[] = [];
      const stderr = await persistently(() => pourOnce(options, args, input, (chunk) => said.push(chunk)));
      const text = `${stderr}${Buffer.concat(said)}`;
      if (text !== '') throw failure(args, 0, text);
    },
  };
}

/** A Ctrl+C meant for us reaches git as well. Every command here can be repeated. */
async function persistently<T>(job: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await job();
    } catch (error) {
      if (!(error instanceof GitFailure) || error.kind !== 'interrupted' || attempt === 3) throw error;
    }
  }
}

async function runOnce(
  {cwd, env, signal, settings = []}: GitOptions,
  args: readonly string[],
  {answers = [0], env: more = {}, maxBytes = maxOutputBytes}: GitCall,
): Promise<{code: number; text: string}> {
  const stop = new AbortController();
  const result: {code: number; bytes: number; failure?: GitFailure} = {code: 0, bytes: 0};
  const git = simpleGit({
    baseDir: cwd,
    config: [...settings],
    abort: stop.signal,
    // The other way of detecting the exit can lose output on a busy machine.
    completion: {onClose: true, onExit: false},
    // These checks are for settings from callers; ours are constants that disable things.
    unsafe: {allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true},
    // By default an exit code counts as an error only together with stderr output.
    errors: (_error, {exitCode, stdErr}) => {
      result.code = exitCode;
      if (answers.includes(exitCode)) return undefined;
      result.failure = failure(args, exitCode, Buffer.concat(stdErr).toString());
      return result.failure;
    },
  }).env({...env, ...more});
  git.outputHandler((_command, stdout) => {
    countBytes(stdout, result, {maxBytes, onTooMany: () => stop.abort(tooLarge(args, maxBytes))});
  });
  // simple-git throws an error of its own, with the text of ours.
  const text = await until(signal, stop, git.raw([...args])).catch((error: unknown) => {
    throw stop.signal.aborted ? error : (result.failure ?? error);
  });
  return {code: result.code, text};
}

async function feedOnce(
  {cwd, env, signal, settings = []}: GitOptions,
  args: readonly string[],
  input: string,
  {env: more = {}}: GitCall,
): Promise<string> {
  // Most tasks do without it, and loading it takes longer than a call.
  const {execa} = await import('execa');
  const stop = new AbortController();
  const given = settings.flatMap((setting) => ['-c', setting]);
  const job = execa('git', [...given, ...args], {
    cwd,
    env: {...env, ...more},
    extendEnv: false,
    input,
    cancelSignal: stop.signal,
    maxBuffer: maxOutputBytes,
    stripFinalNewline: false,
    reject: false,
  });
  const {failed, exitCode = null, stderr, stdout} = await until(signal, stop, job);
  if (failed) throw failure(args, exitCode, String(stderr ?? ''));
  return stdout;
}

/**
 * Returns what git prints to stderr. Every task waits for such a call, and execa takes longer than git
 * itself, so plain `spawn` is used.
 */
async function pourOnce(
  {cwd, env, signal, settings = []}: GitOptions,
  args: readonly string[],
  input: string | Promise<string>,
  take: (chunk: Buffer) => void,
): Promise<string> {
  const stop = new AbortController();
  const given = settings.flatMap((setting) => ['-c', setting]);
  // If the system has no pipes left, they are missing here; the failure is reported as an error event.
  const child: ChildProcess = spawn('git', [...given, ...args], {cwd, env, signal: stop.signal});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      if (!stop.signal.aborted) reject(failure(args, -1, error.message));
    });
  });
  const stderr: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdout?.on('data', (chunk: Buffer) => {
    if (stop.signal.aborted) return;
    try {
      take(chunk);
    } catch (error) {
      stop.abort(error);
    }
  });
  // If git exits before reading all input, its exit code says why.
  child.stdin?.on('error', () => {});
  Promise.resolve(input).then(
    (text) => child.stdin?.end(text),
    (error: unknown) => stop.abort(error),
  );
  const code = await until(signal, stop, ended);
  const text = Buffer.concat(stderr).toString();
  if (code !== 0) throw failure(args, code, text);
  return text;
}

/**
 * The part of the environment git may see: where programs and the user's settings are. No `GIT_*` variable is
 * passed on, no folder of the repository is searched for programs, and no transport (a program named by a
 * setting) is allowed.
 */
export function gitEnvironment(env: Environment, repository: string): Record<string, string> {
  const isForeign = (folder: string) => path.isAbsolute(folder) && !isInside(repository, folder);
  const kept = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'DEVELOPER_DIR'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    PATH: (env.PATH ?? '').split(path.delimiter).filter(isForeign).join(path.delimiter),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/** A repository at the root of the file system contains everything, so it does not count. */
function isInside(repository: string, folder: string): boolean {
  const way = path.relative(repository, folder);
  return path.dirname(repository) !== repository && way !== '..' && !way.startsWith(`..${path.sep}`);
}

function countBytes(
  stdout: NodeJS.ReadableStream,
  count: {bytes: number},
  {maxBytes, onTooMany}: {maxBytes: number; onTooMany: () => void},
): void {
  stdout.on('data', (chunk: Buffer) => {
    count.bytes += chunk.length;
    if (count.bytes > maxBytes) onTooMany();
  });
  // simple-git waits another 50 ms for commands without output; an empty chunk ends the wait.
  stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)));
}

/** The result, unless a limit is reached first; then git is told to stop and not awaited. */
async function until<T>(signal: AbortSignal, stop: AbortController, job: Promise<T>): Promise<T> {
  const pass = () => stop.abort(signal.reason);
  if (signal.aborted) pass();
  signal.addEventListener('abort', pass);
  const stopped = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(stop.signal.reason);
    if (stop.signal.aborted) giveUp();
    stop.signal.addEventListener('abort', giveUp, {once: true});
  });
  try {
    return await Promise.race([job, stopped]);
  } catch (error) {
    throw error instanceof GitFailure ? error : new GitFailure('failed', messageOf(error));
  } finally {
    signal.removeEventListener('abort', pass);
  }
}

const tooLarge = ([command]: readonly string[], maxBytes: number) =>
  new GitFailure('large', `git ${command} printed more than ${maxBytes / 1024 / 1024} MiB`);

function failure([command]: readonly string[], exitCode: number | null, stderr: string): GitFailure {
  // simple-git reports a program that could not be started as if it were stderr output.
  if (/spawn .*ENOENT/.test(stderr)) return new GitFailure('missing', 'git is not installed');
  if (exitCode === null) return new GitFailure('interrupted', `git ${command} was interrupted`);
  const reason = stderr.split('\n').findLast((line) => /^(fatal|error):/.test(line)) ?? stderr.trim();
  return new GitFailure(
    'failed',
    `git ${command} failed: ${reason.slice(0, 500) || `exit code ${exitCode}`}`,
  );
}
