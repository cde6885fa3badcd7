import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {
  ForeignPlanEdit,
  FoundFiles,
  KeptSurroundings,
  NewIgnored,
  PlanFieldEdit,
  RecordVersions,
  SideEffect,
  Surroundings,
  Unknown,
} from '../../../services/contracts/side-effects.ts';
import {editName, effectKey} from './effect-words.ts';
import {keptEdits} from './kept-edits.ts';
import {repositoryEffects} from './repository-effects.ts';
import {keptContents, settingsEffects} from './settings-effects.ts';
import {some} from './some-names.ts';

export type SeenAround = {
  readonly before: Surroundings;
  readonly after: Surroundings;
  /** Null if only Blackbird wrote the plan. */
  readonly plan: ForeignPlanEdit | null;
  readonly ignored: NewIgnored;
  /** Which Blackbirds wrote the project's settings; null if anyone else did. */
  readonly settingsBy?: 'here' | 'elsewhere' | null;
  /** New project files, if git cannot tell. */
  readonly written?: NewIgnored;
};

/** The repository was replaced or removed. */
export const isReplaced = ({before, after}: Pick<SeenAround, 'before' | 'after'>): boolean =>
  before.repository !== null && after.repository?.id !== before.repository.id;

/** What happened outside the diff while an agent was working, most serious first. */
export function sideEffectsOf({before, after, plan, ignored, settingsBy, written}: SeenAround): SideEffect[] {
  return [
    ...(plan === null ? [] : planEffects(plan)),
    ...settingsEffects(before, after, settingsBy),
    ...repositoryEffects(before.repository, after.repository),
    ...(written ? writtenEffects(written) : []),
    ...ignoredEffects(ignored),
  ];
}

/** Effects on files are recomputed for the whole task; all others accumulate. */
const ofFiles = new Set<string>([
  ...['late_changes', 'nested_repository', 'lost_file', 'large_file', 'binary_file'],
]);

export function mergeSideEffects(
  earlier: readonly SideEffect[],
  around: readonly SideEffect[],
  files: readonly SideEffect[],
): SideEffect[] {
  const kept = [...earlier.filter(({kind}) => !ofFiles.has(kind)), ...around];
  return [...new Map([...kept, ...files].map((effect) => [effectKey(effect), effect])).values()];
}

/** An edited plan, record or text may change what runs next, so nothing runs before the user has seen it. */
export const needsDecision = (effects: readonly SideEffect[] = []): boolean =>
  effects.some(
    ({kind, is_by_blackbird: isByBlackbird}) => kind === 'plan' || (kind === 'records' && !isByBlackbird),
  );

/** Tasks whose records someone else wrote or removed, except those of these runs; each task once. */
export function foreignRecords(
  before: RecordVersions | undefined,
  after: RecordVersions | undefined,
  but: readonly Pick<RunRecord, 'run_id'>[],
): Pick<ChangedRecords, 'removed' | 'changed' | 'isLost'> {
  if (before === undefined || after === undefined)
    return {removed: [], changed: [], isLost: before !== undefined};
  const own = new Set(but.map(({run_id}) => `${run_id}.json`));
  const [removed, changed]: [string[], string[]] = [[], []];
  for (const task of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(task) ?? noRecords, after.get(task) ?? noRecords];
    const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !own.has(name));
    if (names.some((name) => !now.has(name))) removed.push(task);
    else if (names.some((name) => old.get(name) !== now.get(name))) changed.push(task);
  }
  return {removed: removed.toSorted(), changed: changed.toSorted(), isLost: false};
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
  /** Too many task folders to compare, though not before the run. */
  readonly isLost: boolean;
};

export function recordEffects({
  isOwnChanged,
  opened,
  predecided,
  removed,
  changed,
  isLost,
}: ChangedRecords): SideEffect[] {
  const texts = [
    ...(isOwnChanged ? ['the record of this run was changed; Blackbird restored it'] : []),
    ...opened.map(({task_id}) => `the open decision about ${task_id} was changed; Blackbird restored it`),
    ...predecided.map(({task_id}) => `a decision about ${task_id} was prepared in advance; it was discarded`),
    ...(removed.length === 0 ? [] : [`run records of these tasks were removed: ${some(removed)}`]),
    ...(changed.length === 0 ? [] : [`run records of these tasks were changed: ${some(changed)}`]),
    ...(isLost
      ? ['so many folders were made in .blackbird/runs that the run records were not compared']
      : []),
  ];
  return texts.map((text) => ({kind: 'records', text}));
}

