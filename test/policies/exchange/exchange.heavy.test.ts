import {createHash} from 'node:crypto';
import {expect, test} from 'vitest';
import {mergeImport} from '../../../src/machines/policies/exchange/merge-import.ts';
import {readImport} from '../../../src/machines/policies/exchange/read-import.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {hugeSize, now, planOf, promptly} from '../../helpers/plans.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

test.each([
  {name: 'Markdown', head: [], row: () => '- [ ] Same title', file: 'x.md'},
  {name: 'CSV', head: ['id,title,deps'], row: (n: number) => `t${n},T,t${n + 1}`, file: 'x.csv'},
])(
  '$name of a hundred thousand rows is imported in seconds, and importing it again changes nothing',
  ({head, row, file}) => {
    const rows = Array.from({length: hugeSize}, (_, index) => row(index));
    const last = file === 'x.csv' ? [`t${hugeSize - 1},T,`] : [];
    const text = [...head, ...(last.length > 0 ? [...rows.slice(0, -1), ...last] : rows)].join('\n');
    const load = (into: Plan): Plan => {
      const {list} = readImport({text, name: file, digest});
      return mergeImport(into, 'tasks' in list ? list.tasks : [], {source: file, digest}, now).plan;
    };
    const first = promptly(() => load(planOf()), 20_000);
    expect(first.items.size).toBe(hugeSize);
    expect(promptly(() => load(first), 20_000)).toBe(first);
    const {list} = readImport({text: `${text}\n${row(hugeSize + 1)}`, name: file, digest});
    expect(list).toEqual({problems: [{at: 'file', message: 'it has more than 100000 tasks'}]});
  },
);
