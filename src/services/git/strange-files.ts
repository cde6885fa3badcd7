import {readdirSync} from 'node:fs';
import path from 'node:path';
import type {NewIgnored} from '../contracts/side-effects.ts';
import type {WalkLimits} from './changed-since.ts';

/** What of Blackbird's own folder is Blackbird's, or told of as settings; and what it is writing just now. */
const ownNames: ReadonlySet<string> = new Set([
  ...['.gitignore', 'config.json', 'config.lock', 'agent.json', 'agent-versions.json', 'snapshot.md', 'lock'],
  ...['plan.lock', 'plan.writes', 'jobs', 'requests', 'runs', 'parent-review-feedback', 'plan-drafts'],
  ...['drafts', 'inspectors', 'changes', 'demo-sessions'],
  // Of the user, where the project is the home folder.
  ...['limits.json', 'limits.lock'],
]);
function isOwn(name: string): boolean {
  const [, written] = /^\.(.+)\.\d+\.[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
  const [, locked] = /^(.*lock)\.(?:c\.\d+|t)\.[0-9a-f]{16}$/.exec(name) ?? [];
  return ownNames.has(written ?? locked ?? name);
}

/** Whatever else was put there since a time: git ignores that folder, and no diff shows it. */
export async function strangeIn(stateFolder: string, since: number, limits: WalkLimits): Promise<NewIgnored> {
  const entries = entriesOf(stateFolder)
    .filter(({name}) => !isOwn(name))
    .map((entry) => `${path.basename(stateFolder)}/${entry.name}${entry.isDirectory() ? '/' : ''}`);
  if (entries.length === 0) return {count: 0, names: []};
  const {changedSince} = await import('./changed-since.ts');
  return changedSince(path.dirname(stateFolder), entries, since, limits);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    return [];
  }
}
