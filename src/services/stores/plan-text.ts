import type {Plan, Task} from '../contracts/plan.ts';
import type {RawPlan} from '../contracts/stores.ts';
import {objectEntries, renderJson, renderObject, rewriteJson, type TextEntry} from './json-text.ts';

/**
 * The text each task was read from or written as. Tasks are immutable, so a task that is still the
 * same object keeps its bytes, and a write costs what changed and not what the plan holds.
 */
const sources = new WeakMap<Task, string>();

/** The JSON of a plan file with its items in the order of the text. */
export function readPlanText(json: unknown, text: string): RawPlan {
  const {items, ...root} = json as Record<string, unknown>;
  if (typeof items !== 'object' || items === null || Array.isArray(items)) return {root, items: null};
  // Of a key that stands twice JSON.parse keeps the last, so the last text is the right one.
  const itemsText = objectEntries(text).findLast(({key}) => key === 'items')?.text ?? '{}';
  const values = items as Record<string, unknown>;
  return {root, items: objectEntries(itemsText).map((entry) => readItem(entry, values[entry.key]))};
}

/** The text of `plan`; what it shares with `before` keeps the bytes it has in `previous`. */
export function writePlanText(plan: Plan, previous: string | null, before: Plan | null): string {
  const {items, ...fields} = plan;
  const itemsText = renderObject(itemEntries(items, before), 1);
  if (previous === null) {
    const head = Object.entries(fields).map(([key, value]): TextEntry => ({key, text: renderJson(value, 1)}));
    return `${renderObject([...head, {key: 'items', text: itemsText}], 0)}\n`;
  }
  const known = new Map<string, unknown>(Object.entries(fields));
  const root = objectEntries(previous).map(({key, text}): TextEntry => {
    if (key === 'items') return {key, text: itemsText};
    return {key, text: rewriteJson(text, known.get(key), 1)};
  });
  return `${renderObject(root, 0)}\n`;
}

function readItem({key, text}: TextEntry, value: unknown): readonly [string, unknown] {
  if (typeof value === 'object' && value !== null) sources.set(value as Task, text);
  return [key, value];
}

function* itemEntries(items: Plan['items'], before: Plan | null): Generator<TextEntry> {
  for (const [key, task] of items) yield {key, text: sourceOf(task, before?.items.get(key))};
}

function sourceOf(task: Task, former: Task | undefined): string {
  const known = sources.get(task);
  if (known !== undefined) return known;
  const old = former && sources.get(former);
  const text = old === undefined ? renderJson(task, 2) : rewriteJson(old, task, 2);
  sources.set(task, text);
  return text;
}
