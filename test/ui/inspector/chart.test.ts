import {describe, expect, test} from 'vitest';
import {fromPromise, setup} from 'xstate';
import {machines} from '../../../src/machines/machines.ts';
import {chartOf} from '../../../src/machines/policies/inspect/chart.ts';
import {type ChartGraph, chartGraph, dotId, type ElkNode} from '../../../src/ui/inspector/chart-graph.ts';
import {activeStates, takenTransitions} from '../../../src/ui/inspector/chart-state.ts';
import {eventName, stateName} from '../../../src/ui/inspector/event-name.ts';
import {entry} from '../../fakes/journal-entries.ts';

const door = chartOf(
  setup({
    actors: {clock: fromPromise(async () => {})},
    actions: {ring: () => {}},
    guards: {isLocked: () => true},
  }).createMachine({
    id: 'door',
    on: {'door.fall': '.gone', 'door.knock': {actions: 'ring'}},
    initial: 'shut',
    states: {
      shut: {
        invoke: {id: 'wait', src: 'clock', onDone: 'open'},
        always: {guard: 'isLocked', target: 'gone'},
        on: {'door.open': 'open'},
      },
      open: {
        type: 'parallel',
        tags: 'wide',
        states: {left: {initial: 'a', states: {a: {on: {'door.swing': 'b'}}, b: {}}}, right: {}},
        on: {'door.shut': 'shut'},
      },
      gone: {type: 'final'},
    },
  }),
);
const graph = chartGraph(door, (text) => text.length * 10, 'DOWN', 'DEPTH_FIRST');

describe('a chart for ELK', () => {
  test('has an edge for each pair of states, with all transitions on it', () => {
    const edges = graph.elk.edges?.map(({id}) => [id, graph.labels.get(id)?.map(({text}) => text) ?? []]);
    expect(edges).toEqual([
      ['initial door', []],
      ['initial door.open.left', []],
      ['door.shut door.gone', ['[isLocked]']],
      ['door.shut door.open', ['door.open', 'done']],
      ['door.open door.shut', ['door.shut']],
      ['door.open.left.a door.open.left.b', ['door.swing']],
    ]);
  });

  test('writes transitions to no other state into the boxes, and what runs there', () => {
    const written = [...graph.lines].flatMap(([id, lines]) => lines.map(({text}) => `${id}: ${text}`));
    expect(written).toEqual([
      'door: door.fall → gone',
      'door: door.knock / ring',
      'door.shut: ⚙ clock as wait',
      'door.open: #wide',
    ]);
  });

  test('has nested states, each with space for its text', () => {
    expect(outline(graph.elk.children?.[0])).toEqual([
      'door',
      `  ${dotId('door')}`,
      '  door.shut 170 x 55',
      '  door.open',
      '    door.open.left',
      `      ${dotId('door.open.left')}`,
      '      door.open.left.a 44 x 40',
      '      door.open.left.b 44 x 40',
      '    door.open.right 84 x 40',
      '  door.gone 74 x 40',
    ]);
  });

  test.each(machines)('of $name shows every transition exactly once', ({machine}) => {
    const chart = chartOf(machine);
    const {lines, labels}: ChartGraph = chartGraph(chart, () => 10, 'RIGHT', 'GREEDY');
    const shown = [...lines.values(), ...labels.values()].flat().flatMap(({transition}) => transition ?? []);
    expect(shown.sort()).toEqual(chart.transitions.map(({id}) => id).sort());
  });
});

test.each<{value: unknown; active: string[]; name: string}>([
  {value: 'shut', active: ['door', 'door.shut'], name: 'shut'},
  {
    value: {open: {left: 'b', right: {}}},
    active: ['door', 'door.open', 'door.open.left', 'door.open.left.b', 'door.open.right'],
    name: 'open.left.b + right',
  },
  {value: 'unknown', active: ['door'], name: 'unknown'},
  {value: null, active: ['door'], name: ''},
])('the state $value is $active', ({value, active, name}) => {
  expect([...activeStates(door, value)]).toEqual(active);
  expect(stateName(value)).toBe(name);
});

test('the transitions of an entry are identified by the ids of the chart', () => {
  const transitions = [
    {source: 'door.shut', event: 'door.open', index: 0, target: 'door.open'},
    {source: 'door.shut', event: '', index: 0, target: null},
  ];
  const ids = [...takenTransitions(entry({transitions}))];
  expect(ids).toEqual(['door.shut|door.open|0', 'door.shut||0']);
  expect(door.transitions.map(({id}) => id)).toEqual(expect.arrayContaining(ids));
});

test.each([
  ['xstate.init', 'start'],
  ['xstate.done.actor.recordRun', 'done(recordRun)'],
  ['xstate.error.actor.agent', 'error(agent)'],
  ['xstate.after.graceWindow.segment.interrupting', 'after(graceWindow)'],
  ['run.pause', 'run.pause'],
])('the event %s is called %s', (type, name) => {
  expect(eventName(type)).toBe(name);
});

function outline(node: ElkNode | undefined, indent = ''): string[] {
  if (!node) return [];
  const size = node.children || node.id.endsWith(' dot') ? '' : ` ${node.width} x ${node.height}`;
  return [
    `${indent}${node.id}${size}`,
    ...(node.children ?? []).flatMap((child) => outline(child, `${indent}  `)),
  ];
}

test.each([
  {value: {working: {wish: 'none', work: 'releasing'}}, name: 'releasing'},
  {value: {working: {wish: 'pausing', work: 'releasing'}}, name: 'releasing (pausing)'},
])('the work of a machine that can be asked to stop is named by its state: $name', ({value, name}) => {
  expect(stateName(value)).toBe(name);
});
