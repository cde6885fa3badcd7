/** Words that people type for ours. */
const synonyms: Readonly<Record<string, string>> = {
  version: '--version',
  run: 'execute',
  start: 'execute',
  go: 'execute',
  continue: 'resume',
  answer: 'resume',
  ls: 'list',
  tasks: 'list',
  ready: 'list',
  tree: 'list --tree',
  new: 'add',
  create: 'add',
  rm: 'delete',
  remove: 'delete',
  rename: 'edit',
  update: 'edit',
  mv: 'move',
  done: 'set-status <taskId> done',
  skip: 'set-status <taskId> skipped',
  approve: 'review --approve',
  reject: 'review --reject',
  log: 'logs',
  history: 'runs',
  settings: 'config',
  set: 'config set',
  agent: 'agents',
  login: 'doctor',
  check: 'doctor',
  generate: 'plan generate',
  refine: 'plan refine',
  lint: 'plan lint',
  import: 'plan import',
  export: 'plan export',
  revert: 'undo',
  rollback: 'undo',
  tui: 'blackbird, without a command',
  ui: 'blackbird, without a command',
  attach: 'session attach',
};

/** What was probably meant by an unknown command; null where nothing is near enough. */
export function suggestionFor(word: string, commands: readonly string[]): string | null {
  const known = [...commands.map((name) => [name, name] as const), ...Object.entries(synonyms)];
  const limit = word.length > 4 ? 2 : 1;
  let best: {readonly distance: number; readonly meant: string} | null = null;
  for (const [typed, meant] of known) {
    const distance = editDistance(word.toLowerCase(), typed);
    if (distance <= limit && distance < typed.length && (best === null || distance < best.distance)) {
      best = {distance, meant};
    }
  }
  return best?.meant ?? null;
}

/** Insertions, deletions, changes and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({length: b.length + 1}, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(
          (line[column - 1] ?? 0) + 1,
          (rows[row - 1]?.[column] ?? 0) + 1,
          (rows[row - 1]?.[column - 1] ?? 0) + change,
          isSwap ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return rows[a.length]?.[b.length] ?? Number.POSITIVE_INFINITY;
}
