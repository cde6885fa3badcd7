import {nearestTo} from '../machines/policies/text/nearest-word.ts';

/** Common words for our commands. */
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

/** The command that was probably meant; null if none is close enough. */
export const suggestionFor = (word: string, commands: readonly string[]): string | null =>
  nearestTo(word, [...commands.map((name) => [name, name] as const), ...Object.entries(synonyms)]);
