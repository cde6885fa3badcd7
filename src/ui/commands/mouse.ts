import {wheelLines} from '../components/scroll.ts';
import type {KeyPress} from '../input/key-press.ts';
import * as browsing from '../model/browse.ts';
import {move as moveInTree} from './browse.ts';
import type {CommandContext} from './command.ts';
import {scroll} from './detail.ts';
import {move as moveInList} from './lists.ts';

/** The header and the frame above the first row of a pane. */
const rowsAbove = 2;

export const isMouse = ({at}: KeyPress): boolean => at !== undefined;

/** The wheel scrolls what the pointer is over; a click selects it. Dialogs handle both themselves. */
export function takeMouse(context: CommandContext, {name, at}: KeyPress): void {
  const {core} = context;
  const {screen, layout, panel} = core.facts();
  const {ui, browse} = core.get();
  if (!at || (ui.context.dialog !== null && panel === null)) return;
  const step = name === 'wheelup' ? -1 : 1;
  const isWheel = name !== 'click';
  switch (screen) {
    case 'help':
      if (isWheel) scroll(context, step * wheelLines);
      return;
    case 'settings':
    case 'sessions':
      if (isWheel) moveInList(context, step);
      return;
    case 'plan': {
      const isOverTree = layout.hasTwoPanes ? at.column <= layout.treeWidth : browse.pane === 'tree';
      if (!isWheel) choose(context, isOverTree ? at.row : null);
      else if (isOverTree) moveInTree(context, step);
      else if (panel === null) scroll(context, step * wheelLines);
      return;
    }
    case 'home':
      return;
  }
}

/** A click on a tree row selects it; a click on another pane focuses it. */
function choose({core, jobs, browse}: CommandContext, row: number | null): void {
  if (row === null) {
    browse((now) => ({...now, pane: 'detail'}));
    return;
  }
  const {entries, layout} = core.facts();
  const place = row - rowsAbove - 1;
  const entry =
    place < 0 || place >= layout.paneRows ? undefined : entries[core.get().browse.treeTop + place];
  if (!entry) return;
  jobs.follow(false);
  browse((now) => ({...browsing.select(now, entry.id), pane: 'tree'}));
}
