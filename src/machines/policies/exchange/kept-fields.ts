import type {Task} from '../../../services/contracts/plan.ts';
import {displayLine} from '../text/display-text.ts';

/** A field that was changed both here and in the list: ours is kept. */
export type KeptField = {
  readonly id: string;
  /** Its position in the list: `row 3`. */
  readonly at: string;
  readonly field: string;
  readonly here: unknown;
  readonly list: unknown;
};

/** Whether a field still has the value of the last import; a field the list never had was empty. */
export function isAsImported(
  value: unknown,
  before: string | undefined,
  digestOf: (value: unknown) => string,
) {
  if (!isEmpty(value)) return before === digestOf(value);
  return before === undefined || [undefined, ...empties].some((empty) => digestOf(empty) === before);
}

/** Missing, null, empty text and empty list are equivalent. */
export const isSameField = (one: unknown, other: unknown): boolean =>
  (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other);

const empties: readonly unknown[] = [null, '', []];
const isEmpty = (value: unknown) =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0);

export const fieldOf = (task: Task, name: string): unknown =>
  (task as Readonly<Record<string, unknown>>)[name];

/** Limits on the fields shown and the length of each: the plan and the list have the rest. */
const [fieldLimit, textLimit] = [50, 200];

export function keptLines(kept: readonly KeptField[]): string[] {
  const left = kept.length - fieldLimit;
  return [
    ...kept
      .slice(0, fieldLimit)
      .flatMap(({id, at, field, here, list}) => [
        `= ${displayLine(id)}  ${field} was changed here and in the list (${displayLine(at)}): yours is kept`,
        `      here  ${valueText(here)}`,
        `      list  ${valueText(list)}`,
      ]),
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ];
}

function valueText(value: unknown): string {
  if (isEmpty(value)) return 'nothing';
  const characters = [...displayLine(Array.isArray(value) ? value.join('; ') : String(value))];
  return characters.length > textLimit ? `${characters.slice(0, textLimit).join('')}…` : characters.join('');
}
