import type {TaskDiff} from '../../machines/actors/task-change.ts';
import {runBefore} from '../../machines/policies/run/task-runs.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {ReviewComment} from './comments.ts';
import {fileAt, type Patch, type PatchFile, type PatchRow, parsePatch} from './patch.ts';

/** The change of a task, whole and since its last decision; null if there was none. */
export type DiffContent = {
  readonly task: Patch;
  readonly sinceReview: Patch | null;
} & Pick<TaskDiff, 'sideEffects'>;

export type DiffScope = 'task' | 'sinceReview';

/** The position in a diff and how it is displayed. Kept per run while the program lives. */
export type DiffView = {
  readonly content: DiffContent | null;
  /** Why there is no content; null while it is being read. */
  readonly problem: string | null;
  readonly scope: DiffScope;
  /** The current row, and the first visible one. */
  readonly cursor: number;
  readonly top: number;
  /** How many columns of text are scrolled away; line numbers and signs stay. */
  readonly left: number;
  readonly isWrapped: boolean;
  /** The diff has the focus instead of the choices beside it. */
  readonly isFocused: boolean;
  /** The diff takes the whole space. */
  readonly isZoomed: boolean;
  /** All notes about the run are shown instead of the diff. */
  readonly isTold: boolean;
  /** The notes shown are the list of keys. */
  readonly isKeys: boolean;
  readonly toldTop: number;
  /** The files marked as viewed, with the change that was seen: a different change is not viewed. */
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

/** What the keys need to know about the layout. */
export type DiffFrame = {
  readonly columns: number;
  /** Rows for the diff alone. */
  readonly height: number;
  readonly comments: readonly ReviewComment[];
  /** The number of lines of notes about the run. */
  readonly toldLength: number;
  /** Why no editor can be opened; null if one can. */
  readonly editorRefused: string | null;
  /** Why comments are not possible; null if they are. */
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

export const diffContent = ({task, sinceReview, ...rest}: TaskDiff): DiffContent => ({
  ...rest,
  task: parsePatch(task),
  sinceReview: sinceReview === null ? null : parsePatch(sinceReview),
});

/** A change that was read or re-read: the current row stays in its file, as close as possible. */
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

/** Moves to a row, clamped to the ends. */
export function goTo(view: DiffView, row: number): DiffView {
  const last = Math.max(0, patchOf(view).rows.length - 1);
  const cursor = Math.max(0, Math.min(last, row));
  return cursor === view.cursor ? view : {...view, cursor};
}

/** Moves to a row and scrolls it to the top, as for the title of a file. */
function goToTop(view: DiffView, row: number | undefined): DiffView {
  return row === undefined ? view : {...view, cursor: row, top: row};
}

export function nextFile(view: DiffView, by: 1 | -1): DiffView {
  const patch = patchOf(view);
  const at = fileAt(patch, view.cursor);
  // Going back from inside a file leads to its title first.
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

/** The view of a run: as it was, or with what was viewed of the run it continues. */
export function viewFor(views: ReadonlyMap<string, DiffView>, run: RunRecord): DiffView {
  const before = views.get(runBefore(run) ?? '');
  const fresh = before ? {...newDiffView, viewed: before.viewed, isWrapped: before.isWrapped} : newDiffView;
  return views.get(run.run_id) ?? fresh;
}

export const isMatch = (query: string, {text}: PatchRow): boolean =>
  query !== '' && text.toLowerCase().includes(query.toLowerCase());

/** The next row with the searched text, wrapping around. */
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

/** What Esc closes before it leaves the diff; null if nothing is left. */
export function backStep(view: DiffView): DiffView | null {
  if (view.isTold) return {...view, isTold: false};
  if (view.query !== '') return {...view, query: '', notice: null};
  if (view.isZoomed) return {...view, isZoomed: false};
  return null;
}
