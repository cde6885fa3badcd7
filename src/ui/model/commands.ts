import type {Keymap} from '../keymap.ts';
import type {Facts, TuiState} from './facts.ts';

/** Everything a key of the screens can mean. Dialogs have keys of their own. */
export type Command =
  | `job.${'execute' | 'executeTask' | 'resume' | 'restart' | 'retry' | 'stopAfter' | 'pause' | 'force'}`
  | `plan.${'status' | 'add' | 'addChild' | 'edit' | 'deps' | 'move' | 'moveUp' | 'moveDown' | 'delete' | 'undo' | 'create'}`
  | `tree.${'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last' | 'fold' | 'unfold' | 'toggle' | 'foldAll' | 'filter' | 'search' | 'clear' | 'next'}`
  | `run.${'older' | 'newer'}`
  | `detail.${'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last' | 'raw'}`
  | `tab.${'next' | 'previous' | 'details' | 'run' | 'diff' | 'history'}`
  | `pane.${'switch' | 'detail' | 'tree'}`
  | `go.${'home' | 'plan' | 'settings' | 'sessions' | 'help' | 'back' | 'quit' | 'leave' | 'suspend'}`
  | `list.${'up' | 'down' | 'first' | 'last' | 'choose' | 'project' | 'global' | 'unset' | 'refresh'}`;

const always = {hint: 'always'} as const;

/** What runs the plan. The same keys on the home screen and beside the plan. */
const jobKeys: Keymap<Command> = [
  {keys: ['ctrl+c'], label: 'pause', command: 'job.pause', ...always},
  {keys: ['ctrl+c'], label: 'force', command: 'job.force', ...always},
  {keys: ['x'], label: 'stop after this task', command: 'job.stopAfter', ...always},
  {keys: ['e'], label: 'execute', command: 'job.execute', ...always},
];

const generalKeys: Keymap<Command> = [
  {keys: ['?'], label: 'help', command: 'go.help', ...always},
  {keys: ['q'], label: 'quit', command: 'go.quit', ...always},
  {keys: ['ctrl+c'], label: 'quit', command: 'go.leave'},
  {keys: ['ctrl+z'], label: 'to the shell; fg comes back', command: 'go.suspend'},
];

const taskKeys: Keymap<Command> = [
  {keys: ['u'], label: 'resume', command: 'job.resume', ...always},
  {keys: ['R'], label: 'restart', command: 'job.restart', ...always},
  {keys: ['t'], label: 'retry', command: 'job.retry', ...always},
  {keys: ['E'], label: 'execute task', command: 'job.executeTask', ...always},
  {keys: ['tab'], label: 'pane', command: 'pane.switch', ...always},
  {keys: ['/'], label: 'search', command: 'tree.search', ...always},
];

const moreKeys: Keymap<Command> = [
  {keys: ['s'], label: 'status', command: 'plan.status', ...always},
  {keys: ['f'], label: 'filter', command: 'tree.filter', ...always},
];

const planKeys: Keymap<Command> = [
  {keys: ['a'], label: 'add after', command: 'plan.add', ...always},
  {keys: ['A'], label: 'add child', command: 'plan.addChild'},
  {keys: ['i'], label: 'edit', command: 'plan.edit', ...always},
  {keys: ['b'], label: 'dependencies', command: 'plan.deps'},
  {keys: ['m'], label: 'move under another task', command: 'plan.move'},
  {keys: ['K', 'shift+up'], label: 'move up', command: 'plan.moveUp'},
  {keys: ['J', 'shift+down'], label: 'move down', command: 'plan.moveDown'},
  {keys: ['D'], label: 'delete', command: 'plan.delete'},
  {keys: ['z'], label: 'undo', command: 'plan.undo', ...always},
];

const tabKeys: Keymap<Command> = [
  {keys: ['1'], label: 'details', command: 'tab.details'},
  {keys: ['2'], label: 'run', command: 'tab.run'},
  {keys: ['3'], label: 'diff', command: 'tab.diff'},
  {keys: ['4'], label: 'history', command: 'tab.history'},
  {keys: [']'], label: 'next tab', command: 'tab.next'},
  {keys: ['['], label: 'previous tab', command: 'tab.previous'},
  {keys: ['o'], label: 'raw output', command: 'detail.raw', ...always},
  {keys: ['<'], label: 'older run', command: 'run.older'},
  {keys: ['>'], label: 'newer run', command: 'run.newer'},
  {keys: ['pagedown', 'ctrl+f'], label: 'scroll the pane on the right', command: 'detail.pageDown'},
  {keys: ['pageup', 'ctrl+b'], label: 'scroll it back', command: 'detail.pageUp'},
];

