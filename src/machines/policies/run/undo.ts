import type {UndoPlan} from '../../../services/contracts/changes.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import {type RunRecord, runSchemaVersion} from '../../../services/contracts/run.ts';
import {counted} from '../text/counted.ts';
import {recordedIdentity} from './run-step.ts';

/** What to undo: the whole task, or one of its runs. */
export type UndoRequest = {
  readonly taskId: string;
  readonly runId: string | null;
  /** Restores conflicting files to their state before the task, and ignores dependents. */
  readonly isForced: boolean;
};

/** What an undo would do. */
export type UndoProposal = {
  readonly request: UndoRequest;
  readonly task: Pick<Task, 'id' | 'title' | 'status'>;
  /** The run that determines the state of the task. */
  readonly run: RunRecord;
  /** The runs whose changes are undone; for a redo, the undo. */
  readonly undoes: readonly RunRecord[];
  readonly isRedo: boolean;
  readonly files: UndoPlan;
  /** Tasks in progress or done that build on this one. */
  readonly dependents: readonly string[];
};

/** Tasks in progress or done that depend on this one, directly or indirectly, in plan order. */
export function builtOn(plan: Plan, taskId: string): string[] {
  const reached = new Set([taskId]);
  const needing = new Map<string, string[]>();
  for (const {id, deps} of plan.items.values())
    for (const dep of deps) needing.set(dep, [...(needing.get(dep) ?? []), id]);
  for (const id of reached) for (const next of needing.get(id) ?? []) reached.add(next);
  reached.delete(taskId);
  return [...plan.items.values()]
    .filter(({id, status}) => reached.has(id) && isBegun(status))
    .map(({id}) => id);
}

const isBegun = (status: TaskStatus) =>
  status === 'done' || status === 'in_progress' || status === 'waiting_user';

/** Why it cannot be done; null if it can. */
export function undoRefusal({request, files, dependents, isRedo}: UndoProposal): AppError | null {
  const {taskId, isForced} = request;
  if (isForced) return null;
  const next = [
    {command: `${undoCommand(request)} --dry-run`, why: 'see what it would do'},
    {command: `${undoCommand(request)} --force`, why: forceWords(files)},
  ];
  // Comes first, because it may be why files have changed: forcing it would drop the work of these tasks.
  if (dependents.length > 0 && !isRedo) {
    const first = dependents.toReversed().map((each) => ({
      command: undoCommand({taskId: each, runId: null}),
      why: 'undo what was built on it first',
    }));
    return new AppError('E_UNDO_REFUSED', `cannot undo ${taskId}: ${dependents.join(', ')} built on it`, {
      details: files.conflicts.map(({path, reason}) => [path, reason] as const),
      next: [...first, ...next],
    });
  }
  if (files.conflicts.length > 0) {
    return new AppError('E_UNDO_CONFLICT', `cannot undo ${taskId}: ${cause(files)}; nothing was touched`, {
      details: files.conflicts.map(({path, reason}) => [path, reason] as const),
      next,
    });
  }
  return null;
}

function cause({conflicts}: UndoPlan): string {
  const isOne = conflicts.length === 1;
  const files = isOne ? 'a file' : `${conflicts.length} files`;
  if (conflicts.some(({isForceable}) => !isForceable)) return `${files} cannot simply be restored`;
  return `${files} ${isOne ? 'has' : 'have'} changed since`;
}

function forceWords({conflicts}: UndoPlan): string {
  if (conflicts.length === 0) return 'undo it anyway';
  const unforceable = conflicts.filter(({isForceable}) => !isForceable).length;
  const put = 'edited files get their earlier content; undoing the undo brings the edits back';
  if (unforceable === 0) return put;
  const left = `undo the rest; ${counted(unforceable, 'file stays as it is', 'files stay as they are')}`;
  return unforceable === conflicts.length ? left : `${left}; ${put}`;
}

/** For when nobody can be asked. */
export function unconfirmedUndo(request: UndoRequest): AppError {
  const undo = undoCommand(request);
  return new AppError(
    'E_CONFIRMATION_REQUIRED',
    'there is no terminal to ask in; nothing was undone; pass --yes',
    {
      next: [
        {command: `${undo} --yes`, why: 'undo it without being asked'},
        {command: `${undo} --dry-run`, why: 'see what it would do'},
      ],
    },
  );
}

export const undoCommand = ({taskId, runId}: Pick<UndoRequest, 'taskId' | 'runId'>): string =>
  ['blackbird undo', shellWord(taskId), ...(runId === null ? [] : [shellWord(runId)])].join(' ');

/** An undo is recorded like a run, before it touches any file. */
export function undoRecord(
  {task, run, undoes, isRedo, files, request}: UndoProposal,
  {
    runId,
    attempt,
    repoRoot,
    owner,
    now,
  }: {runId: string; attempt: number; repoRoot: string; owner: ProcessIdentity | null; now: string},
): RunRecord {
  const forced = request.isForced
    ? files.conflicts.flatMap(({path, isForceable}) => (isForceable ? [path] : []))
    : [];
  return {
    schema_version: runSchemaVersion,
    run_id: runId,
    task_id: task.id,
    run_type: 'undo',
    attempt,
    state: 'running',
    provider: run.provider,
    provider_session_ref: '',
    resumable: false,
    repo_root: repoRoot,
    created_at: now,
    updated_at: now,
    ...(owner === null ? {} : {owner: recordedIdentity(owner)}),
    segments: [],
    stdout: '',
    stderr: '',
    exit_code: null,
    baseline_tree: files.from,
    undo: {
      run_ids: undoes.map(({run_id}) => run_id),
      is_redo: isRedo,
      task_status: task.status,
      ...(forced.length === 0 ? {} : {forced}),
    },
  };
}

/** The files are written; from now on the undo can itself be undone. */
export const undone = (
  run: RunRecord,
  tree: string,
  summary: RunRecord['review_summary'],
  now: string,
): RunRecord => ({
  ...run,
  state: 'succeeded',
  updated_at: now,
  result_tree: tree,
  ...(summary && {review_summary: summary}),
});

/** It ended halfway. Whatever it wrote can be undone, and repeating the undo does the rest. */
export function undoBroken(run: RunRecord, tree: string | null, message: string, now: string): RunRecord {
  return {
    ...run,
    state: 'failed',
    updated_at: now,
    failure: {kind: 'stopped', message},
    ...(tree === null ? {} : {result_tree: tree}),
  };
}

/** The task's status afterwards. A redo restores the earlier one. */
export const statusAfterUndo = ({isRedo, undoes, task}: UndoProposal): TaskStatus =>
  isRedo ? (undoes.at(-1)?.undo?.task_status ?? task.status) : 'todo';
