import type {Plan, Task} from '../contracts/plan.ts';
import type {RawPlan} from '../contracts/stores.ts';
import {
  entriesUnder,
  objectEntries,
  renderJson,
  renderObject,
  replaceValues,
  rewriteJson,
  rewriteObject,
  type TextEntry,
} from './json-text.ts';

/**
 * The text each task was read from or written as. Tasks are immutable, so the same object keeps its bytes, and the cost
 * of a write depends on the change, not on the size of the plan.
 */
const sources = new WeakMap<Task, string>();

/** The JSON of a plan file with its items in text order. */
export function readPlanText(json: unknown, text: string): RawPlan {
  const {items, ...root} = json as Record<string, unknown>;
  if (typeof items !== 'object' || items === null || Array.isArray(items)) return {root, items: null};
  const values = items as Record<string, unknown>;
  return {root, items: entriesUnder(text, 'items').map((entry) => readItem(entry, values[entry.key]))};
}

/** The text of `plan`; what it shares with `before` keeps its bytes from `previous`. */
export function writePlanText(plan: Plan, previous: string | null, before: Plan | null): string {
  const {items, ...root} = plan;
  const fields = new Map<string, unknown>(Object.entries(root));
  const keys = [...fields.keys(), 'items'];
  const textOf = (key: string, old: string | undefined): string => {
    if (key === 'items') return writeItems(items, old, before);
    return old === undefined ? renderJson(fields.get(key), 1) : rewriteJson(old, fields.get(key), 1);
  };
  if (previous !== null) {
    const text = rewriteObject(previous, keys, 0, textOf);
    return previous.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
  }
  return `${renderObject(
    keys.map((key) => ({key, text: textOf(key, undefined)})),
    0,
  )}\n`;
}

/** Each is searched for in the whole file; for many, one pass is faster. */
const spliceLimit = 8;

/**
 * The fast path for the most common case, a change inside a few tasks: replaces their texts in place without looking
 * at, or even decoding, the rest. Null if more changed, or if a text is not unique.
 */
export function splicePlan(plan: Plan, previous: Buffer, before: Plan): Buffer | null {
  const {items, ...root} = plan;
  const {items: oldItems, ...oldRoot} = before;
  if (items.size !== oldItems.size || !hasSameValues(root, oldRoot)) return null;
  const splices: Splice[] = [];
  const oldKeys = oldItems.keys();
  for (const [key, task] of items) {
    if (oldKeys.next().value !== key) return null;
    const former = oldItems.get(key);
    if (former === task) continue;
    const old = former && sources.get(former);
    if (old === undefined || splices.length === spliceLimit) return null;
    const bytes = Buffer.from(old);
    const start = previous.indexOf(bytes);
    if (start < 0 || previous.indexOf(bytes, start + 1) >= 0) return null;
    splices.push({start, end: start + bytes.length, text: sourceOf(task, former)});
  }
  return spliced(previous, splices);
}

type Splice = {readonly start: number; readonly end: number; readonly text: string};

function spliced(previous: Buffer, splices: readonly Splice[]): Buffer {
  const pieces: Buffer[] = [];
  let end = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    pieces.push(previous.subarray(end, splice.start), Buffer.from(splice.text));
    end = splice.end;
  }
  return Buffer.concat([...pieces, previous.subarray(end)]);
}

function hasSameValues(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Items in the same order also keep everything between them. */
function writeItems(items: Plan['items'], previous: string | undefined, before: Plan | null): string {
  const entries = [...items].map(([key, task]) => ({key, text: sourceOf(task, before?.items.get(key))}));
  const old = previous === undefined ? [] : objectEntries(previous);
  const isSameOrder =
    old.length === entries.length && old.every(({key}, index) => key === entries[index]?.key);
  return previous !== undefined && isSameOrder
    ? replaceValues(previous, old, ({text}, index) => entries[index]?.text ?? text)
    : renderObject(entries, 1);
}

function readItem({key, text}: TextEntry, value: unknown): readonly [string, unknown] {
  if (typeof value === 'object' && value !== null) sources.set(value as Task, text);
  return [key, value];
}

function sourceOf(task: Task, former: Task | undefined): string {
  const known = sources.get(task);
  if (known !== undefined) return known;
  const old = former && sources.get(former);
  const text = old === undefined ? renderJson(task, 2) : rewriteJson(old, task, 2);
  sources.set(task, text);
  return text;
}
