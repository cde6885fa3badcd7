import type {JournalValue} from '../../services/contracts/journal.ts';

/** One changed field. `undefined` means that it did not exist. */
export type Change = {
  readonly path: string;
  readonly before: JournalValue | undefined;
  readonly after: JournalValue | undefined;
};

const most = 200;

/** Every field that differs, leaves only. */
export function changesBetween(before: JournalValue | undefined, after: JournalValue | undefined): Change[] {
  const changes: Change[] = [];
  const walk = (path: string, one: JournalValue | undefined, other: JournalValue | undefined) => {
    if (changes.length >= most || one === other) return;
    if (!isBranch(one) || !isBranch(other)) {
      if (JSON.stringify(one) !== JSON.stringify(other)) changes.push({path, before: one, after: other});
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      walk(path === '' ? name : `${path}.${name}`, one[name], other[name]);
    }
  };
  walk('', before, after);
  return changes;
}

const isBranch = (value: JournalValue | undefined): value is {readonly [key: string]: JournalValue} =>
  typeof value === 'object' && value !== null;
