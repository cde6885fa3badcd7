import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {
  ForeignPlanEdit,
  FoundFiles,
  KeptSurroundings,
  NewIgnored,
  PlanFieldEdit,
  RecordVersions,
  RepositoryState,
  SideEffect,
  Surroundings,
} from '../../../services/contracts/side-effects.ts';
import {editName, effectKey} from './effect-words.ts';
import {keptContents, settingsEffects} from './settings-effects.ts';
import {takenBack} from './taken-back.ts';

export type SeenAround = {
  readonly before: Surroundings;
  readonly after: Surroundings;
  /** Null if only Blackbird wrote the plan. */
  readonly plan: ForeignPlanEdit | null;
  readonly ignored: NewIgnored;
  /** New project files, if git cannot tell. */
  readonly written?: NewIgnored;
};

/** The repository was replaced or removed. */
export const isReplaced = ({before, after}: Pick<SeenAround, 'before' | 'after'>): boolean =>
  before.repository !== null && after.repository?.id !== before.repository.id;

/** What happened outside the diff while an agent was working, most serious first. */
export function sideEffectsOf({before, after, plan, ignored, written}: SeenAround): SideEffect[] {
  return [
    ...(plan === null ? [] : planEffects(plan)),
    ...settingsEffects(before, after),
    ...repositoryEffects(before.repository, after.repository),
    ...(written ? writtenEffects(written) : []),
    ...ignoredEffects(ignored),
  ];
}

/** Effects on files are recomputed for the whole task; all others accumulate. */
const ofFiles = new Set<string>(['nested_repository', 'lost_file', 'large_file', 'binary_file']);

export function mergeSideEffects(
  earlier: readonly SideEffect[],
  around: readonly SideEffect[],
  files: readonly SideEffect[],
): SideEffect[] {
  const kept = [...earlier.filter(({kind}) => !ofFiles.has(kind)), ...around];
  return [...new Map([...kept, ...files].map((effect) => [effectKey(effect), effect])).values()];
}

/** An edited plan or record may change what runs next, so nothing runs before the user has seen it. */
export const needsDecision = (effects: readonly SideEffect[] = []): boolean =>
  effects.some(({kind}) => kind === 'plan' || kind === 'records');

/** Tasks whose records someone else wrote or removed, except those of these runs; each task once. */
export function foreignRecords(
  before: RecordVersions | undefined,
  after: RecordVersions | undefined,
  but: readonly Pick<RunRecord, 'run_id'>[],
): Pick<ChangedRecords, 'removed' | 'changed'> {
  if (before === undefined || after === undefined) return {removed: [], changed: []};
  const own = new Set(but.map(({run_id}) => `${run_id}.json`));
  const [removed, changed]: [string[], string[]] = [[], []];
  for (const task of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(task) ?? noRecords, after.get(task) ?? noRecords];
    const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !own.has(name));
    if (names.some((name) => !now.has(name))) removed.push(task);
    else if (names.some((name) => old.get(name) !== now.get(name))) changed.push(task);
  }
  return {removed: removed.toSorted(), changed: changed.toSorted()};
}

const noRecords: ReadonlyMap<string, string> = new Map();

