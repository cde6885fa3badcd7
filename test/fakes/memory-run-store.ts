import {AppError, messageOf} from '../../src/services/contracts/errors.ts';
import {
  type BrokenRun,
  isGoRun,
  latestRun,
  type RunRecord,
  type RunStore,
  runRecordSchema,
} from '../../src/services/contracts/run.ts';
import {fromGoRunRecord, isGoRunRecord} from '../../src/services/stores/go-run-record.ts';

export type MemoryRunStore = RunStore & {
  /** The text of every file, by task and file name: `texts.get('a')?.get('a-1.json')`. */
  readonly texts: Map<string, Map<string, string>>;
  /** The current records of a task, oldest attempt first. */
  records(taskId: string): RunRecord[];
  /** The next write of a matching record fails, and nothing is written. */
  failOn(isMeant: (run: RunRecord) => boolean, error?: unknown): void;
  /** The next write of a matching record waits until the returned function is called. */
  holdOn(isMeant: (run: RunRecord) => boolean): () => void;
};

/** Runs in memory. Every successful write is reported to `onWrite` afterwards. */
export function createMemoryRunStore({
  runs = [],
  onWrite = () => {},
}: {
  runs?: readonly RunRecord[];
  onWrite?: (run: RunRecord) => void;
} = {}): MemoryRunStore {
  const texts = new Map<string, Map<string, string>>();
  /** What this store wrote of running runs. */
  const own = new Map<string, string>();
  const ownKey = (taskId: string, name: string) => JSON.stringify([taskId, name]);
  const failures: Array<{isMeant: (run: RunRecord) => boolean; error: unknown}> = [];
  const holds: Array<{isMeant: (run: RunRecord) => boolean; released: Promise<void>}> = [];

  const folderOf = (taskId: string) => {
    const folder = texts.get(taskId) ?? new Map<string, string>();
    texts.set(taskId, folder);
    return folder;
  };
  const place = (run: RunRecord) =>
    folderOf(run.task_id).set(`${run.run_id}.json`, `${JSON.stringify(run, null, 2)}\n`);
  for (const run of runs) place(run);

  const write = async (run: RunRecord) => {
    const held = holds.findIndex(({isMeant}) => isMeant(run));
    if (held >= 0) await holds.splice(held, 1)[0]?.released;
    const failing = failures.findIndex(({isMeant}) => isMeant(run));
    if (failing >= 0) throw failures.splice(failing, 1)[0]?.error;
    place(run);
    const key = ownKey(run.task_id, `${run.run_id}.json`);
    if (run.state === 'running') own.set(key, texts.get(run.task_id)?.get(`${run.run_id}.json`) ?? '');
    else own.delete(key);
    onWrite(run);
  };

  const list = (taskId: string) => {
    const found: RunRecord[] = [];
    const broken: BrokenRun[] = [];
    for (const [name, text] of texts.get(taskId) ?? []) {
      if (!name.endsWith('.json') || name.startsWith('.')) continue;
      try {
        const run = parse(name, text);
        if (run.task_id === taskId) found.push(run);
      } catch (error) {
        broken.push({file: `/runs/${encodeURIComponent(taskId)}/${name}`, reason: messageOf(error)});
      }
    }
    return {runs: numbered(found), broken};
  };

  return {
    texts,
    records: (taskId) => list(taskId).runs,
    failOn: (isMeant, error = new AppError('E_STORE_WRITE', 'the disk is full')) => {
      failures.push({isMeant, error});
    },
    holdOn: (isMeant) => {
      const {promise, resolve} = deferred();
      holds.push({isMeant, released: promise});
      return resolve;
    },
    list: async (taskId) => list(taskId),
    latest: async (taskId) => {
      const {runs: found, broken} = list(taskId);
      const [first] = broken;
      if (first) throw new AppError('E_STORE_CORRUPT', `the run record ${first.file} cannot be used`);
      return latestRun(found);
    },
    runningTaskIds: async () =>
      [...texts.keys()].filter((taskId) => list(taskId).runs.some(({state}) => state === 'running')),
    insert: async (run) => {
      const name = `${checked(run.run_id)}.json`;
      if (texts.get(run.task_id)?.has(name)) {
        throw new AppError('E_RUN_EXISTS', `run ${run.run_id} already exists`);
      }
      await write(run);
    },
    update: async (taskId, runId, change) => {
      const name = `${checked(runId)}.json`;
      const text = own.get(ownKey(taskId, name)) ?? texts.get(taskId)?.get(name);
      if (text === undefined) throw new AppError('E_RUN_NOT_FOUND', `no run record of ${runId}`);
      const before = parse(name, text);
      if (isGoRun(before)) throw new AppError('E_STORE_WRITE', `run ${runId} is the Go program's`);
      const after = change(before);
      if (after !== before) await write(after);
      return after;
    },
    isAsWritten: (taskId, runId) => {
      const name = `${runId}.json`;
      const written = own.get(ownKey(taskId, name));
      return written === undefined || written === texts.get(taskId)?.get(name);
    },
    restore: write,
    files: (taskId, runId) => {
      const base = `/runs/${encodeURIComponent(taskId)}/${checked(runId)}`;
      return {
        record: `${base}.json`,
        stdout: `${base}.stdout.log`,
        stderr: `${base}.stderr.log`,
        times: `${base}.times.log`,
        journal: `${base}.journal.jsonl`,
      };
    },
  };
}

function checked(runId: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(runId)) return runId;
  throw new AppError('E_RUN_NOT_FOUND', `${JSON.stringify(runId)} is not a run id`);
}

/** Equal text gives the same record object: records are immutable. */
const known = new Map<string, RunRecord>();
const knownLimit = 2_000;

function recordIn(text: string): RunRecord {
  const found = known.get(text);
  if (found) return found;
  const json: unknown = JSON.parse(text);
  const run = runRecordSchema.parse(isGoRunRecord(json) ? fromGoRunRecord(json, 1) : json);
  if (known.size >= knownLimit) known.clear();
  known.set(text, run);
  return run;
}

function parse(name: string, text: string): RunRecord {
  const run = recordIn(text);
  if (`${run.run_id}.json` !== name) throw new Error(`it is the record of run ${run.run_id}`);
  return run;
}

function numbered(runs: readonly RunRecord[]): RunRecord[] {
  const foreign = runs
    .filter(isGoRun)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || a.run_id.localeCompare(b.run_id))
    .map((run, index) => ({...run, attempt: index + 1}));
  const own = runs.filter((run) => !isGoRun(run)).sort((a, b) => a.attempt - b.attempt);
  return [...foreign, ...own];
}

/** A promise and its resolver; `Promise.withResolvers` is newer than Node 20. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return {promise, resolve, reject};
}
