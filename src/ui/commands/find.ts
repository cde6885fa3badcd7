import {notNow} from '../keymap.ts';
import * as browsing from '../model/browse.ts';
import {detailContent} from '../model/detail.ts';
import {findIn} from '../model/find.ts';
import {withListQuery} from '../model/list-rows.ts';
import type {Command, CommandContext} from './command.ts';

const section = 'Look at a task';

/** Searching in the right pane. In the tree a search filters the rows. */
export const findCommands: readonly Command[] = [
  {
    id: 'find.next',
    keys: ['n'],
    label: 'next match',
    hint: 'first',
    at: ['detail'],
    section,
    refusal: (_, {browse}) => (browse.find.text === '' ? 'nothing to search for: press / first' : null),
    run: (context) => findNext(context, 1),
  },
  {
    id: 'find.previous',
    keys: ['N'],
    label: 'previous match',
    at: ['detail'],
    section,
    refusal: (_, {browse}) => (browse.find.text === '' ? 'nothing to search for: press / first' : null),
    run: (context) => findNext(context, -1),
  },
  {
    id: 'find.clear',
    keys: ['escape'],
    label: 'clear search',
    at: ['detail'],
    refusal: (_, {browse}) => (browse.find.text === '' ? notNow : null),
    run: ({browse}) => browse((now) => browsing.withSearchText(now, '')),
  },
];

/** What was typed after `/` so far. */
export function searchedText({core}: CommandContext): string {
  const {browse, list} = core.get();
  return core.facts().screen === 'plan' ? browsing.searchText(browse) : list.query;
}

/** What is typed after `/` filters the tree or list, or jumps to the first match at once. */
export function typeSearch(context: CommandContext, text: string): void {
  const {screen} = context.core.facts();
  if (screen !== 'plan') {
    context.core.patch({list: withListQuery(context.core.get().list, screen, text)});
    return;
  }
  context.browse((now) => browsing.withSearchText(now, text));
  if (context.core.get().browse.pane === 'detail' && text !== '') findNext(context, 1);
}

function findNext({core, jobs, browse}: CommandContext, step: 1 | -1): void {
  const {find, detailTop} = core.get().browse;
  const content = detailContent(core.get(), core.facts(), jobs);
  const height = Math.max(1, core.facts().layout.paneRows - content.head.length);
  // A followed run is at its end, so the first match is the last one above it.
  const direction = find.at === null && detailTop === null ? -1 : step;
  const from = find.at === null ? (detailTop ?? content.length - 1) : find.at + step;
  const at = findIn(content, find.text, from, direction);
  if (at === null) core.say({tone: 'warning', text: `no match for ${find.text}`});
  else browse((now) => browsing.showMatch(now, at, {length: content.length, height}));
}
