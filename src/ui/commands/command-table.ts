import type {Facts, TuiState} from '../model/facts.ts';
import {browseCommands} from './browse.ts';
import {type Command, helpSections, type Place} from './command.ts';
import {detailCommands} from './detail.ts';
import {findCommands} from './find.ts';
import {goCommands} from './go.ts';
import {jobCommands} from './job.ts';
import {listCommands} from './lists.ts';
import {planCommands} from './plan.ts';

/** Every command of the screens. The keymaps, the hints and the help are parts of this one table. */
export const commands: readonly Command[] = [
  ...jobCommands,
  ...listCommands,
  ...browseCommands,
  ...findCommands,
  ...detailCommands,
  ...planCommands,
  ...goCommands,
];

const commandsAt = (place: Place) => commands.filter(({at}) => at.includes(place));

/** The commands of each place. */
export const keymaps: Readonly<Record<Place, readonly Command[]>> = {
  home: commandsAt('home'),
  tree: commandsAt('tree'),
  detail: commandsAt('detail'),
  aside: commandsAt('aside'),
  search: commandsAt('search'),
  settings: commandsAt('settings'),
  sessions: commandsAt('sessions'),
  help: commandsAt('help'),
};

export function keymapFor({screen, isSearching, panel}: Facts, {browse}: TuiState): readonly Command[] {
  if (isSearching) return keymaps.search;
  if (panel) return keymaps.aside;
  return keymaps[screen === 'plan' ? browse.pane : screen];
}

/** What the help lists, under which title. */
export const helpTable = helpSections.map(
  (title) => [title, commands.filter(({section}) => section === title)] as const,
);
