import {expect, test} from 'vitest';
import type {Line} from '../../../src/ui/components/lines.tsx';
import {visible} from '../../../src/ui/screens/plan-screen.tsx';

const lines = (count: number): Line[] => Array.from({length: count}, (_, index) => [{text: `${index + 1}`}]);

test.each([
  {
    name: 'fewer lines than rows are all visible at the end',
    count: 7,
    top: null,
    seen: '1 2 3 4 5 6 7',
    place: '',
  },
  {name: 'as many as rows', count: 10, top: null, seen: '1 2 3 4 5 6 7 8 9 10', place: ''},
  {name: 'one more: the first is above', count: 11, top: null, seen: '2 3 4 5 6 7 8 9 10 11', place: ''},
  {name: 'none', count: 0, top: null, seen: '', place: ''},
  {name: 'from a line on', count: 12, top: 1, seen: '2 3 4 5 6 7 8 9 10 11', place: '2–11 of 12'},
])('$name', ({count, top, seen, place}) => {
  const all = lines(count);
  const head: Line[] = [[{text: 'head'}]];
  const content = {head, length: count, slice: (from: number, to: number) => all.slice(from, to)};
  const shown = visible(content, top, 11);
  const [first, ...rest] = shown.lines.map((line) => line.map(({text}) => text).join(''));
  expect({first, rest: rest.join(' '), place: shown.place}).toEqual({first: 'head', rest: seen, place});
});
