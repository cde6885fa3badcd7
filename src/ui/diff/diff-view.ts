import type {TaskDiff} from '../../machines/actors/task-change.ts';
import {runBefore} from '../../machines/policies/run/task-runs.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {ReviewComment} from './comments.ts';
import {fileAt, type Patch, type PatchFile, type PatchRow, parsePatch} from './patch.ts';

/** The change of a task, whole and since the last decision about it; null where nobody decided before. */
export type DiffContent = {readonly task: Patch; readonly sinceReview: Patch | null};

export type DiffScope = keyof DiffContent;

/** Where a person is in a diff, and how they look at it. Kept for each run while the program lives. */
export type DiffView = {
  readonly content: DiffContent | null;
  /** Why there is no content; null while it is read. */
  readonly problem: string | null;
  readonly scope: DiffScope;
  /** The marked row, and the first one that is seen. */
  readonly cursor: number;
  readonly top: number;
  /** So many columns of the text are scrolled away; never the line numbers and the signs. */
  readonly left: number;
  readonly isWrapped: boolean;
  /** The diff has the keys, and not the choices beside it. */
  readonly isFocused: boolean;
  /** The diff has all of the room. */
  readonly isZoomed: boolean;
  /** All that was said about the run is shown instead of the diff. */
  readonly isTold: boolean;
  /** It is the keys that are told. */
  readonly isKeys: boolean;
  readonly toldTop: number;
  /** The files that were read, with the change that was read: another change is not viewed. */
  readonly viewed: ReadonlyMap<string, string>;
  readonly query: string;
  /** The query is being typed. */
  readonly isSearching: boolean;
  readonly notice: string | null;
};

export const newDiffView: DiffView = {
  content: null,
  problem: null,
  scope: 'task',
  cursor: 0,
  top: 0,
  left: 0,
  isWrapped: false,
  isFocused: false,
  isZoomed: false,
  isTold: false,
  isKeys: false,
  toldTop: 0,
  viewed: new Map(),
  query: '',
  isSearching: false,
  notice: null,
};

/** What the keys must know of their surroundings. */
export type DiffFrame = {
  readonly columns: number;
  /** Rows for the diff alone. */
  readonly height: number;
  readonly comments: readonly ReviewComment[];
  /** How many lines there are to say about the run. */
  readonly toldLength: number;
  /** Why no editor can be opened; null when one can. */
  readonly editorRefused: string | null;
  /** Why nothing can be commented; null when it can. */
  readonly commentRefused: string | null;
};

const nothing: Patch = parsePatch('');

export const patchOf = ({content, scope}: DiffView): Patch =>
  (content && (content[scope] ?? content.task)) ?? nothing;

export const rowAt = (view: DiffView): PatchRow | undefined => patchOf(view).rows[view.cursor];

export const currentFile = (view: DiffView): PatchFile | undefined => {
  const patch = patchOf(view);
  return patch.files[fileAt(patch, view.cursor)];
};

export const diffContent = ({task, sinceReview}: TaskDiff): DiffContent => ({
  task: parsePatch(task),
  sinceReview: sinceReview === null ? null : parsePatch(sinceReview),
});

/** A change that was read, or read again: the mark stays in its file, as near to its row as there are rows. */
export function withContent(view: DiffView, content: DiffContent): DiffView {
  const scope = content.sinceReview === null ? 'task' : view.scope;
  return relocated(view, {...view, content, scope, problem: null});
}

export function withScope(view: DiffView, scope: DiffScope): DiffView {
  return relocated(view, {...view, scope});
}

function relocated(before: DiffView, after: DiffView): DiffView {
  const [file, row] = [currentFile(before), rowAt(before)];
  const {files, rows} = patchOf(after);
  const same = files.find(({path}) => path === file?.path);
  if (!file || !row || !same) return {...after, cursor: 0, top: 0};
  const twin = rows.slice(same.start, same.end).findIndex((each) => isSameLine(each, row));
  const offset = twin < 0 ? Math.min(before.cursor - file.start, same.end - same.start - 1) : twin;
  const cursor = same.start + Math.max(0, offset);
  return {...after, cursor, top: Math.max(0, cursor - (before.cursor - before.top))};
}

const isSameLine = (a: PatchRow, b: PatchRow): boolean =>
  a.kind === b.kind && a.text === b.text && a.new === b.new && a.old === b.old;

/** Moves the mark to a row, beyond an end to the end. */
export function goTo(view: DiffView, row: number): DiffView {
  const last = Math.max(0, patchOf(view).rows.length - 1);
  const cursor = Math.max(0, Math.min(last, row));
  return cursor === view.cursor ? view : {...view, cursor};
}

/** Moves the mark to a row that is to stand at the upper edge, as the title of a file does. */
function goToTop(view: DiffView, row: number | undefined): DiffView {
  return row === undefined ? view : {...view, cursor: row, top: row};
}

export function nextFile(view: DiffView, by: 1 | -1): DiffView {
  const patch = patchOf(view);
  const at = fileAt(patch, view.cursor);
  // Going back from within a file leads to its title first.
  const isInside = by === -1 && view.cursor > (patch.files[at]?.start ?? 0);
  return goToTop(view, patch.files[isInside ? at : at + by]?.start);
}

export function nextRow(
  view: DiffView,
  by: 1 | -1,
  isWanted: (row: PatchRow, index: number) => boolean,
): DiffView {
  const {rows} = patchOf(view);
  for (let index = view.cursor + by; index >= 0 && index < rows.length; index += by) {
    const row = rows[index];
    if (row && isWanted(row, index)) return {...view, cursor: index};
  }
  return view;
}

export function toggleViewed(view: DiffView): DiffView {
  const file = currentFile(view);
  if (!file) return view;
  const viewed = new Map(view.viewed);
  if (isViewed(view, file)) viewed.delete(file.path);
  else viewed.set(file.path, changeOf(view, file));
  return {...view, viewed};
}

export const isViewed = (view: DiffView, file: PatchFile): boolean =>
  view.viewed.has(file.path) && view.viewed.get(file.path) === changeOf(view, file);

const changeOf = (view: DiffView, {start, end}: PatchFile): string =>
  patchOf(view)
    .rows.slice(start, end)
    .map(({kind, text}) => `${kind} ${text}`)
    .join('\n');

/** How a person looks at a run: as before, or with what they have read of the run it goes on from. */
export function viewFor(views: ReadonlyMap<string, DiffView>, run: RunRecord): DiffView {
  const before = views.get(runBefore(run) ?? '');
  const fresh = before ? {...newDiffView, viewed: before.viewed, isWrapped: before.isWrapped} : newDiffView;
  return views.get(run.run_id) ?? fresh;
}

export const isMatch = (query: string, {text}: PatchRow): boolean =>
  query !== '' && text.toLowerCase().includes(query.toLowerCase());

/** The next row with the searched text, around at the end. */
export function nextMatch(view: DiffView, by: 1 | -1): DiffView {
  if (view.query === '') return view;
  const {rows} = patchOf(view);
  for (let step = 1; step <= rows.length; step++) {
    const index = (((view.cursor + by * step) % rows.length) + rows.length) % rows.length;
    const row = rows[index];
    if (row && isMatch(view.query, row)) return {...view, cursor: index};
  }
  return {...view, notice: `nothing contains “${view.query}”`};
}

/** What Esc takes away first, before it leaves the diff; null when nothing is left. */
export function backStep(view: DiffView): DiffView | null {
  if (view.isTold) return {...view, isTold: false};
  if (view.query !== '') return {...view, query: '', notice: null};
  if (view.isZoomed) return {...view, isZoomed: false};
  return null;
}