export type ChangedRecords = {
  /** The record of the run itself. */
  readonly isOwnChanged: boolean;
  /** Runs at a checkpoint that someone decided or removed. */
  readonly opened: readonly RunRecord[];
  /** Runs that had a decision before anyone could be asked. */
  readonly predecided: readonly RunRecord[];
  /** Tasks that lost a run record, and tasks whose record was written. */
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

export function recordEffects({
  isOwnChanged,
  opened,
  predecided,
  removed,
  changed,
}: ChangedRecords): SideEffect[] {
  const texts = [
    ...(isOwnChanged ? ['the record of this run was changed; it was put back as it was'] : []),
    ...opened.map(({task_id}) => `the open decision about ${task_id} was changed; it was put back as it was`),
    ...predecided.map(({task_id}) => `a decision about ${task_id} was laid ready; it was thrown away`),
    ...(removed.length === 0 ? [] : [`run records were removed, of: ${some(removed)}`]),
    ...(changed.length === 0 ? [] : [`run records were changed, of: ${some(changed)}`]),
  ];
  return texts.map((text) => ({kind: 'records', text}));
}

/** More refs than this would make the record too big. */
const maxKeptRefs = 300;

export function kept(around: Surroundings, plan: string | null): KeptSurroundings {
  const {settings, repository} = around;
  const refs = repository?.refs ?? null;
  return {
    plan,
    settings: Object.fromEntries(settings),
    ...keptContents(around),
    repository: repository && {
      ...{id: repository.id, head: repository.head},
      ...(refs !== null && refs.size <= maxKeptRefs && {refs: Object.fromEntries(refs)}),
      files: Object.fromEntries(repository.files),
      ...(repository.log && {logBytes: repository.log.bytes}),
    },
  };
}

export function recalled({settings, contents, repository}: KeptSurroundings): Surroundings {
  return {
    settings: new Map(Object.entries(settings)),
    ...(contents && {contents: new Map(Object.entries(contents))}),
    repository: repository && {
      ...{id: repository.id, head: repository.head},
      refs: repository.refs ? new Map(Object.entries(repository.refs)) : null,
      files: new Map(Object.entries(repository.files)),
      ...(repository.logBytes !== undefined && {log: {bytes: repository.logBytes, entries: []}}),
    },
  };
}

function planEffects({before, after, isByBlackbird = false}: ForeignPlanEdit): SideEffect[] {
  const kind = isByBlackbird ? 'plan_edits' : 'plan';
  const way = isByBlackbird ? ' with Blackbird meanwhile' : '';
  const effect = (text: string): SideEffect => ({kind, text, path: 'blackbird.plan.json'});
  if (!('plan' in after))
    return [
      effect(`the plan was edited and cannot be used: ${after.problems[0]?.message ?? 'it is broken'}`),
    ];
  if (!('plan' in before)) return [effect(`the plan was edited${way}`)];
  const edits = taskEdits(before.plan, after.plan);
  // Ready tasks run in plan order.
  const isMoved = [...before.plan.items.keys()].join('\0') !== [...after.plan.items.keys()].join('\0');
  if (edits.length === 0) return isMoved ? [effect(`the plan was edited${way}: the order of its tasks`)] : [];
  return [{...effect(`the plan was edited${way}: ${some(namesOf(edits))}`), ...keptEdits(edits)}];
}

function taskEdits(before: Plan, after: Plan): PlanFieldEdit[] {
  const changed = [...after.items.values()].flatMap((task) => {
    const old = before.items.get(task.id);
    return old === undefined ? [{task: task.id, field: 'added'}] : fieldsChanged(old, task);
  });
  const removed = [...before.items.keys()].filter((id) => !after.items.has(id));
  return [...changed, ...removed.map((id) => ({task: id, field: 'removed'}))];
}

function fieldsChanged(old: Task, task: Task): PlanFieldEdit[] {
  const [a, b] = [old, task] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>;
  const names = new Set([...Object.keys(old), ...Object.keys(task)]);
  const changed = [...names].filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]));
  // `updatedAt` changes with every edit, so it is dropped if another field changed.
  const told = changed.length > 1 ? changed.filter((name) => name !== 'updatedAt') : changed;
  return told.map((field) => ({task: task.id, field, before: a?.[field], after: b?.[field]}));
}

/** `b (prompt, deps)`, one per task. */
function namesOf(edits: readonly PlanFieldEdit[]): string[] {
  const fields = new Map<string, string[]>();
  for (const {task, field} of edits) {
    const known = fields.get(task);
    if (known) known.push(field);
    else fields.set(task, [field]);
  }
  return [...fields].map(([task, names]) => editName({task, field: names.join(', ')}));
}

/** Limits on the edits in a record and on the length of a value as JSON. */
const [maxEdits, maxValueLength] = [40, 8000];

function keptEdits(edits: readonly PlanFieldEdit[]): Pick<SideEffect, 'edits' | 'more_edits'> {
  const fits = (value: unknown) => (JSON.stringify(value) ?? '').length <= maxValueLength;
  const kept = edits.slice(0, maxEdits).map((edit): PlanFieldEdit => {
    if (fits(edit.before) && fits(edit.after)) return edit;
    return {task: edit.task, field: edit.field, is_cut: true};
  });
  const more = edits.length - kept.length;
  return {edits: kept, ...(more > 0 && {more_edits: more})};
}

