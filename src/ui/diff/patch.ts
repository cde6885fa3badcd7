/** The kind of a row. Git's headers above a file become one row of kind `file`. */
export type RowKind = 'file' | 'note' | 'hunk' | 'context' | 'added' | 'removed';

export type PatchRow = {
  readonly kind: RowKind;
  /** Without its sign, as git wrote it; sanitised for display. */
  readonly text: string;
  /** Line numbers; null on the side that has no such line. */
  readonly old: number | null;
  readonly new: number | null;
};

export type PatchFile = {
  /** Relative to the top of the repository; the new name of a renamed file. */
  readonly path: string;
  readonly change: 'added' | 'deleted' | 'renamed' | 'changed';
  readonly added: number;
  readonly removed: number;
  /** The row of its title, and the first row after it. */
  readonly start: number;
  readonly end: number;
};

/** A parsed patch. */
export type Patch = {
  /** As git wrote it. */
  readonly text: string;
  readonly rows: readonly PatchRow[];
  readonly files: readonly PatchFile[];
  /** The highest line number. */
  readonly highest: number;
};

type OpenFile = {-readonly [Key in keyof PatchFile]: PatchFile[Key]};

/** Parses `git diff`. A hunk states its line count, so no line of a file can pass for a header. */
export function parsePatch(text: string): Patch {
  const rows: PatchRow[] = [];
  const files: OpenFile[] = [];
  let file: OpenFile | null = null;
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];
  let highest = 1;
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');

  for (const line of lines) {
    if (line.startsWith('diff --git ')) {
      if (file) file.end = rows.length;
      const path = gitPath(line);
      file = {path, change: 'changed', added: 0, removed: 0, start: rows.length, end: rows.length};
      files.push(file);
      rows.push({kind: 'file', text: path, old: null, new: null});
      [oldLeft, newLeft] = [0, 0];
      continue;
    }
    if (file === null) continue;
    const sign = line[0];
    if (sign === '+' && newLeft > 0) {
      rows.push({kind: 'added', text: line.slice(1), old: null, new: newLine++});
      newLeft--;
      file.added++;
    } else if (sign === '-' && oldLeft > 0) {
      rows.push({kind: 'removed', text: line.slice(1), old: oldLine++, new: null});
      oldLeft--;
      file.removed++;
    } else if ((sign === ' ' || line === '') && oldLeft > 0 && newLeft > 0) {
      rows.push({kind: 'context', text: line.slice(1), old: oldLine++, new: newLine++});
      oldLeft--;
      newLeft--;
    } else if (sign === '@') {
      const [, from = '0', fromCount = '1', to = '0', toCount = '1'] = hunkHead.exec(line) ?? [];
      [oldLine, oldLeft, newLine, newLeft] = [Number(from), Number(fromCount), Number(to), Number(toCount)];
      highest = Math.max(highest, oldLine + oldLeft, newLine + newLeft);
      rows.push({kind: 'hunk', text: line, old: null, new: null});
    } else headerLine(line, file, rows);
  }
  if (file) file.end = rows.length;
  return {text, rows, files, highest};
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** What the headers say beyond the name: new, deleted, renamed, binary, mode changed. */
function headerLine(line: string, file: OpenFile, rows: PatchRow[]): void {
  if (line.startsWith('new file mode')) file.change = 'added';
  if (line.startsWith('deleted file mode')) file.change = 'deleted';
  if (line.startsWith('rename from ')) file.change = 'renamed';
  if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.path = sidePath(line.slice(4), 'b/');
  if (line.startsWith('--- ') && file.change === 'deleted') file.path = sidePath(line.slice(4), 'a/');
  if (line.startsWith('rename to ')) file.path = unquoted(line.slice('rename to '.length));
  const title = rows[file.start];
  if (title && title.text !== file.path) rows[file.start] = {...title, text: file.path};
  if (!silent.test(line)) rows.push({kind: 'note', text: line, old: null, new: null});
}

/** Already in the title, or of no use to the reader. */
const silent = /^(index |--- |\+\+\+ |similarity index |rename to |new file mode 100644$|deleted file mode )/;

/** The new name in `diff --git a/x b/x`, the only place that has it for files without hunks. */
function gitPath(line: string): string {
  const names = line.slice('diff --git '.length);
  const quoted = /"b\/(?:[^"\\]|\\.)*"$/.exec(names)?.[0];
  if (quoted !== undefined) return sidePath(quoted, 'b/');
  // Without a rename both names are the same, so the second starts in the middle.
  const half = names.slice((names.length + 1) / 2);
  const isSame = names === `a/${half.slice(2)} ${half}`;
  return sidePath(isSame ? half : names.slice(names.lastIndexOf(' b/') + 1), 'b/');
}

function sidePath(text: string, side: 'a/' | 'b/'): string {
  // Git appends a tab to a name with spaces.
  const path = unquoted(text.replace(/\t$/, ''));
  return path.startsWith(side) ? path.slice(2) : path;
}

/** Git quotes names with control characters, quotes and non-ASCII bytes like C strings. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  const bytes: number[] = [];
  for (const [piece, , simple, octal] of text
    .slice(1, -1)
    .matchAll(/(\\(?:([abtnvfr"\\])|([0-7]{3})))|[^\\]/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (simple !== undefined) bytes.push(escapes.get(simple) ?? simple.charCodeAt(0));
    else bytes.push(...encoder.encode(piece));
  }
  return decoder.decode(Uint8Array.from(bytes));
}

const escapes = new Map([...'abtnvfr'].map((name, index) => [name, [7, 8, 9, 10, 11, 12, 13][index] ?? 0]));
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The file a row belongs to: the last one that starts at or above it. */
export function fileAt({files}: Patch, row: number): number {
  let [low, high] = [0, files.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((files[middle]?.start ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
