import {AppError, type ErrorCode} from '../../../services/contracts/errors.ts';
import type {JournalValue} from '../../../services/contracts/journal.ts';

/** Fields whose text machines decide on; any other text becomes its length. */
const kept = new Set(
  [
    'type id actorId state status outcome kind phase mode reason owner pauseReason pause_reason',
    'provider provider_dialect dialect',
    'explicitProvider run_type access code name signal ref sessionRef provider_session_ref digest decision',
    'whose what setting',
  ].flatMap((names) => names.split(' ')),
);
const keptEnding = /(?:_ids?|Ids?|_at|At|_state|State|_tree|_signature|_ref|Version|_version)$/;

/** Matches ids, states and times, but no sentence, path or blob. */
const wordForm = /^[\w.:@+~-]{1,200}$/;
const placeholderForm = /^<\d+ chars>$/;

const longList = 20;
const endOfList = 5;
const deepest = 16;
const mostFields = 200;

/**
 * A value that is safe to keep: no prompts, no output, nothing a person wrote. Lengths, numbers, ids and types stay, so
 * that machines replay exactly as they ran.
 */
export function redact(value: unknown, field = '', depth = 0): JournalValue | undefined {
  switch (typeof value) {
    case 'string':
      return redactText(value, field);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : redactObject(value, field, depth);
    default:
      return undefined;
  }
}

const keptFields = new Map<string, boolean>();

function isKept(field: string): boolean {
  const known = keptFields.get(field);
  if (known !== undefined) return known;
  const is = kept.has(field) || (keptEnding.test(field) && !/^boot_?id$/i.test(field));
  // There are few fields, unless someone invents them.
  if (keptFields.size < 1_000) keptFields.set(field, is);
  return is;
}

function redactText(text: string, field: string): string {
  if (isKept(field) && wordForm.test(text)) return text;
  return placeholderFor(text);
}

/** Whitespace is kept, because it counts as empty; a placeholder is left as it is. */
export function placeholderFor(text: string): string {
  if (text.trim() === '') return text.slice(0, 1);
  return placeholderForm.test(text) ? text : `<${text.length} chars>`;
}

function redactObject(value: object, field: string, depth: number): JournalValue {
  if (depth >= deepest) return {$cut: 'depth'};
  if (Array.isArray(value)) return redactList(value, field, depth);
  if (value instanceof Error) return redactError(value);
  if (value instanceof Map) return {$map: redactList([...value], field, depth)};
  if (value instanceof Set) return {$set: redactList([...value], field, depth)};
  // An actor in a context: a live object that refers to the whole system.
  if ('sessionId' in value && 'getSnapshot' in value) return {$actor: true};
  if (!('run_id' in value)) return redactFields(value, depth);
  const known = records.get(value);
  if (known) return known;
  const record = redactFields(value, depth, recordOnly);
  records.set(value, record);
  return record;
}

/** The run record is stored beside its journal: fields that no machine decides on are left out. */
const recordOnly = new Set(
  'schema_version repo_root stdout stderr context result baseline_tree result_tree review_summary side_effects owner usage'.split(
    ' ',
  ),
);
const records = new WeakMap<object, JournalValue>();

/** A whole record, for readers who do not have it. */
export function redactRecord(run: object): {readonly [key: string]: JournalValue} {
  return redactFields(run, 0) as {readonly [key: string]: JournalValue};
}

function redactFields(value: object, depth: number, leftOut?: ReadonlySet<string>): JournalValue {
  const fields: Record<string, JournalValue> = {};
  let count = 0;
  for (const name of Object.keys(value)) {
    if (leftOut?.has(name)) continue;
    if (++count > mostFields) break;
    const field = redact((value as Record<string, unknown>)[name], name, depth + 1);
    if (field === undefined) continue;
    // Defined, not assigned: `__proto__` is a field like any other.
    if (name === '__proto__') Object.defineProperty(fields, name, {value: field, enumerable: true});
    else fields[name] = field;
  }
  return fields;
}

/** A long list becomes its length and its end: a plan of thousands must not be copied into every journal. */
function redactList(list: readonly unknown[], field: string, depth: number): JournalValue {
  const each = (value: unknown) => redact(value, field, depth + 1) ?? null;
  if (list.length <= longList) return list.map(each);
  return {$list: list.length, last: list.slice(-endOfList).map(each)};
}

function redactError(error: Error): JournalValue {
  const message = placeholderFor(error.message);
  return error instanceof AppError
    ? {$error: 'AppError', code: error.code, message}
    : {$error: wordForm.test(error.name) ? error.name : 'Error', message};
}

/** The value used in replay for a redacted one: the same type, without the text. */
export function restore(value: JournalValue | undefined, room: Room = {left: mostRestored}): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => restore(each, room));
  const fields = value as {readonly [key: string]: JournalValue};
  if (typeof fields.$error === 'string') return restoreError(fields);
  if (typeof fields.$list === 'number') return restoreList(fields.$list, fields.last, room);
  if (fields.$map !== undefined) return new Map(listOf(fields.$map, room) as Array<[unknown, unknown]>);
  if (fields.$set !== undefined) return new Set(listOf(fields.$set, room));
  const restored: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    Object.defineProperty(restored, name, {
      value: restore(field, room),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return restored;
}

/** A forged journal must not exhaust memory, with one long list or with many. */
type Room = {left: number};
const mostRestored = 1_000_000;

const listOf = (value: JournalValue, room: Room): unknown[] => {
  const list = restore(value, room);
  return Array.isArray(list) ? list.filter((each) => each !== null) : [];
};

function restoreList(length: number, last: JournalValue | undefined, room: Room): unknown[] {
  const end = Array.isArray(last) ? last.map((each) => restore(each, room)) : [];
  const missing = Math.min(Math.max(0, Math.trunc(length) - end.length), room.left);
  room.left -= missing;
  // Fills the gap with values of the right type.
  return [...Array.from({length: missing}, () => end[0] ?? null), ...end];
}

function restoreError({$error, code, message}: {readonly [key: string]: JournalValue}): Error {
  const text = typeof message === 'string' ? message : '';
  if ($error === 'AppError') return new AppError(code as ErrorCode, text);
  return Object.assign(new Error(text), {name: String($error)});
}