function repositoryEffects(before: RepositoryState | null, after: RepositoryState | null): SideEffect[] {
  if (before === null) return [];
  const gone = (text: string): SideEffect[] => [{kind: 'repository_gone', text, path: '.git'}];
  if (after === null) return gone('the git repository is gone');
  if (after.id !== before.id) return gone('the git repository was replaced by another one');
  const moves = changedRefs(before.refs, after.refs);
  const texts = [
    ...(before.head === after.head
      ? []
      : [`${checkedOut(after.head)} is checked out instead of ${checkedOut(before.head)}`]),
    ...moves.slice(0, shown),
    ...(moves.length > shown ? [`${moves.length - shown} more refs were changed`] : []),
    ...logEffects(before, after),
  ];
  return [...gitSettingsEffects(before, after), ...texts.map((text): SideEffect => ({kind: 'refs', text}))];
}

/** Commits that no ref points to any more. */
function logEffects(before: RepositoryState, after: RepositoryState): string[] {
  if (before.log === undefined) return [];
  if ((after.log?.bytes ?? 0) < before.log.bytes)
    return ['the log of what was checked out (.git/logs/HEAD) was shortened'];
  const commits = takenBack(before.log.bytes, after).map(
    ({to, text}) => `${short(to)} “${text.replace(/^commit[^:]*: /, '')}”`,
  );
  return commits.length === 0 ? [] : [`commits were made and taken back: ${some(commits)}`];
}

function writtenEffects({count, names, isCut = false}: NewIgnored): SideEffect[] {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const files = count === 0 ? 'nothing' : `${names.join(', ')}${more}`;
  const cut = isCut ? '; there are too many files to look at them all' : '';
  return [{kind: 'repository_gone', text: `git cannot tell what changed; written meanwhile: ${files}${cut}`}];
}

function changedRefs(before: RepositoryState['refs'], after: RepositoryState['refs']): string[] {
  if (before === null || after === null) return [];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].toSorted().flatMap((name) => refMove(name, before.get(name), after.get(name)) ?? []);
}

/** Hooks that the user's next git command would run, and settings that change it. */
function gitSettingsEffects(before: RepositoryState, after: RepositoryState): SideEffect[] {
  const names = new Set([...before.files.keys(), ...after.files.keys()]);
  const changed = [...names].toSorted().flatMap((name) => {
    const [old, now] = [before.files.get(name), after.files.get(name)];
    if (old === now) return [];
    const verb = old === undefined ? 'created' : now === undefined ? 'removed' : 'changed';
    const worktree = /^\.git\/worktrees\/(.+)\/gitdir$/.exec(name)?.[1];
    return [worktree === undefined ? `${name} was ${verb}` : `the worktree ${worktree} was ${verb}`];
  });
  return changed.length === 0 ? [] : [{kind: 'git_settings', text: some(changed)}];
}

function refMove(name: string, old: string | undefined, now: string | undefined): string | null {
  if (old === now) return null;
  const what = refName(name);
  if (name === 'refs/stash') return now === undefined ? 'the stash was dropped' : 'something was stashed';
  if (old === undefined) return `${what} was created at ${short(now)}`;
  if (now === undefined) return `${what} was deleted, it was at ${short(old)}`;
  return `${what} was moved from ${short(old)} to ${short(now)}`;
}

function refName(name: string): string {
  const [, kind, rest] = /^refs\/(heads|tags|remotes)\/(.+)$/.exec(name) ?? [];
  if (kind === 'heads') return `branch ${rest}`;
  if (kind === 'tags') return `tag ${rest}`;
  return kind === 'remotes' ? `remote branch ${rest}` : name;
}

const checkedOut = (head: string): string =>
  head.startsWith('ref: ') ? refName(head.slice(5)) : `commit ${short(head)}`;
const short = (id = ''): string => (/^[0-9a-f]{40,}$/.test(id) ? id.slice(0, 7) : id);

function ignoredEffects({isCut = false, hidden, inGit, unseen, ...ignored}: NewIgnored): SideEffect[] {
  const told = (kind: SideEffect['kind'], where: string, files: FoundFiles | undefined): SideEffect[] => {
    if (files === undefined || files.count === 0) return [];
    const more = files.count - files.names.length;
    const names = `${files.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return [{kind, text: `${where}, not in the diff: ${names}`}];
  };
  return [
    ...told('git_settings', 'in folders of git', inGit),
    ...told('ignored_files', "in Blackbird's own folder", hidden),
    ...told('ignored_files', 'where git does not look', unseen),
    ...told('ignored_files', 'ignored by git', ignored),
    ...(isCut
      ? [{kind: 'ignored_files', text: 'there are too many ignored files to look at them all'} as const]
      : []),
  ];
}

const shown = 10;
export const some = (names: readonly string[]): string =>
  names.length <= shown
    ? names.join(', ')
    : `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
