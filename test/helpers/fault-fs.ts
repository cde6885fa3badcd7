// Loaded with `node --import` before a worker: intercepts Node's file functions, counts the calls, and at the
// chosen step kills the process, tears the write, or fails it.
import fs from 'node:fs';
import promises, {type FileHandle} from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';

export type Fault =
  | {readonly kind: 'none'}
  /** SIGKILL before or after the step, or in the middle of its write. */
  | {readonly kind: 'kill'; readonly when: 'before' | 'after' | 'half'; readonly at: number}
  /** The step fails; so does every later one unless `once` is set. */
  | {readonly kind: 'fail'; readonly code: string; readonly at: number; readonly once: boolean}
  /** Every write takes at most this many bytes. */
  | {readonly kind: 'short'; readonly bytes: number}
  /** Every write claims to be complete, but loses its last byte. */
  | {readonly kind: 'lossy'};

/** One recorded step, to model what a power cut would leave. */
export type Step =
  | {readonly name: 'open' | 'close' | 'sync' | 'unlink' | 'mkdir' | 'look'; readonly file: string}
  | {readonly name: 'write'; readonly file: string; readonly text: string}
  | {readonly name: 'rename'; readonly file: string; readonly to: string};

declare global {
  var faults: {
    /** From here on steps are counted, starting with 1. */
    arm(fault: Fault): void;
    /** Back to normal; returns the steps since `arm`. */
    disarm(): Step[];
  };
}

let fault: Fault | null = null;
let steps: Step[] = [];
const files = new Map<number, string>();

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

type Call = (...args: unknown[]) => unknown;

/** Performs one step with its fault, synchronous or not. `half` does only a part of it. */
function take(step: Step, whole: () => unknown, half: () => unknown = () => {}): unknown {
  if (fault === null || step.file.startsWith('/proc/')) return whole();
  steps.push(step);
  const number = steps.length;
  if (fault.kind === 'kill' && fault.at === number) {
    const last = attempt(fault.when === 'before' ? () => {} : fault.when === 'after' ? whole : half);
    return last instanceof Promise ? last.then(die, die) : die();
  }
  if (fault.kind === 'fail' && (fault.once ? fault.at === number : fault.at <= number)) {
    const error = Object.assign(new Error(`${fault.code}: injected, ${step.name}`), {code: fault.code});
    // A failing close has closed the file all the same.
    const done = step.name === 'close' ? whole() : undefined;
    if (done instanceof Promise) return done.then(() => Promise.reject(error));
    throw error;
  }
  return whole();
}

