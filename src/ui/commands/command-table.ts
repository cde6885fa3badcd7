import type {Facts, TuiState} from '../model/facts.ts';
import {browseCommands} from './browse.ts';
import {type Command, helpSections, type Place} from './command.ts';
import {detailCommands} from './detail.ts';
import {diffCommands} from './diff.ts';
import {findCommands} from './find.ts';
import {goCommands} from './go.ts';
import {jobCommands} from './job.ts';
import {listCommands} from './lists.ts';
import {planCommands} from './plan.ts';
import {planAgentCommands} from './plan-agent.ts';
import {sessionCommands} from './sessions.ts';

/** Every command of the screens. The keymaps, the hints and the help are parts of this one table. */
export const commands: readonly Command[] = [
  ...jobCommands,
  ...listCommands,
  ...sessionCommands,
  ...browseCommands,
  ...findCommands,
  ...detailCommands,
  ...diffCommands,
  ...planAgentCommands,
  ...planCommands,
  ...goCommands,
];

const commandsAt = (place: Place) => commands.filter(({at}) => at.includes(place));

/** A place where one hint has a short form shows only those that have one, where it is narrow. */
const withShortHint = (command: Command): Command =>
  command.hint === 'first' ? {...command, short: command.short ?? command.label} : command;

/** The tab Diff has keys of its own, and all those of its pane that they leave. */
function commandsOfDiff(): readonly Command[] {
  const own = commandsAt('diff');
  const taken = new Set(own.flatMap(({id, keys}) => (id === 'diff.back' ? [] : keys)));
  const others = commandsAt('detail').map((command) => ({
    // Behind the many keys of the diff there is room for short hints only.
    ...withShortHint(command),
    keys: command.keys.filter((key) => !taken.has(key)),
  }));
  // A search of the diff is its own, too.
  return [...own, ...others.filter(({id, keys}) => keys.length > 0 && !id.startsWith('find.'))];
}

/** The commands of each place. */
export const keymaps: Readonly<Record<Place, readonly Command[]>> = {
  home: commandsAt('home').map(withShortHint),
  tree: commandsAt('tree'),
  detail: commandsAt('detail'),
  diff: commandsOfDiff(),
  aside: commandsAt('aside'),
  search: commandsAt('search'),
  settings: commandsAt('settings'),
  sessions: commandsAt('sessions'),
  help: commandsAt('help'),
};

export function keymapFor({screen, isSearching, panel}: Facts, {browse}: TuiState): readonly Command[] {
  if (isSearching) return keymaps.search;
  if (panel) return keymaps.aside;
  if (screen !== 'plan') return keymaps[screen];
  return keymaps[browse.pane === 'detail' && browse.tab === 'diff' ? 'diff' : browse.pane];
}

/** What the help lists, under which title. */
export const helpTable = helpSections.map(
  (title) => [title, commands.filter(({section}) => section === title)] as const,
);
