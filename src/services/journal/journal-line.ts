import type {JournalLine} from '../contracts/journal.ts';

const kinds: ReadonlySet<unknown> = new Set(['started', 'standing', 'event', 'done', 'error', 'stopped']);
const statuses: ReadonlySet<unknown> = new Set(['active', 'done', 'error', 'stopped']);

/** Checked by hand: a journal has many lines, and a file from someone else is not trusted. */
export function isJournalLine(value: unknown): value is JournalLine {
  if (!isObject(value)) return false;
  if (value.kind === 'truncated') return typeof value.bytes === 'number';
  if (value.kind === 'header') {
    return (
      typeof value.format === 'number' && areTexts(value.blackbird, value.at, value.run_id, value.task_id)
    );
  }
  return (
    kinds.has(value.kind) &&
    statuses.has(value.status) &&
    typeof value.seq === 'number' &&
    areTexts(value.at, value.actor, value.machine) &&
    (value.parent === null || typeof value.parent === 'string') &&
    isObject(value.event) &&
    typeof value.event.type === 'string' &&
    value.state !== undefined &&
    Array.isArray(value.transitions) &&
    value.transitions.every(isTransition) &&
    (value.context === undefined || isObject(value.context))
  );
}

const isTransition = (value: unknown): boolean =>
  isObject(value) &&
  areTexts(value.source, value.event) &&
  typeof value.index === 'number' &&
  (value.target === null || typeof value.target === 'string');

const areTexts = (...values: readonly unknown[]) => values.every((value) => typeof value === 'string');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