/** The step may fail on its own; what counts is the attempt. */
function attempt(job: () => unknown): unknown {
  try {
    return job();
  } catch {
    return undefined;
  }
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

const nameOf = (file: unknown) => (typeof file === 'number' ? (files.get(file) ?? '') : String(file));

/** How many bytes the next write may take. */
const allowed = (wanted: number) => (fault?.kind === 'short' ? Math.min(fault.bytes, wanted) : wanted);

const writeStep = (file: string, bytes: Uint8Array, from: number, length: number): Step => ({
  name: 'write',
  file,
  text: Buffer.from(bytes).toString('utf8', from, from + length),
});

// The synchronous functions.
for (const name of [
  'lstatSync',
  'statSync',
  'fstatSync',
  'readdirSync',
  'readFileSync',
  'fchmodSync',
  'accessSync',
]) {
  replace(
    fs,
    name,
    (real) =>
      (...args) =>
        take({name: 'look', file: nameOf(args[0])}, () => real(...args)),
  );
}
for (const name of ['unlink', 'mkdir'] as const) {
  replace(
    fs,
    `${name}Sync`,
    (real) =>
      (...args) =>
        take({name, file: nameOf(args[0])}, () => real(...args)),
  );
}
replace(fs, 'renameSync', (real) => (...args) => {
  return take({name: 'rename', file: nameOf(args[0]), to: nameOf(args[1])}, () => real(...args));
});
replace(fs, 'openSync', (real) => (...args) => {
  const handle = take({name: 'open', file: nameOf(args[0])}, () => real(...args)) as number;
  files.set(handle, nameOf(args[0]));
  return handle;
});
replace(
  fs,
  'closeSync',
  (real) =>
    (...args) =>
      take({name: 'close', file: nameOf(args[0])}, () => real(...args)),
);
replace(fs, 'writeSync', (real) => (handle, data, offset = 0) => {
  const bytes = data as Uint8Array;
  const from = offset as number;
  const length = allowed(bytes.length - from);
  return take(
    writeStep(nameOf(handle), bytes, from, length),
    () => {
      if (length === 0) return 0;
      if (fault?.kind !== 'lossy') return real(handle, bytes, from, length);
      real(handle, bytes, from, length - 1);
      return length;
    },
    () => real(handle, bytes, from, Math.floor(length / 2)),
  );
});
replace(fs, 'fsync', (real) => (handle, done) => {
  const answer = done as (error: unknown) => void;
  const whole = () => new Promise((resolve) => real(handle, resolve));
  Promise.resolve()
    .then(() => take({name: 'sync', file: nameOf(handle)}, whole))
    .then((error) => answer(error ?? null), answer);
});
replace(
  fs,
  'fsyncSync',
  (real) => (handle) => take({name: 'sync', file: nameOf(handle)}, () => real(handle)),
);

// The asynchronous functions.
for (const name of ['lstat', 'stat', 'readdir', 'readFile', 'link']) {
  replace(promises, name, (real) =>
    later((...args) => take({name: 'look', file: nameOf(args[0])}, () => real(...args))),
  );
}
for (const name of ['unlink', 'mkdir'] as const) {
  replace(promises, name, (real) =>
    later((...args) => take({name, file: nameOf(args[0])}, () => real(...args))),
  );
}
replace(promises, 'rename', (real) =>
  later((...args) => take({name: 'rename', file: nameOf(args[0]), to: nameOf(args[1])}, () => real(...args))),
);
replace(promises, 'writeFile', (real) =>
  later((...args) => {
    const step: Step = {name: 'write', file: nameOf(args[0]), text: String(args[1])};
    const text = String(args[1]);
    return take(
      step,
      () => real(...args),
      () => real(args[0], text.slice(0, text.length / 2), ...args.slice(2)),
    );
  }),
);
replace(promises, 'open', (real) =>
  later(async (...args) => {
    const file = nameOf(args[0]);
    const handle = (await take({name: 'open', file}, () => real(...args))) as FileHandle;
    files.set(handle.fd, file);
    // Node gives every handle its own `close`.
    replace(handle, 'close', (close) => later(() => take({name: 'close', file}, () => close())));
    return handle;
  }),
);
syncBuiltinESMExports();

const probe = await promises.open('/dev/null');
const handles = Object.getPrototypeOf(probe) as object;
await probe.close();
const fileOf = (handle: unknown) => files.get((handle as FileHandle).fd) ?? '';

for (const name of ['sync', 'truncate', 'stat', 'read', 'readFile', 'chmod']) {
  replace(handles, name, (real) => {
    return async function (this: FileHandle, ...args) {
      return take({name: name === 'sync' ? 'sync' : 'look', file: fileOf(this)}, () =>
        real.apply(this, args),
      );
    };
  });
}
replace(handles, 'write', (real) => {
  return async function (this: FileHandle, data, ...rest) {
    const bytes = Buffer.from(data as string | Uint8Array);
    return take(
      writeStep(fileOf(this), bytes, 0, bytes.length),
      () => real.call(this, data, ...rest),
      () => real.call(this, bytes, 0, Math.floor(bytes.length / 2)),
    );
  };
});

/** An error becomes a rejection, and is never thrown synchronously. */
function later(call: Call): Call {
  return async (...args) => call(...args);
}
