import {
  type ChangedFile,
  type ObservedChange,
  type ReviewRules,
  type ReviewSummary,
  reviewLimits,
} from '../../../services/contracts/changes.ts';

/** A change cut to what a run record carries: some files, some lines of the table, a few quotes. */
export function reviewSummary({files, diffstat, patches, notable = []}: ObservedChange): ReviewSummary {
  return {
    files: files.slice(0, reviewLimits.files).map((file) => file.path),
    total_files: files.length,
    diffstat: cutDiffstat(diffstat),
    snippets: patches
      .map(({file, patch}) => ({file, snippet: snippetOf(patch)}))
      .filter(({snippet}) => snippet !== '')
      .slice(0, reviewLimits.snippets),
    ...(notable.length === 0 ? {} : {side_effects: [...notable]}),
  };
}

/** What people wrote before what tools wrote, and what is there before what is gone. */
export function filesToQuote(files: readonly ChangedFile[]): readonly ChangedFile[] {
  const quotable = files.filter(({lines}) => lines !== null && lines.added + lines.removed > 0);
  const rank = (file: ChangedFile) => (generated.test(file.path) ? 2 : file.kind === 'deleted' ? 1 : 0);
  return quotable.toSorted((a, b) => rank(a) - rank(b)).slice(0, reviewLimits.snippets);
}

export const reviewRules: ReviewRules = {filesToQuote, summarize: reviewSummary};

const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.(lock|snap|map|min\.[a-z]+))$/i;

/** Whole lines within the limit. Its last line tells the totals, so what is left out is left out before it. */
export function cutDiffstat(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (byteLength(lines.join('\n')) <= reviewLimits.diffstatBytes) return lines.join('\n');
  const totals = cutBytes(lines.at(-1) ?? '', 200);
  const gap = ' ...';
  let room = reviewLimits.diffstatBytes - byteLength(totals) - byteLength(gap) - 1;
  const kept: string[] = [];
  // Git marks what it left out itself; one mark is enough.
  for (const line of lines.slice(0, -1).filter((each) => each !== gap)) {
    room -= byteLength(line) + 1;
    if (room < 0) break;
    kept.push(line);
  }
  return [...kept, gap, totals].join('\n');
}

/** The first lines of a patch's hunks, without the headers above them. */
export function snippetOf(patch: string): string {
  const lines = patch.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  if (start < 0) return '';
  // The text behind the last line end is no line.
  const hunks = lines.slice(start, lines.at(-1) === '' ? -1 : undefined);
  return hunks.slice(0, reviewLimits.snippetLines).map(cutLine).join('\n');
}

function cutLine(line: string): string {
  if (line.length <= reviewLimits.lineLength) return line;
  const cut = line.slice(0, reviewLimits.lineLength - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** At most so many bytes, whole characters only. */
function cutBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += byteLength(char);
    if (bytes > limit) break;
    end += char.length;
  }
  return text.slice(0, end);
}

const encoder = new TextEncoder();
const byteLength = (text: string) => encoder.encode(text).length;
