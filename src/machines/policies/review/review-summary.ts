import {
  type ChangedFile,
  type ObservedChange,
  type ReviewRules,
  type ReviewSummary,
  reviewLimits,
} from '../../../services/contracts/changes.ts';

/** A change cut down to what a run record holds: some files, part of the diffstat, a few snippets. */
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

/** Hand-written files before generated ones, and existing files before deleted ones. */
export function filesToQuote(files: readonly ChangedFile[]): readonly ChangedFile[] {
  const quotable = files.filter(({lines}) => lines !== null && lines.added + lines.removed > 0);
  const rank = (file: ChangedFile) => (generated.test(file.path) ? 2 : file.kind === 'deleted' ? 1 : 0);
  return quotable.toSorted((a, b) => rank(a) - rank(b)).slice(0, reviewLimits.snippets);
}

export const reviewRules: ReviewRules = {filesToQuote, summarize: reviewSummary};

const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.(lock|snap|map|min\.[a-z]+))$/i;

/** Whole lines within the limit. The last line has the totals, so lines are dropped before it. */
export function cutDiffstat(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (byteLength(lines.join('\n')) <= reviewLimits.diffstatBytes) return lines.join('\n');
  const totals = cutBytes(lines.at(-1) ?? '', 200);
  const gap = ' ...';
  let room = reviewLimits.diffstatBytes - byteLength(totals) - byteLength(gap) - 1;
  const kept: string[] = [];
  // Git marks its own omissions; one mark is enough.
  for (const line of lines.slice(0, -1).filter((each) => each !== gap)) {
    room -= byteLength(line) + 1;
    if (room < 0) break;
    kept.push(line);
  }
  return [...kept, gap, totals].join('\n');
}

/** The first lines of a patch's hunks, without headers. */
export function snippetOf(patch: string): string {
  const lines = patch.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  if (start < 0) return '';
  // The text after the last line break is not a line.
  const hunks = lines.slice(start, lines.at(-1) === '' ? -1 : undefined);
  return hunks.slice(0, reviewLimits.snippetLines).map(cutLine).join('\n');
}

function cutLine(line: string): string {
  if (line.length <= reviewLimits.lineLength) return line;
  const cut = line.slice(0, reviewLimits.lineLength - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** At most this many bytes, in whole characters. */
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