const treeKeys: Keymap<Command> = [
  {keys: ['up', 'k'], label: 'up', command: 'tree.up'},
  {keys: ['down', 'j'], label: 'down', command: 'tree.down'},
  {keys: ['ctrl+u'], label: 'half a page up', command: 'tree.pageUp'},
  {keys: ['ctrl+d'], label: 'half a page down', command: 'tree.pageDown'},
  {keys: ['home', 'g'], label: 'first', command: 'tree.first'},
  {keys: ['end', 'G'], label: 'last', command: 'tree.last'},
  {keys: ['left', 'h'], label: 'fold, or to the parent', command: 'tree.fold'},
  {keys: ['right', 'l'], label: 'unfold', command: 'tree.unfold'},
  {keys: ['space'], label: 'fold or unfold', command: 'tree.toggle'},
  {keys: ['enter'], label: 'look at it', command: 'pane.detail'},
  {keys: ['F'], label: 'fold or unfold all', command: 'tree.foldAll'},
  {keys: ['n'], label: 'next that needs you', command: 'tree.next'},
  {keys: ['escape'], label: 'clear search and filter', command: 'tree.clear'},
];

const detailKeys: Keymap<Command> = [
  {keys: ['up', 'k'], label: 'up', command: 'detail.up'},
  {keys: ['down', 'j'], label: 'down', command: 'detail.down'},
  {keys: ['ctrl+u'], label: 'page up', command: 'detail.pageUp'},
  {keys: ['ctrl+d', 'space'], label: 'page down', command: 'detail.pageDown'},
  {keys: ['home', 'g'], label: 'start', command: 'detail.first'},
  {keys: ['end', 'G'], label: 'end, and follow', command: 'detail.last'},
  {keys: ['left', 'h'], label: 'previous tab', command: 'tab.previous'},
  {keys: ['right', 'l', 'enter'], label: 'next tab', command: 'tab.next'},
  {keys: ['escape'], label: 'back to the plan', command: 'pane.tree'},
];

const placeKeys: Keymap<Command> = [
  {keys: ['H'], label: 'home', command: 'go.home'},
  {keys: [','], label: 'settings', command: 'go.settings'},
  {keys: ['S'], label: 'sessions', command: 'go.sessions'},
];

const listKeys: Keymap<Command> = [
  {keys: ['up', 'k'], label: 'up', command: 'list.up'},
  {keys: ['down', 'j'], label: 'down', command: 'list.down'},
  {keys: ['home', 'g'], label: 'first', command: 'list.first'},
  {keys: ['end', 'G'], label: 'last', command: 'list.last'},
];

const pauseKeys = jobKeys.slice(0, 3);

/** The keys of each place, in the order in which they matter there. */
export const keymaps = {
  home: [
    ...jobKeys,
    {keys: ['enter', 'v', 'p'], label: 'plan', command: 'go.plan', ...always},
    {keys: ['c'], label: 'create a plan', command: 'plan.create', ...always},
    {keys: [',', 's'], label: 'settings', command: 'go.settings', ...always},
    {keys: ['S'], label: 'sessions', command: 'go.sessions', ...always},
    ...generalKeys,
  ],
  tree: [
    ...jobKeys,
    ...taskKeys,
    ...generalKeys,
    ...moreKeys,
    ...tabKeys,
    ...planKeys,
    ...treeKeys,
    ...placeKeys,
  ],
  detail: [
    ...jobKeys,
    ...taskKeys,
    ...generalKeys,
    ...moreKeys,
    ...tabKeys,
    ...planKeys,
    ...detailKeys,
    ...placeKeys,
  ],
  settings: [
    ...pauseKeys,
    {keys: ['enter', 'p'], label: 'set here', command: 'list.project', ...always},
    {keys: ['a'], label: 'set for all', command: 'list.global', ...always},
    {keys: ['d', 'backspace', 'delete'], label: 'unset', command: 'list.unset', ...always},
    ...listKeys,
    {keys: ['escape', 'H'], label: 'back', command: 'go.back', ...always},
    ...generalKeys,
  ],
  sessions: [
    ...pauseKeys,
    {keys: ['enter'], label: 'attach', command: 'list.choose', ...always},
    {keys: ['r'], label: 'look again', command: 'list.refresh', ...always},
    ...listKeys,
    {keys: ['escape', 'H'], label: 'back', command: 'go.back', ...always},
    ...generalKeys,
  ],
  help: [
    ...pauseKeys,
    ...detailKeys.slice(0, 6),
    {keys: ['escape', 'q', '?'], label: 'back', command: 'go.back', ...always},
    {keys: ['ctrl+c'], label: 'quit', command: 'go.leave'},
  ],
} as const satisfies Record<string, Keymap<Command>>;

/** What the help shows, under which title. */
export const helpSections: ReadonlyArray<readonly [title: string, keymap: Keymap<Command>]> = [
  ['Run', [...jobKeys, ...taskKeys.slice(0, 4)]],
  ['Look at a task', [...tabKeys, {keys: ['tab'], label: 'other pane', command: 'pane.switch'}]],
  ['Move in the plan', [...treeKeys, ...taskKeys.slice(5, 6), ...moreKeys.slice(1)]],
  ['Change the plan', [...moreKeys.slice(0, 1), ...planKeys]],
  ['Go', [...placeKeys, ...generalKeys]],
];

export function keymapFor({screen}: Facts, {browse}: TuiState): Keymap<Command> {
  return screen === 'plan' ? keymaps[browse.pane] : keymaps[screen];
}
