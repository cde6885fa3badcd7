// Runs one scenario of the stores under one fault, or all of them in a row, depending on its arguments.
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {newRunRecord} from '../../../src/machines/policies/run/run-record.ts';
import {createConfigStore} from '../../../src/services/config/config-store.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import {createCommentStore} from '../../../src/services/stores/comment-store.ts';
import {createDraftStore} from '../../../src/services/stores/draft-store.ts';
import {DurableFile} from '../../../src/services/stores/durable-file.ts';
import {removeDurably} from '../../../src/services/stores/durable-write.ts';
import {createFeedbackStore} from '../../../src/services/stores/feedback-store.ts';
import {createPlanDraftStore} from '../../../src/services/stores/plan-draft-store.ts';
import {createPlanStore} from '../../../src/services/stores/plan-store.ts';
import {createRunStore} from '../../../src/services/stores/run-store.ts';
import type {Fault, Step} from '../fault-fs.ts';

export type ScenarioName = 'record' | 'plan' | 'config' | 'launch' | 'removal';

export type Job = {
  readonly scenario: ScenarioName;
  readonly folder: string;
  readonly fault: Fault;
};

/** What is left after a job that was not killed. */
export type Report = {
  readonly steps: Step[];
  readonly error: {readonly code: string; readonly message: string} | null;
  readonly content: string;
  readonly names: string[];
};

/** The file each scenario changes, relative to its folder. */
const changedFile: Record<ScenarioName, string> = {
  record: 'record.json',
  plan: 'blackbird.plan.json',
  config: 'config.json',
  launch: path.join('runs', 'a', 'a-1.json'),
  removal: 'blackbird.plan.json',
};

const change: Record<ScenarioName, (folder: string) => Promise<unknown>> = {
  record: async (folder) => {
    const file = new DurableFile<object>({
      file: path.join(folder, 'record.json'),
      what: 'run record',
      maxBytes: 1024 * 1024,
      parse: (json) => json as object,
      render: (value) => `${JSON.stringify(value)}\n`,
    });
    await file.read();
    await file.write({state: 'new', text: 'x'.repeat(5_000)});
  },
  plan: (folder) => planStore(folder).update((plan) => setStatus(plan, 'a', 'done', '2026-02-02T02:02:02Z')),
  config: (folder) => configStore(folder).write('project', 'execution.pauseGraceSeconds', 42),
  /** The start of a run: its record, the plan, and the record again before the agent may go. */
  launch: async (folder) => {
    const runs = createRunStore({folder: path.join(folder, 'runs')});
    const plans = planStore(folder);
    await runs.insert(newRun);
    await plans.update((plan) => setStatus(plan, 'a', 'in_progress', '2026-02-02T02:02:02Z'));
    await runs.update('a', newRun.run_id, (run) => ({...run, phase: 'active'}));
  },
  /** What a store removed stays removed. */
  removal: async (folder) => {
    const folders = {
      drafts: path.join(folder, 'drafts'),
      feedback: path.join(folder, 'feedback'),
      plans: path.join(folder, 'plans'),
    };
    for (const each of Object.values(folders)) {
      mkdirSync(each);
      for (const name of ['a.json', 'a.feedback.json']) writeFileSync(path.join(each, name), '{}');
    }
    await removeDurably(path.join(folder, 'blackbird.plan.json'));
    await createDraftStore({folder: folders.drafts}).remove('feedback', 'a');
    await createFeedbackStore({folder: folders.feedback}).remove('a');
    await createPlanDraftStore({folder: folders.plans}).remove('a');
    const comments = path.join(folder, 'runs', 'a', 'a-1.comments');
    mkdirSync(comments, {recursive: true});
    writeFileSync(path.join(comments, 'c1.json'), '{}');
    await createCommentStore({folder: path.join(folder, 'runs')}).remove({task_id: 'a', run_id: 'a-1'}, 'c1');
  },
};

const configStore = (folder: string) =>
  createConfigStore({
    project: path.join(folder, 'config.json'),
    global: path.join(folder, 'global.json'),
  });

const planStore = (folder: string) =>
  createPlanStore({
    file: path.join(folder, 'blackbird.plan.json'),
    lock: async () => createProcessLock(path.join(folder, 'plan.lock')),
    rules: {check: checkRawPlan, checkChange: checkPlanChange},
  });

const newRun = newRunRecord(
  {
    runId: 'a-1',
    taskId: 'a',
    attempt: 1,
    program: {provider: 'claude'},
    sessionRef: '',
    repoRoot: '/',
    context: {digest: '', bytes: 0},
    links: {},
    isReviewed: false,
  },
  '2026-02-02T02:02:02Z',
);

async function run({scenario, folder, fault}: Job): Promise<Report> {
  globalThis.faults.arm(fault);
  const error = await change[scenario](folder).then(
    () => null,
    (cause: unknown) => cause,
  );
  const steps = globalThis.faults.disarm();
  return {
    steps,
    error: error === null ? null : seen(error),
    content: contentOf(path.join(folder, changedFile[scenario])),
    names: readdirSync(folder).sort(),
  };
}

/** Empty if the file was never created. */
function contentOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function seen(error: unknown): {code: string; message: string} {
  if (error instanceof AppError) return {code: error.code, message: error.message};
  return {code: 'unexpected', message: String(error)};
}

const jobs = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job[];
const reports: Report[] = [];
for (const job of jobs) reports.push(await run(job));
writeFileSync(process.argv[3] ?? '', JSON.stringify(reports));
