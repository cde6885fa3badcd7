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

/** Every command of the screens. Keymaps, hints and help are all derived from this table. */
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

/** On a narrow screen, a place with short hints shows only those. */
const withShortHint = (command: Command): Command =>
  command.hint === 'first' ? {...command, short: command.short ?? command.label} : command;

/** The Diff tab has its own keys, plus those of its pane that they leave free. */
function commandsOfDiff(): readonly Command[] {
  const own = commandsAt('diff');
  const taken = new Set(own.flatMap(({id, keys}) => (id === 'diff.back' ? [] : keys)));
  const others = commandsAt('detail').map((command) => ({
    // After the many keys of the diff there is only space for short hints.
    ...withShortHint(command),
    keys: command.keys.filter((key) => !taken.has(key)),
  }));
  // The diff also has its own search.
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

export function keymapFor(
  {screen, isSearching, panel, shownRun}: Facts,
  {browse}: TuiState,
): readonly Command[] {
  if (isSearching) return keymaps.search;
  if (panel) return keymaps.aside;
  if (screen !== 'plan') return keymaps[screen];
  // Without a diff, its keys would only hide those of the pane.
  return keymaps[browse.pane === 'detail' && browse.tab === 'diff' && shownRun ? 'diff' : browse.pane];
}

/** What the help lists, by section. */
export const helpTable = helpSections.map(
  (title) => [title, commands.filter(({section}) => section === title)] as const,
);
