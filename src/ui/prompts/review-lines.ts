import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type Line, lineOf} from '../components/lines.tsx';
import {cutEnd, cutStart, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import {patchLine, patchStyle} from './diff-view.ts';

/** How much changed, in one sentence. */
export function totalsOf({review_summary: summary}: RunRecord): string {
  const last = summary?.diffstat.split('\n').findLast((line) => line.trim() !== '');
  if (last !== undefined && /\bchanged\b/.test(last)) return displayLine(last);
  const count = summary?.total_files ?? summary?.files.length ?? 0;
  if (count > 0) return `${count} ${count === 1 ? 'file' : 'files'} changed`;
  return displayLine(summary?.note ?? 'no files were changed');
}

/** What a run changed, as the record tells it: why it failed, what it did besides, its files, a few quotes. */
export function reviewLines(run: RunRecord, columns: number): Line[] {
  const summary = run.review_summary;
  const failure = run.failure
    ? [lineOf(cutEnd(` ✗ ${displayLine(run.failure.message)}`, columns), {tone: 'bad'})]
    : [];
  const total = summary?.total_files ?? summary?.files.length ?? 0;
  const files = fileLines(summary?.diffstat ?? '', summary?.files ?? [], columns);
  const more = total - files.length;
  const besides = (run.side_effects ?? []).flatMap(({text}) =>
    wrapped(`! ${displayLine(text)}`, columns - 2).map((part, place) =>
      lineOf(` ${place === 0 ? '' : '  '}${part}`, {tone: 'warning', bold: true}),
    ),
  );
  return [
    ...failure,
    ...besides,
    ...files,
    ...(more > 0 && files.length > 0 ? [lineOf(`   … and ${more} more`, {dim: true})] : []),
    ...(summary?.snippets ?? []).flatMap(({file, snippet}) => snippetLines(file, snippet, columns)),
  ];
}

/** Git's own table where there is one; else the names. */
function fileLines(diffstat: string, files: readonly string[], columns: number): Line[] {
  const table = diffstat.split('\n').flatMap((line) => tableRow(line) ?? []);
  if (table.length === 0)
    return files.map((file) => lineOf(`   ${cutStart(displayLine(file), columns - 4)}`));
  const sizes = Math.max(...table.map(({size}) => textWidth(size)));
  const graph = Math.min(24, Math.max(0, columns - 30));
  const widest = Math.max(...table.map(({name}) => textWidth(name)));
  const names = Math.max(8, Math.min(widest, columns - sizes - graph - 8));
  return table.map(({name, size, added, removed}) => {
    const plus = Math.ceil((added.length / Math.max(1, added.length + removed.length)) * graph);
    const marks = scaled(added.length, removed.length, graph, plus);
    return [
      {text: `   ${padEnd(cutStart(name, names), names)}  ${size.padStart(sizes)} `},
      {text: '+'.repeat(marks.added), tone: 'good'},
      {text: '−'.repeat(marks.removed), tone: 'bad'},
    ];
  });
}

function scaled(added: number, removed: number, room: number, plus: number) {
  return added + removed <= room ? {added, removed} : {added: plus, removed: Math.max(0, room - plus)};
}

type TableRow = {
  readonly name: string;
  readonly size: string;
  readonly added: string;
  readonly removed: string;
};

function tableRow(line: string): TableRow | null {
  const [, name, size, added = '', removed = ''] = /^ (.*?) +\| +(\d+|Bin.*?) ?(\+*)(-*)$/.exec(line) ?? [];
  if (name === undefined || size === undefined) return null;
  return {name: displayLine(name), size: displayLine(size), added, removed};
}

function snippetLines(file: string, snippet: string, columns: number): Line[] {
  const title = ` ─ ${cutStart(displayLine(file), columns - 6)} `;
  const rule = '─'.repeat(Math.max(0, columns - textWidth(title) - 1));
  return [
    lineOf(`${title}${rule}`, {dim: true}),
    ...snippet
      .split('\n')
      .filter((line) => !line.startsWith('@@'))
      .map((line): Line => [{text: cutEnd(`   ${patchLine(line)}`, columns), ...patchStyle(line, false)}]),
  ];
}
