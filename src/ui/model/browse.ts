import {ancestorsOf} from '../../machines/policies/plan/plan-graph.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {type Filter, filters, type TreeEntry} from './tree.ts';

export const tabs = ['details', 'run', 'diff', 'history'] as const;
export type Tab = (typeof tabs)[number];
export type Pane = 'tree' | 'detail';

/** The user's position in the plan. Plain data, changed only by the functions below. */
export type Browse = {
  readonly selectedId: string | null;
  /** The row it was last seen in: selected next if it is gone. */
  readonly row: number;
  readonly folded: ReadonlySet<string>;
  readonly filter: Filter;
  readonly query: string;
  /** The search in the right pane, and the line of the last match. */
  readonly find: {readonly text: string; readonly at: number | null};
  readonly pane: Pane;
  readonly tab: Tab;
  /** The first visible row of the tree. */
  readonly treeTop: number;
  /** The first visible line of the detail pane; null for its end, where a run is followed. */
  readonly detailTop: number | null;
  readonly isRaw: boolean;
};

export const startBrowse: Browse = {
  selectedId: null,
  row: 0,
  folded: new Set(),
  filter: 'all',
  query: '',
  find: {text: '', at: null},
  pane: 'tree',
  tab: 'details',
  treeTop: 0,
  detailTop: 0,
  isRaw: false,
};

/** The detail pane starts at the top; the run at its end, where new output appears. */
const topOf = (tab: Tab): number | null => (tab === 'run' ? null : 0);

export function select(browse: Browse, id: string | null): Browse {
  if (browse.selectedId === id) return browse;
  return {...browse, selectedId: id, detailTop: topOf(browse.tab), find: {...browse.find, at: null}};
}

/** Moves the selection by this many rows, clamped to the ends. */
export function moveSelection(browse: Browse, entries: readonly TreeEntry[], by: number): Browse {
  if (entries.length === 0) return browse;
  const at = indexOf(entries, browse.selectedId);
  const index = Math.min(entries.length - 1, Math.max(0, Math.max(at, 0) + by));
  return select(browse, entries[index]?.id ?? null);
}

/** Selects a task and makes it visible: unfolds its parents and ends a search or filter that hides it. */
export function reveal(browse: Browse, plan: Plan, entries: readonly TreeEntry[], id: string): Browse {
  const task = plan.items.get(id);
  if (!task || indexOf(entries, id) >= 0) return select(browse, id);
  const above = new Set(ancestorsOf(plan, task).map((parent) => parent.id));
  const folded = new Set([...browse.folded].filter((each) => !above.has(each)));
  return select({...browse, folded, filter: 'all', query: ''}, id);
}

/** Keeps the selection existing and visible. Called after every change of rows or size. */
export function keepInView(
  browse: Browse,
  entries: readonly TreeEntry[],
  height: number,
  plan: Plan | null,
): Browse {
  // A search or filter that matches nothing does not lose the place.
  if (entries.length === 0) return browse;
  const at = indexOf(entries, browse.selectedId);
  const index = Math.max(0, at < 0 ? nearestRow(browse, entries, plan) : at);
  const selected = at < 0 ? select(browse, entries[index]?.id ?? null) : browse;
  const lowest = Math.max(0, entries.length - height);
  let top = Math.min(selected.treeTop, lowest);
  if (index < top) top = index;
  if (index >= top + height) top = index - height + 1;
  return top === selected.treeTop && index === selected.row
    ? selected
    : {...selected, treeTop: top, row: index};
}

/** For a task hidden by a search, the first match; if folded or filtered away, its parent; if gone, its row. */
function nearestRow(
  {selectedId, row, query}: Browse,
  entries: readonly TreeEntry[],
  plan: Plan | null,
): number {
  if (query.trim() !== '') return entries.findIndex(({isMatch}) => isMatch);
  const task = selectedId === null ? undefined : plan?.items.get(selectedId);
  const above = new Set(plan && task ? ancestorsOf(plan, task).map(({id}) => id) : []);
  const parent = above.size === 0 ? -1 : entries.findLastIndex(({id}) => above.has(id));
  return parent >= 0 ? parent : Math.min(row, entries.length - 1);
}

export function toggleFold(browse: Browse, id: string, isFolded = !browse.folded.has(id)): Browse {
  if (browse.folded.has(id) === isFolded) return browse;
  const folded = new Set(browse.folded);
  if (isFolded) folded.add(id);
  else folded.delete(id);
  return {...browse, folded};
}

export function foldAll(browse: Browse, parentIds: readonly string[]): Browse {
  const isAllFolded = parentIds.length > 0 && parentIds.every((id) => browse.folded.has(id));
  return {...browse, folded: new Set(isAllFolded ? [] : parentIds)};
}

export function nextFilter(browse: Browse): Browse {
  const filter = filters[(filters.indexOf(browse.filter) + 1) % filters.length] ?? 'all';
  return {...browse, filter};
}

const setQuery = (browse: Browse, query: string): Browse =>
  browse.query === query ? browse : {...browse, query};

/** What is typed after `/`: it filters the tree, or searches the right pane. */
export const searchText = ({pane, query, find}: Browse): string => (pane === 'detail' ? find.text : query);

export const withSearchText = (browse: Browse, text: string): Browse =>
  browse.pane === 'detail' ? {...browse, find: {text, at: null}} : setQuery(browse, text);

/** Scrolls the right pane to a match; on the last page it need not be the first line. */
export function showMatch(browse: Browse, at: number, {length, height}: {length: number; height: number}) {
  const detailTop = Math.max(0, Math.min(at - 1, length - height));
  return {...browse, detailTop, find: {...browse.find, at}};
}

export function showTab(browse: Browse, tab: Tab): Browse {
  return browse.tab === tab
    ? browse
    : {...browse, tab, detailTop: topOf(tab), find: {...browse.find, at: null}};
}

export const turnTab = (browse: Browse, by: number): Browse =>
  showTab(browse, tabs[(tabs.indexOf(browse.tab) + by + tabs.length) % tabs.length] ?? 'details');

export const switchPane = (browse: Browse): Browse => ({
  ...browse,
  pane: browse.pane === 'tree' ? 'detail' : 'tree',
});

/** Scrolls the detail pane. At its end the run is followed again. */
export function scrollDetail(browse: Browse, by: number, {length, height}: {length: number; height: number}) {
  const lowest = Math.max(0, length - height);
  const top = Math.min(lowest, Math.max(0, (browse.detailTop ?? lowest) + by));
  const detailTop = browse.tab === 'run' && top === lowest ? null : top;
  return detailTop === browse.detailTop ? browse : {...browse, detailTop};
}

function indexOf(entries: readonly TreeEntry[], id: string | null): number {
  return id === null ? -1 : entries.findIndex((entry) => entry.id === id);
}
