// Loaded with `node --import` before a worker: stands between it and `node:fs/promises`, counts what it
// asks for, and at the chosen step kills the process, tears the write, or fails it.
import fs, {type FileHandle} from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';

export type Fault =
  | {readonly kind: 'none'}
  /** SIGKILL before or after the step, or in the middle of its write. */
  | {readonly kind: 'kill'; readonly when: 'before' | 'after' | 'half'; readonly at: number}
  /** The step fails; so does every later one unless it is `once`. */
  | {readonly kind: 'fail'; readonly code: string; readonly at: number; readonly once: boolean}
  /** Every write takes at most this many bytes. */
  | {readonly kind: 'short'; readonly bytes: number};

/** One step as it happened, for models of what a power cut would leave. */
export type Step =
  | {readonly name: 'create' | 'open' | 'unlink' | 'mkdir' | 'other'; readonly file: string}
  | {readonly name: 'write'; readonly file: string; readonly text: string}
  | {readonly name: 'sync' | 'close'; readonly file: string}
  | {readonly name: 'rename'; readonly file: string; readonly to: string};

export type Faults = {
  /** From here on steps count, beginning with 1. */
  arm(fault: Fault): void;
  /** Back to normal; what happened since `arm`. */
  disarm(): Step[];
};

declare global {
  var faults: Faults;
}

let fault: Fault | null = null;
let steps: Step[] = [];
const files = new WeakMap<FileHandle, string>();

globalThis.faults = {
  arm: (next) => {
    fault = next;
    steps = [];
  },
  disarm: () => {
    fault = null;
    return steps;
  },
};

type Call = (...args: never[]) => Promise<unknown>;

/** Does one step with its fault. `half` is the same step done only in part, where that is possible. */
async function doStep<T>(step: Step, whole: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
  if (fault === null) return whole();
  steps.push(step);
  const number = steps.length;
  if (fault.kind === 'kill' && fault.at === number) {
    if (fault.when === 'half') await half?.();
    if (fault.when === 'after') await whole();
    die();
  }
  if (fault.kind === 'fail' && (fault.once ? fault.at === number : fault.at <= number)) {
    // A close that fails has closed all the same.
    if (step.name === 'close') await whole();
    throw Object.assign(new Error(`${fault.code}: injected, ${step.name}`), {code: fault.code});
  }
  return whole();
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

function replace(target: object, name: string, around: (real: Call) => Call): void {
  const methods = target as Record<string, Call>;
  const real = methods[name];
  if (real === undefined) throw new Error(`there is no ${name} to stand before`);
  methods[name] = around(real);
}

const other = (name: string) =>
  replace(
    fs,
    name,
    (real) =>
      (...args) =>
        doStep({name: 'other', file: String(args[0])}, () => real(...args)),
  );

for (const name of ['lstat', 'stat', 'readdir', 'readFile', 'writeFile', 'link', 'truncate', 'chmod'])
  other(name);

replace(fs, 'open', (real) => async (...args) => {
  const [file, flags] = args as unknown as [string, number];
  const creates = typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0;
  const opened = (await doStep({name: creates ? 'create' : 'open', file}, () => real(...args))) as FileHandle;
  files.set(opened, file);
  // Node gives every handle a `close` of its own.
  replace(opened, 'close', (close) => () => doStep({name: 'close', file}, () => close()));
  return opened;
});
for (const name of ['unlink', 'mkdir'] as const) {
  replace(
    fs,
    name,
    (real) =>
      (...args) =>
        doStep({name, file: String(args[0])}, () => real(...args)),
  );
}
replace(
  fs,
  'rename',
  (real) =>
    (...args) =>
      doStep({name: 'rename', file: String(args[0]), to: String(args[1])}, () => real(...args)),
);
syncBuiltinESMExports();

const probe = await fs.open('/dev/null');
const handles = Object.getPrototypeOf(probe) as object;
await probe.close();
const fileOf = (handle: unknown) => files.get(handle as FileHandle) ?? '';

replace(handles, 'sync', (real) => {
  return function (this: unknown, ...args) {
    return doStep({name: 'sync', file: fileOf(this)}, () => real.apply(this, args));
  };
});
for (const name of ['chmod', 'truncate', 'stat', 'read', 'readFile']) {
  replace(handles, name, (real) => {
    return function (this: unknown, ...args) {
      return doStep({name: 'other', file: fileOf(this)}, () => real.apply(this, args));
    };
  });
}
replace(handles, 'write', (real) => {
  return function (this: unknown, ...args) {
    const [data, offset = 0] = args as unknown as [Buffer | string, number?];
    const bytes = Buffer.from(data);
    const begin = typeof data === 'string' ? 0 : offset;
    const limit =
      fault?.kind === 'short' ? Math.min(fault.bytes, bytes.length - begin) : bytes.length - begin;
    const part = (length: number) => real.apply(this, [bytes, begin, length] as never[]);
    const step: Step = {
      name: 'write',
      file: fileOf(this),
      text: bytes.toString('utf8', begin, begin + limit),
    };
    return doStep(
      step,
      () => (typeof data === 'string' ? real.apply(this, args) : part(limit)),
      () => part(Math.floor(limit / 2)),
    );
  };
});
