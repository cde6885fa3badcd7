import {type Bundle, type BundledJournal, bundleFormat} from '../../../services/contracts/bundle.ts';
import {type ConfigLayer, settingKeys} from '../../../services/contracts/config.ts';
import type {JournalLine, JournalValue} from '../../../services/contracts/journal.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {resolveConfig} from '../config-resolution.ts';
import {placeholderFor, redactRecord} from './redaction.ts';
import {type Person, scrubSecrets, scrubText, scrubValue} from './scrubbing.ts';

/** A plan can have 100,000 tasks; those around the one in question come first. */
const mostTasks = 1_000;

export type BundleParts = {
  readonly taskId: string;
  readonly createdAt: string;
  readonly versions: {readonly [key: string]: JournalValue};
  readonly layers: readonly ConfigLayer[];
  /** Names of the environment variables that affect Blackbird; their values may be secrets. */
  readonly environment: readonly string[];
  readonly plan: Plan | null;
  readonly runs: readonly RunRecord[];
  readonly journals: readonly BundledJournal[];
  readonly problems: readonly string[];
  readonly person: Person;
};

/** Everything for a bug report, redacted and scrubbed. */
export function bundleOf(parts: BundleParts): Bundle {
  const scrub = <T extends JournalValue>(value: T): T =>
    scrubValue(value, (text) => scrubText(text, parts.person));
  return {
    kind: 'blackbird-bundle',
    format: bundleFormat,
    created_at: parts.createdAt,
    task_id: scrub(parts.taskId),
    versions: scrub(parts.versions),
    config: scrub(configOf(parts)),
    plan: parts.plan && {
      total: parts.plan.items.size,
      tasks: tasksAround(parts.plan, parts.taskId).map((task) => scrub(redactTask(task))),
    },
    runs: parts.runs.map((run) => scrub(redactRun(run))),
    // Already redacted when written. Scrubbing names would also hit words of the machines.
    journals: parts.journals.map(({run_id, lines}) => ({
      run_id: scrubSecrets(run_id),
      lines: lines.map((line) => scrubValue(line as JournalValue, scrubSecrets) as JournalLine),
    })),
    problems: parts.problems.map((problem) => scrub(problem)),
  };
}

type Fields = {readonly [key: string]: JournalValue};

/** Keeps what matters for readiness and order; texts become their lengths. */
export function redactTask(task: Task): Fields {
  const {id, title, description, acceptanceCriteria, prompt, notes, verify} = task;
  return {
    id,
    title: placeholderFor(title),
    ...(description === undefined ? {} : {description: placeholderFor(description)}),
    acceptanceCriteria: acceptanceCriteria.map(placeholderFor),
    ...(prompt === undefined ? {} : {prompt: placeholderFor(prompt)}),
    ...(verify ? {verify: verify.map(placeholderFor)} : {}),
    ...(typeof notes === 'string' ? {notes: placeholderFor(notes)} : {}),
    parentId: task.parentId ?? null,
    childIds: task.childIds,
    deps: task.deps,
    status: task.status,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  };
}

/** Keeps the flags an agent was started with, but none of their values. */
export function redactRun(run: RunRecord): Fields {
  const segments = run.segments.map((segment, index) => ({
    ...((redactRecord(run).segments as readonly Fields[])[index] ?? {}),
    argv: segment.argv.map((word) => (/^--?[a-z][a-z-]*$/i.test(word) ? word : placeholderFor(word))),
  }));
  return {...redactRecord(run), segments};
}

function tasksAround(plan: Plan, taskId: string): Task[] {
  const tasks = [...plan.items.values()];
  if (tasks.length <= mostTasks) return tasks;
  const near = new Set([taskId]);
  for (let id: string | null | undefined = taskId; id; id = plan.items.get(id)?.parentId) {
    // Stops at a cycle in the parent chain.
    if (id !== taskId && near.has(id)) break;
    near.add(id);
  }
  const task = plan.items.get(taskId);
  for (const id of [...(task?.deps ?? []), ...(task?.childIds ?? [])]) near.add(id);
  const around = tasks.filter(({id, deps}) => near.has(id) || deps.includes(taskId));
  return around.slice(0, mostTasks);
}

/** Only settings this version knows: anything else in the files may be a secret. */
function configOf({layers, environment}: BundleParts): Fields {
  const {values, warnings} = resolveConfig(layers);
  const settings = settingKeys.map((key) => [key, {...values.get(key)}] as const);
  return {settings: Object.fromEntries(settings) as Fields, warnings: warnings.length, environment};
}
