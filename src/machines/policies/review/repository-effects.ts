import {type RepositoryState, type SideEffect, stashList} from '../../../services/contracts/side-effects.ts';
import {some} from './some-names.ts';
import {takenBack} from './taken-back.ts';

/** What became of the repository: where its refs point, what is checked out, what git goes by. */
export function repositoryEffects(
  before: RepositoryState | null,
  after: RepositoryState | null,
): SideEffect[] {
  if (before === null) return [];
  const gone = (text: string): SideEffect[] => [{kind: 'repository_gone', text, path: '.git'}];
  if (after === null) return gone('the git repository is gone');
  if (after.id !== before.id) return gone('the git repository was replaced by another one');
  const moves = changedRefs(before.refs, after.refs);
  const texts = [
    ...(before.head === after.head
      ? []
      : [`${checkedOut(after.head)} is checked out instead of ${checkedOut(before.head)}`]),
    ...moves.slice(0, shownMoves),
    ...(moves.length > shownMoves ? [`${moves.length - shownMoves} more refs were changed`] : []),
    ...logEffects(before, after),
  ];
  return [...gitSettingsEffects(before, after), ...texts.map((text): SideEffect => ({kind: 'refs', text}))];
}

/** Commits that no ref points to any more. */
function logEffects(before: RepositoryState, after: RepositoryState): string[] {
  if (before.log === undefined) return commitsTakenBack(0, after);
  if ((after.log?.bytes ?? 0) < before.log.bytes)
    return ['the log of what was checked out (.git/logs/HEAD) was shortened'];
  const {bytes, version} = before.log;
  // Git only ever adds to it.
  if (version !== undefined && bytes === after.log?.bytes && version !== after.log.version)
    return ['the log of what was checked out (.git/logs/HEAD) was rewritten'];
  return commitsTakenBack(before.log.bytes, after);
}

function commitsTakenBack(sinceBytes: number, after: RepositoryState): string[] {
  const commits = takenBack(sinceBytes, after).map(
    ({to, text}) => `${short(to)} “${text.replace(/^commit[^:]*: /, '')}”`,
  );
  return commits.length === 0 ? [] : [`commits were made and undone: ${some(commits)}`];
}

const stash = 'refs/stash';
const shownMoves = 10;

function changedRefs(before: RepositoryState['refs'], after: RepositoryState['refs']): string[] {
  if (before === null || after === null) return [];
  const isSame = (name: string) => before.get(name) === after.get(name);
  // The list changes with the ref, which is told already.
  const names = new Set(
    [...before.keys(), ...after.keys()].filter((name) => name !== stashList || isSame(stash)),
  );
  return [...names].toSorted().flatMap((name) => refMove(name, before.get(name), after.get(name)) ?? []);
}

/** Hooks that the user's next git command would run, and settings that change it. */
function gitSettingsEffects(before: RepositoryState, after: RepositoryState): SideEffect[] {
  const names = new Set([...before.files.keys(), ...after.files.keys()]);
  const changed = [...names].toSorted().flatMap((name) => {
    const [old, now] = [before.files.get(name), after.files.get(name)];
    if (old === now) return [];
    const verb = old === undefined ? 'created' : now === undefined ? 'removed' : 'changed';
    const [, worktree, file] = /^\.git\/worktrees\/(.+)\/(gitdir|HEAD)$/.exec(name) ?? [];
    if (worktree === undefined) return [`${name} was ${verb}`];
    if (file === 'gitdir') return [`the worktree ${worktree} was ${verb}`];
    return verb === 'changed' ? [`the worktree ${worktree} has another commit or branch checked out`] : [];
  });
  return changed.length === 0 ? [] : [{kind: 'git_settings', text: some(changed)}];
}

function refMove(name: string, old: string | undefined, now: string | undefined): string | null {
  if (old === now) return null;
  const what = refName(name);
  if (name === stashList) return 'a stash was dropped, or the list of stashes rewritten';
  if (name === stash) return now === undefined ? 'the stash was dropped' : 'something was stashed';
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
