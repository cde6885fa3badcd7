import {type ChildProcess, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import type {Socket} from 'node:net';

/**
 * A small shell that starts git for us. Starting a process copies the page tables of its parent: from Node that takes
 * longer than git itself, and the longer the more memory a long plan has used.
 */
export type ShellCall = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly input: string;
  readonly take: (chunk: Buffer) => void;
  /** Ends git, and the shell with it. */
  readonly stop: AbortSignal;
};

/** `code` is null if git or its shell was killed. */
export type ShellAnswer = {readonly code: number | null; readonly stderr: string};

/** Kept this long for the next call. Not longer: while an agent works there is none. */
const lingerMilliseconds = 100;
/** Input is part of the command here, so a longer one is left to a pipe. */
const maxInputLength = 64 * 1024;
/** What a shell answers if git cannot be started. */
const notStarted = new Set([126, 127]);
/** A shell adds 128 to the number of the signal that ended git; git itself uses 128, 129 and 255. */
const isKilled = (code: number): boolean => code > 129 && code < 255;

const idle: Shell[] = [];

/** Null if git has to be started in another way. */
export async function gitInShell(call: ShellCall): Promise<ShellAnswer | null> {
  const {PATH: folders = ''} = call.env;
  if (folders === '' || call.input.length > maxInputLength) return null;
  const place = idle.findIndex(({path}) => path === folders);
  const [found] = place < 0 ? [] : idle.splice(place, 1);
  const shell = found ?? new Shell(folders);
  const answer = await shell.run(call);
  if (answer !== null && shell.isUsable) shell.rest();
  return answer?.code != null && notStarted.has(answer.code) ? null : answer;
}

function leave(shell: Shell): void {
  const place = idle.indexOf(shell);
  if (place >= 0) idle.splice(place, 1);
}

class Shell {
  readonly path: string;
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout | undefined;
  #onEnd: () => void = () => {};
  isUsable = true;

  constructor(path: string) {
    this.path = path;
    // In its own session, so that the terminal's Ctrl+C does not reach it. It ends with us: its input is then closed.
    this.#child = spawn('/bin/sh', [], {cwd: '/', env: {PATH: path, LC_ALL: 'C'}, detached: true});
    const end = () => {
      this.isUsable = false;
      this.#onEnd();
    };
    this.#child.once('close', end);
    this.#child.once('error', end);
    // A shell that is gone does not read; its end is what counts.
    this.#child.stdin?.on('error', () => {});
  }

  /** Null if there is no shell. */
  async run({cwd, env, args, input, take, stop}: ShellCall): Promise<ShellAnswer | null> {
    clearTimeout(this.#timer);
    const {stdin, stdout, stderr} = this.#child;
    if (this.#child.pid === undefined || !stdin || !stdout || !stderr) return null;
    this.#hold(true);
    const kill = () => this.#kill();
    stop.addEventListener('abort', kill, {once: true});
    // Nothing that git prints can contain it.
    const mark = randomBytes(16).toString('hex');
    const said: Buffer[] = [];
    const output = untilMark(stdout, mark, take);
    const errors = untilMark(stderr, mark, (chunk) => said.push(chunk));
    try {
      stdin.write(commandFor({cwd, env, args, input}, mark));
      const ended = new Promise<[null]>((resolve) => {
        this.#onEnd = () => resolve([null]);
      });
      const [answer] = await Promise.race([ended, Promise.all([output.end, errors.end])]);
      const code = answer === null || isKilled(Number(answer)) ? null : Number(answer);
      return {code, stderr: Buffer.concat(said).toString()};
    } finally {
      output.leave();
      errors.leave();
      stop.removeEventListener('abort', kill);
    }
  }

  rest(): void {
    this.#hold(false);
    this.#onEnd = () => leave(this);
    idle.push(this);
    this.#timer = setTimeout(() => {
      leave(this);
      this.#child.stdin?.end();
    }, lingerMilliseconds).unref();
  }

  #kill(): void {
    this.isUsable = false;
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  /** Only a call in progress keeps this process alive. */
  #hold(isHeld: boolean): void {
    const {stdin, stdout, stderr} = this.#child;
    for (const each of [this.#child, ...([stdin, stdout, stderr] as Socket[])]) {
      if (isHeld) each.ref();
      else each.unref();
    }
  }
}

/** Passes on what comes before the mark; what follows it on its line is the end. */
function untilMark(stream: NodeJS.ReadableStream, mark: string, take: (chunk: Buffer) => void) {
  let held: Buffer = Buffer.alloc(0);
  let onData: (chunk: Buffer) => void = () => {};
  const end = new Promise<string>((resolve) => {
    onData = (chunk) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = held.indexOf(mark);
      const isWhole = at >= 0 && held.at(-1) === 0x0a;
      // Without it, the last bytes may be its beginning.
      const known = at >= 0 ? at : Math.max(0, held.length - mark.length + 1);
      if (known > 0) take(held.subarray(0, known));
      held = held.subarray(known);
      if (isWhole) resolve(held.toString('latin1', mark.length).trim());
    };
  });
  stream.on('data', onData);
  return {end, leave: () => stream.removeListener('data', onData)};
}

function commandFor(
  {cwd, env, args, input}: Pick<ShellCall, 'cwd' | 'env' | 'args' | 'input'>,
  mark: string,
): string {
  const {PATH: _, ...others} = env;
  const variables = Object.entries(others).map(([name, value]) => `${name}=${quoted(value)}`);
  const git = [...variables, 'git', ...['-C', cwd, ...args].map(quoted)].join(' ');
  const fed = input === '' ? `${git} </dev/null` : `printf ${quoted(asFormat(input))} | ${git}`;
  return `${fed}\nprintf '%s %s\\n' ${mark} $?\nprintf '%s\\n' ${mark} >&2\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A format of `printf`, which can also say NUL. */
const asFormat = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000');
