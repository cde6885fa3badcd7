import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Chart} from '../../../src/machines/policies/inspect/chart.ts';
import {neighbourhoodCamera, panned, seenBox, zoomed} from '../../../src/ui/inspector/chart-camera.ts';
import type {LaidOutChart} from '../../../src/ui/inspector/chart-layout.ts';
import {changesBetween} from '../../../src/ui/inspector/value-changes.ts';

test('zooming keeps the point under the pointer in place', () => {
  const room = {width: 400, height: 200};
  const camera = {x: 100, y: 50, scale: 1};
  const pointAt = (each: typeof camera) => {
    const seen = seenBox(each, room);
    return {x: seen.x + (200 + 60) / each.scale, y: seen.y + (100 - 40) / each.scale};
  };
  const near = zoomed(camera, 2, {x: 60, y: -40});
  expect(near.scale).toBe(2);
  expect(pointAt(near)).toEqual(pointAt(camera));
  expect(zoomed(camera, 1000).scale).toBe(4);
  expect(zoomed(camera, 1 / 1000).scale).toBe(0.2);
});

test('of a chart that is too large, the neighbourhood of the active state fills the space', () => {
  const chart = {id: 'm', root: {id: 'm', states: []}, transitions: []} as unknown as Chart;
  const states = new Map([['m.last', {states: []}]]);
  const last = {id: 'm.last', x: 900, y: 940, width: 80, height: 40};
  const elk = {id: 'm', width: 1000, height: 1000, children: [last], edges: []};
  const laidOut = {elk, states, width: 1000, height: 1000} as unknown as LaidOutChart;
  const highlight = {active: new Set(['m.last']), taken: new Set<string>()};
  const room = {width: 440, height: 220};
  const seen = seenBox(neighbourhoodCamera(chart, laidOut, highlight, room), room);
  // In the corner, with no more than a margin beside the drawing.
  expect([seen.x + seen.width, seen.y + seen.height]).toEqual([1014, 1014]);
  expect(room.width / seen.width).toBeCloseTo(1.1);
});

test('a drawing is never moved completely out of view', () => {
  const size = {width: 300, height: 300};
  expect(panned({x: 10, y: 290, scale: 2}, {x: -100, y: 100}, size)).toEqual({x: 0, y: 300, scale: 2});
  expect(panned({x: 100, y: 100, scale: 2}, {x: 50, y: -50}, size)).toEqual({x: 125, y: 75, scale: 2});
});

test('a change in a context is shown by its deepest fields', () => {
  expect(changesBetween({a: {b: 1, c: [1]}, d: 1}, {a: {b: 2, c: [1]}, e: null})).toEqual([
    {path: 'a.b', before: 1, after: 2},
    {path: 'd', before: 1, after: undefined},
    {path: 'e', before: undefined, after: null},
  ]);
  expect(changesBetween({a: 1}, {a: 1})).toEqual([]);
});

test('text in charts is at least 11 units high, so that a scale of 1 is readable', () => {
  const style = readFileSync(
    new URL('../../../src/ui/inspector/style/machines.css', import.meta.url),
    'utf8',
  );
  expect(/\.chart-drawing text \{[^}]*font-size: (\d+)px/.exec(style)?.[1]).toBe('11');
});