/** More refs, texts or ignored files than this would make the record too big. */
const maxKeptNames = 300;

export function kept(around: Surroundings, plan: string | null): KeptSurroundings {
  const {settings, repository, words} = around;
  const ignored = around.ignored && !('why' in around.ignored) ? around.ignored : [];
  const refs = repository?.refs ?? null;
  return {
    plan,
    settings: Object.fromEntries(settings),
    ...keptContents(around),
    ...(words && words.size <= maxKeptNames && {words: Object.fromEntries(words)}),
    ...(ignored.length > 0 && ignored.length <= maxKeptNames && {ignored: [...ignored]}),
    repository: repository && {
      id: repository.id,
      head: repository.head,
      ...(refs !== null && refs.size <= maxKeptNames && {refs: Object.fromEntries(refs)}),
      files: Object.fromEntries(repository.files),
      ...(repository.log && {logBytes: repository.log.bytes}),
    },
  };
}

export function recalled({settings, contents, words, ignored, repository}: KeptSurroundings): Surroundings {
  return {
    settings: new Map(Object.entries(settings)),
    ...(contents && {contents: new Map(Object.entries(contents))}),
    ...(words && {words: new Map(Object.entries(words))}),
    ...(ignored && {ignored}),
    repository: repository && {
      id: repository.id,
      head: repository.head,
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
  return [{...effect(`the plan was edited${way}: ${some(namesOf(edits))}`), ...keptPlanEdits(edits)}];
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

function keptPlanEdits(edits: readonly PlanFieldEdit[]): Pick<SideEffect, 'edits' | 'more_edits'> {
  const {kept, more} = keptEdits(edits, ({task, field}): PlanFieldEdit => ({task, field, is_cut: true}));
  return {edits: kept, ...(more > 0 && {more_edits: more})};
}

function writtenEffects({count, names, isCut = false}: NewIgnored): SideEffect[] {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const files = count === 0 ? 'nothing' : `${names.join(', ')}${more}`;
  const cut = isCut ? '; there are too many files to look at them all' : '';
  return [{kind: 'repository_gone', text: `git cannot tell what changed; written meanwhile: ${files}${cut}`}];
}

function ignoredEffects({
  isCut = false,
  hidden,
  inGit,
  unseen,
  removed,
  staged,
  overlooked,
  unknown = [],
  ...ignored
}: NewIgnored): SideEffect[] {
  const told = (kind: SideEffect['kind'], where: string, files: FoundFiles | undefined): SideEffect[] => {
    if (files === undefined || files.count === 0) return [];
    const more = files.count - files.names.length;
    const names = `${files.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return [{kind, text: `${where}: ${names}`}];
  };
  return [
    ...told('refs', 'staged for the next commit, with contents that differ from the files', staged),
    ...told('git_settings', 'git was told to ignore changes to', overlooked),
    ...told('git_settings', 'in folders of git, not in the diff', inGit),
    ...told('ignored_files', "in Blackbird's own folder, not in the diff", hidden),
    ...told('ignored_files', 'where git does not look, not in the diff', unseen),
    ...told('ignored_files', 'removed, ignored by git, with no copy left', removed),
    ...told('ignored_files', 'ignored by git, not in the diff', ignored),
    ...(isCut
      ? [{kind: 'ignored_files', text: 'there are too many ignored files to look at them all'} as const]
      : []),
    ...unknown.map(({what, why}): SideEffect => {
      const [kind, words] = unknownWords[what];
      return {kind, text: `it is not known ${words}: ${why}`};
    }),
  ];
}

const unknownWords = {
  staged: ['refs', 'what was staged for the next commit'],
  ignored: ['ignored_files', 'which ignored files were created or changed'],
  removed: ['ignored_files', 'which ignored files were removed'],
} as const satisfies Record<Unknown['what'], readonly [SideEffect['kind'], string]>;
