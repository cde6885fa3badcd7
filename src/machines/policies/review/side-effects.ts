import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {
  ForeignPlanEdit,
  NewIgnored,
  RepositoryState,
  SideEffect,
  Surroundings,
} from '../../../services/contracts/side-effects.ts';

export type SeenAround = {
  readonly before: Surroundings;
  readonly after: Surroundings;
  /** Null when nobody but Blackbird wrote the plan. */
  readonly plan: ForeignPlanEdit | null;
  readonly ignored: NewIgnored;
};

/** What happened around the files while an agent was at work, most serious first. */
export function sideEffectsOf({before, after, plan, ignored}: SeenAround): SideEffect[] {
  return [
    ...(plan === null ? [] : planEffects(plan)),
    ...settingsEffects(before, after),
    ...repositoryEffects(before.repository, after.repository),
    ...ignoredEffects(ignored),
  ];
}

/** What is known of the files themselves is told anew of the whole task; all else adds up. */
const ofFiles: ReadonlySet<SideEffect['kind']> = new Set(['nested_repository', 'large_file', 'binary_file']);

export function mergeSideEffects(
  earlier: readonly SideEffect[],
  around: readonly SideEffect[],
  files: readonly SideEffect[],
): SideEffect[] {
  const kept = [...earlier.filter(({kind}) => !ofFiles.has(kind)), ...around];
  return [...new Map([...kept, ...files].map((effect) => [effect.text, effect])).values()];
}

/** An edited plan may change what runs next: nothing does before a person has seen it. */
export const needsDecision = (effects: readonly SideEffect[] = []): boolean =>
  effects.some(({kind}) => kind === 'plan');

function planEffects({before, after}: ForeignPlanEdit): SideEffect[] {
  const effect = (text: string): SideEffect => ({kind: 'plan', text, path: 'blackbird.plan.json'});
  if (!('plan' in after))
    return [
      effect(`the plan was edited and cannot be used: ${after.problems[0]?.message ?? 'it is broken'}`),
    ];
  if (!('plan' in before)) return [effect('the plan was edited')];
  const edits = taskEdits(before.plan, after.plan);
  return edits.length === 0 ? [] : [effect(`the plan was edited: ${some(edits)}`)];
}

function taskEdits(before: Plan, after: Plan): string[] {
  const changed = [...after.items.values()].flatMap((task) => {
    const old = before.items.get(task.id);
    if (old === undefined) return [`${task.id} (added)`];
    const fields = fieldsChanged(old, task);
    return fields.length === 0 ? [] : [`${task.id} (${fields.join(', ')})`];
  });
  const removed = [...before.items.keys()].filter((id) => !after.items.has(id));
  return [...changed, ...removed.map((id) => `${id} (removed)`)];
}

function fieldsChanged(old: Task, task: Task): string[] {
  const [a, b] = [old, task] as ReadonlyArray<Readonly<Record<string, unknown>>>;
  const names = new Set([...Object.keys(old), ...Object.keys(task)]);
  return [...names].filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]));
}

function settingsEffects(before: Surroundings, after: Surroundings): SideEffect[] {
  return [...after.settings].flatMap(([path, now]): SideEffect[] => {
    const old = before.settings.get(path) ?? null;
    if (old === now) return [];
    const verb = old === null ? 'created' : now === null ? 'removed' : 'changed';
    return [{kind: 'settings', text: `${path} was ${verb}; it counts from the next job on`, path}];
  });
}

function repositoryEffects(before: RepositoryState | null, after: RepositoryState | null): SideEffect[] {
  if (before === null) return [];
  if (after === null) return [{kind: 'repository_gone', text: 'the git repository is gone', path: '.git'}];
  const names = new Set([...before.refs.keys(), ...after.refs.keys()]);
  const moves = [...names]
    .toSorted()
    .flatMap((name) => refMove(name, before.refs.get(name), after.refs.get(name)) ?? []);
  const texts = [
    ...(before.head === after.head
      ? []
      : [`${checkedOut(after.head)} is checked out instead of ${checkedOut(before.head)}`]),
    ...moves.slice(0, shown),
    ...(moves.length > shown ? [`${moves.length - shown} more refs were changed`] : []),
  ];
  return texts.map((text) => ({kind: 'refs', text}));
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

function ignoredEffects({count, names}: NewIgnored): SideEffect[] {
  if (count === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return [{kind: 'ignored_files', text: `ignored by git, not in the diff: ${names.join(', ')}${more}`}];
}

const shown = 10;
const some = (names: readonly string[]): string =>
  names.length <= shown
    ? names.join(', ')
    : `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
