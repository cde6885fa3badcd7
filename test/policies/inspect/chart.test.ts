import {readdirSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {assign, fromPromise, not, setup} from 'xstate';
import {machines} from '../../../src/machines/machines.ts';
import {
  type ChartTransition,
  chartOf,
  definitionOf,
  statesOf,
} from '../../../src/machines/policies/inspect/chart.ts';
import {
  asciiChart,
  chartSize,
  mermaidChart,
  stateRows,
} from '../../../src/machines/policies/inspect/chart-text.ts';
import {describedStates} from '../../../src/machines/state-descriptions.ts';

/** One of everything a definition can have. */
const kettle = setup({
  types: {context: {} as {litres: number}, tags: {} as 'hot'},
  actors: {pour: fromPromise(async () => 1)},
  actions: {ring: () => {}, light: () => {}},
  guards: {isFull: () => true, holds: (_, _params: {litres: number}) => true},
  delays: {cooling: 5},
}).createMachine({
  id: 'kettle',
  context: {litres: 0},
  on: {
    'kettle.drop': '.broken',
    'kettle.fill': {actions: assign({litres: 1})},
  },
  initial: 'filling',
  states: {
    filling: {
      invoke: {
        id: 'pourWater',
        src: 'pour',
        onDone: [{guard: 'isFull', target: 'boiling'}, {actions: 'ring'}],
        onError: 'broken',
      },
    },
    boiling: {
      type: 'parallel',
      tags: 'hot',
      entry: 'light',
      exit: ['ring', 'light'],
      onDone: 'hot',
      states: {
        water: {initial: 'cold', states: {cold: {on: {'water.boiled': 'done'}}, done: {type: 'final'}}},
        lid: {initial: 'shut', states: {shut: {on: {'lid.opened': 'done'}}, done: {type: 'final'}}},
      },
    },
    hot: {
      always: {guard: {type: 'holds', params: {litres: 2}}, target: 'broken'},
      on: {'kettle.lift': {guard: () => true, target: 'filling', actions: [() => {}, 'ring']}},
      after: {cooling: {guard: not('isFull'), target: 'filling'}},
    },
    broken: {type: 'final'},
  },
});

describe('a chart', () => {
  test('has every state with its details', () => {
    const plain = {description: '', initial: null, tags: [], entry: [], exit: [], invokes: [], states: []};
    const region = (key: string, first: string) => ({
      ...plain,
      id: `kettle.boiling.${key}`,
      key,
      type: 'compound',
      initial: `kettle.boiling.${key}.${first}`,
      states: [
        {...plain, id: `kettle.boiling.${key}.${first}`, key: first, type: 'atomic'},
        {...plain, id: `kettle.boiling.${key}.done`, key: 'done', type: 'final'},
      ],
    });
    expect(chartOf(kettle).root).toEqual({
      ...plain,
      id: 'kettle',
      key: 'kettle',
      type: 'compound',
      initial: 'kettle.filling',
      states: [
        {
          ...plain,
          id: 'kettle.filling',
          key: 'filling',
          type: 'atomic',
          invokes: [{id: 'pourWater', src: 'pour'}],
        },
        {
          ...plain,
          id: 'kettle.boiling',
          key: 'boiling',
          type: 'parallel',
          tags: ['hot'],
          entry: ['light'],
          exit: ['ring', 'light'],
          states: [region('water', 'cold'), region('lid', 'shut')],
        },
        {...plain, id: 'kettle.hot', key: 'hot', type: 'atomic'},
        {...plain, id: 'kettle.broken', key: 'broken', type: 'final'},
      ],
    });
  });

  test('has every transition with trigger, guard, actions and targets', () => {
    const {transitions} = chartOf(kettle);
    const short = ({id, trigger, guard, actions, targets}: ChartTransition) =>
      [id, `${trigger.type} ${trigger.name}`, guard, actions, targets] as const;
    expect(transitions.map(short)).toEqual([
      ['kettle|kettle.drop|0', 'event kettle.drop', null, [], ['kettle.broken']],
      ['kettle|kettle.fill|0', 'event kettle.fill', null, ['assign(litres)'], []],
      ['kettle.filling|xstate.done.actor.pourWater|0', 'done pourWater', 'isFull', [], ['kettle.boiling']],
      ['kettle.filling|xstate.done.actor.pourWater|1', 'done pourWater', null, ['ring'], []],
      ['kettle.filling|xstate.error.actor.pourWater|0', 'error pourWater', null, [], ['kettle.broken']],
      ['kettle.boiling|xstate.done.state.kettle.boiling|0', 'done boiling', null, [], ['kettle.hot']],
      [
        'kettle.boiling.water.cold|water.boiled|0',
        'event water.boiled',
        null,
        [],
        ['kettle.boiling.water.done'],
      ],
      ['kettle.boiling.lid.shut|lid.opened|0', 'event lid.opened', null, [], ['kettle.boiling.lid.done']],
      ['kettle.hot||0', 'always ', 'holds(2)', [], ['kettle.broken']],
      ['kettle.hot|kettle.lift|0', 'event kettle.lift', 'condition', ['action', 'ring'], ['kettle.filling']],
      ['kettle.hot|xstate.after.cooling.kettle.hot|0', 'after cooling', 'not isFull', [], ['kettle.filling']],
    ]);
    expect(chartSize(chartOf(kettle))).toEqual({states: 10, transitions: 11});
  });

  test('is plain data', () => {
    const chart = chartOf(kettle);
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
  });

  test('exports the definition that other tools read: states in order, functions by name', () => {
    const {id, on, initial, states} = JSON.parse(definitionOf(kettle));
    expect({id, initial, names: Object.keys(states)}).toEqual({
      id: 'kettle',
      initial: 'filling',
      names: ['filling', 'boiling', 'hot', 'broken'],
    });
    expect(on['kettle.fill']).toEqual({actions: {type: 'assign(litres)'}});
    expect(states.hot.on['kettle.lift']).toEqual({
      guard: {type: 'guard'},
      target: 'filling',
      actions: [{type: ''}, 'ring'],
    });
  });

  test('as text for a terminal', () => {
    expect(asciiChart(chartOf(kettle))).toBe(
      `
kettle
|    kettle.drop -> broken
|    kettle.fill / assign(litres)
+-> filling
|       invoke pour as pourWater
|       done(pourWater) [isFull] -> boiling
|       done(pourWater) / ring
|       error(pourWater) -> broken
+-- boiling  (parallel)  #hot
|  |    entry / light
|  |    exit / ring, light
|  |    done(boiling) -> hot
|  +-- water
|  |  +-> cold
|  |  |       water.boiled -> boiling.water.done
|  |  +-- done  (final)
|  +-- lid
|     +-> shut
|     |       lid.opened -> boiling.lid.done
|     +-- done  (final)
+-- hot
|       always [holds(2)] -> broken
|       kettle.lift [condition] -> filling / action, ring
|       after(cooling) [not isFull] -> filling
+-- broken  (final)`.slice(1),
    );
  });

  test('as a Mermaid diagram', () => {
    expect(mermaidChart(chartOf(kettle))).toBe(
      `
stateDiagram-v2
  [*] --> filling
  state "boiling" as boiling {
    state "water" as boiling_water {
      [*] --> boiling_water_cold
      state "cold" as boiling_water_cold
      state "done" as boiling_water_done
      boiling_water_done --> [*]
    }
    --
    state "lid" as boiling_lid {
      [*] --> boiling_lid_shut
      state "shut" as boiling_lid_shut
      state "done" as boiling_lid_done
      boiling_lid_done --> [*]
    }
  }
  broken --> [*]
  note right of broken : from every state kettle.drop
  filling --> boiling : done(pourWater) [isFull]
  filling --> broken : error(pourWater)
  boiling --> hot : done(boiling)
  boiling_water_cold --> boiling_water_done : water.boiled
  boiling_lid_shut --> boiling_lid_done : lid.opened
  hot --> broken : always [holds(2)]
  hot --> filling : kettle.lift [condition]<br/>after(cooling) [not isFull]`.slice(1),
    );
  });

  test('regions of the machine itself are drawn inside a state with its name', () => {
    const lamp = setup({}).createMachine({
      id: 'lamp',
      type: 'parallel',
      states: {
        power: {initial: 'off', states: {off: {on: {'lamp.press': 'on'}}, on: {}}},
        colour: {initial: 'white', states: {white: {}}},
      },
    });
    expect(mermaidChart(chartOf(lamp)).split('\n')).toEqual([
      'stateDiagram-v2',
      '  state "lamp" as lamp {',
      '    state "power" as power {',
      '      [*] --> power_off',
      '      state "off" as power_off',
      '      state "on" as power_on',
      '    }',
      '    --',
      '    state "colour" as colour {',
      '      [*] --> colour_white',
      '      state "white" as colour_white',
      '    }',
      '  }',
      '  power_off --> power_on : lamp.press',
    ]);
  });
});

describe('the list of machines', () => {
  test('has one for every machine file', () => {
    const files = readdirSync(path.resolve(import.meta.dirname, '../../../src/machines'));
    const names = files.flatMap((file) => /^(.+)\.machine\.ts$/.exec(file)?.[1] ?? []);
    const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(machines.map(({name}) => name).sort()).toEqual(names.map(camelCase).sort());
  });

  test.each(machines)('$name can be drawn', ({machine}) => {
    const chart = chartOf(machine);
    const ids = new Set(statesOf(chart.root).map(({id}) => id));
    const {transitions} = chart;
    expect(
      transitions.flatMap(({source, targets}) => [source, ...targets]).filter((id) => !ids.has(id)),
    ).toEqual([]);
    expect(new Set(transitions.map(({id}) => id)).size).toBe(transitions.length);
    expect(asciiChart(chart)).toMatch(/^[\n -~]+$/);
  });

  // To fix a failure, edit src/machines/descriptions.
  test.each(machines)('every state of $name has a description, and nothing else does', ({name, machine}) => {
    const rows = stateRows(chartOf(machine));
    expect(rows.filter(([, meaning]) => meaning === '')).toEqual([]);
    expect(rows.map(([state]) => state).sort()).toEqual([...describedStates(name)].sort());
  });
});

test('a state with its own id is drawn under that id, in its place', () => {
  const lamp = setup({}).createMachine({
    id: 'lamp',
    initial: 'on',
    states: {
      on: {
        initial: 'dim',
        states: {dim: {on: {press: '#bright'}}, bright: {id: 'bright', on: {press: '#off'}}},
      },
      off: {id: 'off', type: 'final'},
    },
  });
  expect(mermaidChart(chartOf(lamp))).toBe(`stateDiagram-v2
  [*] --> on
  state "on" as on {
    [*] --> on_dim
    state "dim" as on_dim
    bright
  }
  off --> [*]
  on_dim --> bright : press
  bright --> off : press`);
});
