/** The names git uses in an objects folder. */
const objects = [
  '[0-9a-f]{2}/([0-9a-f]{38}|[0-9a-f]{62}|tmp_obj_\\w+)',
  'pack/(pack-[0-9a-f]+\\.\\w+|multi-pack-index[\\w.-]*|\\.?tmp[\\w.-]+)',
  'info/(packs|alternates|commit-graph|commit-graphs/.+)',
  'maintenance',
].join('|');

const gitsOwn = new RegExp(
  `^(${[
    '(\\w+_)?HEAD|MERGE_\\w+|AUTO_MERGE|SQUASH_MSG|\\w+_EDITMSG|EDIT_DESCRIPTION|BISECT_\\w+',
    'description|packed-refs|shallow|index|sharedindex\\.[0-9a-f]+|gc\\.(pid|log)|gitdir|commondir|locked',
    'logs/(HEAD|refs/.+)|refs/.+|info/refs|hooks/[^/]+\\.sample|rr-cache/.+|lfs/.+',
    `objects/(${objects})`,
  ].join('|')})(\\.lock)?$`,
);

/**
 * Whether git itself writes a file of this name (relative to its folder) while it works. Settings and hooks,
 * also those of submodules, are excluded: they make git run programs.
 */
export function isGitsOwn(file: string): boolean {
  const [kind, ...rest] = file.split('/');
  if (kind === 'worktrees') return gitsOwn.test(rest.slice(1).join('/'));
  // A submodule's name may contain slashes.
  if (kind === 'modules') return rest.some((_, at) => gitsOwn.test(rest.slice(at + 1).join('/')));
  return gitsOwn.test(file);
}

/** Names in Blackbird's folder that are its own or reported as settings. */
export const ownNames: ReadonlySet<string> = new Set([
  ...['.gitignore', 'config.json', 'config.lock', 'agent.json', 'agent-versions.json', 'snapshot.md', 'lock'],
  ...['plan.lock', 'plan.writes'],
  // In the user's home folder, if that is the project.
  ...['limits.json', 'limits.lock'],
]);

const document = /^[^/]+\.json$/;
/** What each of its subfolders may hold. */
export const ownFolders: ReadonlyMap<string, RegExp> = new Map([
  ['jobs', /^[^/]+\.(json|notes\.jsonl)$/],
  [
    'runs',
    /^[^/]+\/[^/]+\.(json|(stdout|stderr|times|check-\d+-\d+)\.log|journal\.jsonl|decision(\.taken)?|comments\/[^/]+\.json)$/,
  ],
  ...['requests', 'parent-review-feedback', 'plan-drafts', 'drafts', 'inspectors', 'demo-sessions'].map(
    (name) => [name, document] as const,
  ),
  ['changes', new RegExp(`^(\\w+\\.index|work\\.\\d+\\.[0-9a-f]{12}/.+|objects/(${objects}))$`)],
]);

export const isOwnFolder = (name: string): boolean => ownFolders.has(name);

/** Whether Blackbird writes a file of this name (relative to its folder), temporary files included. */
export function isOwnFile(file: string): boolean {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]+)$/.exec(file) ?? [];
  const [, written] = /^\.(.+)\.\d+\.[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
  const [, locked] = /^(.*lock)\.(?:c\.\d+|t)\.[0-9a-f]{16}$/.exec(name) ?? [];
  const whole = `${folder}${written ?? locked ?? name}`;
  const [, top = '', below] = /^([^/]+)\/(.+)$/.exec(whole) ?? [];
  return below === undefined ? ownNames.has(whole) : (ownFolders.get(top)?.test(below) ?? false);
}
