import {displayLine, displayText} from '../text/display-text.ts';
import type {DiffPlace, DiffTask, FieldChange, PlanDiff} from './plan-diff.ts';

/** The view chooses the colour; the text is safe to print. */
export type DiffLine = {
  readonly tone: 'added' | 'removed' | 'changed' | 'moved' | 'dim';
  readonly text: string;
};

/** Limits on tasks per kind and lines per field: nobody reads more before answering. */
const taskLimit = 200;
const lineLimit = 20;

/** The diff as shown for confirmation: each kind in tree order, then the counts. */
export function planDiffLines(diff: PlanDiff): DiffLine[] {
  return [
    ...shown(diff.added, (each) => [
      {
        tone: 'added',
        text: `+ ${taskText(each)}${aside(each.status ?? '', placeText(each), depsText(each.deps))}`,
      },
      ...(each.verify ?? []).map(
        (check): DiffLine => ({tone: 'added', text: `    checked with ${displayLine(check)}`}),
      ),
    ]),
    ...shown(diff.changed, (each) => [
      {tone: 'changed', text: `~ ${taskText(each)}`},
      ...each.fields.flatMap(fieldLines),
    ]),
    ...shown(diff.moved, (each) => [
      {tone: 'moved', text: `> ${taskText(each)}${aside(moveText(each.from, each.to))}`},
    ]),
    ...shown(diff.deps, (each) => [
      {tone: 'changed', text: `~ ${taskText(each)}`},
      ...each.added.map(
        (dep): DiffLine => ({
          tone: 'added',
          text: `    + waits for ${displayLine(dep)}${reasonText(each, dep)}`,
        }),
      ),
      ...each.removed.map(
        (dep): DiffLine => ({tone: 'removed', text: `    - waits for ${displayLine(dep)}`}),
      ),
      ...Object.keys(each.reasons ?? {})
        .filter((dep) => !each.added.includes(dep))
        .map((dep): DiffLine => {
          const reason = reasonText(each, dep) || ', without a reason now';
          return {tone: 'changed', text: `    ~ waits for ${displayLine(dep)}${reason}`};
        }),
    ]),
    ...shown(diff.removed, (each) => [{tone: 'removed', text: `- ${taskText(each)}`}]),
    {tone: 'dim', text: diffCounts(diff)},
  ];
}

/** `3 added · 1 moved`: the number of tasks of each kind. */
export function diffCounts({added, changed, moved, deps, removed}: PlanDiff): string {
  const counts = [
    [added.length, 'added'],
    [changed.length, 'changed'],
    [moved.length, 'moved'],
    [deps.length, 'with other dependencies'],
    [removed.length, 'removed'],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return told.length === 0 ? 'no change' : told.join(' · ');
}

function shown<T>(entries: readonly T[], linesOf: (entry: T) => readonly DiffLine[]): DiffLine[] {
  const left = entries.length - taskLimit;
  return [
    ...entries.slice(0, taskLimit).flatMap(linesOf),
    ...(left > 0 ? [{tone: 'dim', text: `  … and ${left} more`} as const] : []),
  ];
}

const taskText = ({id, title}: DiffTask) => `${displayLine(id)}  ${displayLine(title)}`;

function aside(...parts: readonly string[]): string {
  const told = parts.filter((part) => part !== '');
  return told.length === 0 ? '' : `  (${told.join('; ')})`;
}

const placeText = ({parentId}: DiffPlace) => (parentId === null ? '' : `under ${displayLine(parentId)}`);

const depsText = (deps: readonly string[]) =>
  deps.length === 0 ? '' : `waits for ${deps.map(displayLine).join(', ')}`;

function reasonText({reasons}: PlanDiff['deps'][number], dep: string): string {
  const reason = (reasons && Object.hasOwn(reasons, dep) && reasons[dep]) || '';
  return reason === '' ? '' : `: ${displayLine(reason)}`;
}

function moveText(from: DiffPlace, to: DiffPlace): string {
  const place = to.after === null ? 'first' : `after ${displayLine(to.after)}`;
  if (from.parentId === to.parentId) return `now ${place}`;
  const parent = ({parentId}: DiffPlace) => (parentId === null ? 'the top level' : displayLine(parentId));
  return `from ${parent(from)} to ${parent(to)}, ${place}`;
}

function fieldLines({field, before, after}: FieldChange): DiffLine[] {
  if (field === 'source') return [{tone: 'dim', text: `    ${sourceText(before, after)}`}];
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = countWhile(old, (line, index) => line === now[index]);
  const rest = {old: old.slice(start), now: now.slice(start)};
  const end = countWhile(rest.old.toReversed(), (line, index) => line === rest.now.at(-1 - index));
  const part = (lines: readonly string[], tone: 'added' | 'removed', mark: string): DiffLine[] => {
    const changed = lines.slice(0, lines.length - end);
    const left = changed.length - lineLimit;
    return [
      ...changed.slice(0, lineLimit).map((line): DiffLine => ({tone, text: `      ${mark} ${line}`})),
      ...(left > 0 ? [{tone: 'dim', text: `      … and ${left} more`} as const] : []),
    ];
  };
  return [
    {tone: 'dim', text: `    ${displayLine(field)}`},
    ...part(rest.old, 'removed', '-'),
    ...part(rest.now, 'added', '+'),
  ];
}

/** The list a task came from; the remembered text of the list is not shown. */
function sourceText(before: unknown, after: unknown): string {
  const [was, is] = [listOf(before), listOf(after)];
  if (is === null) return `no longer comes from ${was ?? 'a list'}`;
  return was === is ? `${is} is remembered as it is now` : `comes from ${is}`;
}

function listOf(source: unknown): string | null {
  const {key} = (source ?? {}) as {readonly key?: unknown};
  return typeof key === 'string' ? displayLine(key.replace(/#[^#]*$/, '')) : null;
}

function countWhile<T>(list: readonly T[], holds: (entry: T, index: number) => boolean): number {
  const end = list.findIndex((entry, index) => !holds(entry, index));
  return end < 0 ? list.length : end;
}

/** Lists have one entry per line; anything that is neither text nor list is shown as JSON. */
function linesOf(value: unknown): string[] {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return displayText(value).split('\n').map(displayLine);
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
    return value.map(displayLine);
  return [displayLine(JSON.stringify(value))];
}
