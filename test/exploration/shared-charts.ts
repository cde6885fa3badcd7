import {StateMachine} from 'xstate';

type Implementations = Record<'actions' | 'guards' | 'actors' | 'delays', Record<string, unknown>>;
type Machine = {implementations: Implementations};

/**
 * XState builds the whole chart again for every `provide`, which costs more than a walk. Here a machine with other
 * implementations shares the chart of its original. Only for the thread of an exploration.
 */
export function shareCharts(): void {
  const prototype = StateMachine.prototype as unknown as Record<string, unknown>;
  prototype.provide = function (this: Machine, given: Partial<Implementations>) {
    const own = this.implementations;
    const machine = Object.create(this);
    machine.implementations = {
      actions: {...own.actions, ...given.actions},
      guards: {...own.guards, ...given.guards},
      actors: {...own.actors, ...given.actors},
      delays: {...own.delays, ...given.delays},
    };
    // The constructor binds these to the machine that was built.
    for (const [name, {value}] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (typeof value === 'function' && name !== 'constructor') machine[name] = value.bind(machine);
    return machine;
  };
}
