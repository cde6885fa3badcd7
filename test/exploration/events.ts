import type {CheckpointAnswer} from '../../src/machines/policies/review/decisions.ts';
import {agentEvents} from './agent-behaviours.ts';
import {diskFull} from './blackbird-process.ts';
import {newMessage, revertTitles, settleMessages} from './history.ts';
import {agentOf, type Boundary, type PossibleEvent, type Simulation} from './simulation.ts';
import {diskAfterDeath} from './world.ts';

/**
 * Everything that can happen besides what Blackbird does by itself, in this order; the first possible one happens
 * without a deviation. A new event is one entry.
 */
const rules: ReadonlyArray<(simulation: Simulation, boundary: Boundary) => PossibleEvent[]> = [
  // Blackbird continues.
  ({blackbird}, {call}) => {
    if (call === null) return [];
    const apply = () => {
      blackbird.calls.shift();
      return call.perform();
    };
    return [{name: `does ${call.name}`, apply}];
  },
  (simulation, {call}) => (call === null ? decisions(simulation) : []),
  (simulation, boundary) =>
    mayAct(simulation, boundary) ? interleaved(simulation, boundary, agentEvents(simulation)) : [],
  (simulation, {call}) => (call === null ? checks(simulation) : []),
  timePasses,
  pauses,
  stops,
  triesNow,
  dies,
  (simulation, {call}) => {
    const {history} = simulation.world;
    if (
      !call ||
      !stores.test(call.name) ||
      !call.isWrite ||
      history.failures >= simulation.scenario.bounds.failures
    )
      return [];
    const apply = () => {
      history.failures += 1;
      simulation.blackbird.calls.shift();
      call.fail(diskFull());
    };
    return [{name: `the disk is full at ${call.name}`, apply}];
  },
  edits,
  (simulation, {call}) => {
    const {counters, scenario} = simulation;
    if (
      call !== null ||
      counters.secondInstances >= scenario.bounds.secondInstances ||
      agentOf(simulation) === null
    )
      return [];
    return [
      {
        name: 'another Blackbird starts, the lock file is gone',
        apply: () => startsSecondInstance(simulation),
      },
    ];
  },
];

/** Writes that a full disk fails. */
const stores = /^(runs|plans|jobs|feedback|drafts)\./;

export const eventsAt = (simulation: Simulation, boundary: Boundary): PossibleEvent[] =>
  rules.flatMap((rule) => rule(simulation, boundary));

/** While Blackbird writes, agents act at boundaries where a chart has changed, and not too often. */
function mayAct({hasTransitioned, counters, scenario}: Simulation, {call}: Boundary): boolean {
  return call === null || (hasTransitioned && counters.interleavings < scenario.bounds.interleavings);
}

function interleaved(
  {counters}: Simulation,
  {call}: Boundary,
  possible: readonly PossibleEvent[],
): PossibleEvent[] {
  if (call === null) return [...possible];
  return possible.map(({name, apply}) => ({
    name: `${name} before ${call.name}`,
    apply: () => {
      counters.interleavings += 1;
      return apply();
    },
  }));
}

/** Longer than any setting allows an agent to be silent. */
const longSilence = 86_400_000;

function timePasses({timers, world}: Simulation, {call}: Boundary): PossibleEvent[] {
  const due = timers.nextDue();
  if (call !== null || due === null) return [];
  const apply = () => {
    const passed = Math.max(0, due - world.clock.milliseconds);
    world.clock.milliseconds += passed;
    // An agent that prints nothing while time passes is silent for long.
    for (const [agent] of world.activityOf) agent.silence = longSilence;
    timers.fire(world.clock.milliseconds);
  };
  return [{name: 'time passes', apply}];
}

function pauses(
  {engine, counters, scenario, hasTransitioned}: Simulation,
  {call}: Boundary,
): PossibleEvent[] {
  if (counters.pauses >= scenario.bounds.pauses || !engine.isBusy() || (call !== null && !hasTransitioned))
    return [];
  const apply = () => {
    counters.pauses += 1;
    if (counters.agentsAtPause === null) counters.checksAtPause = counters.checks;
    counters.agentsAtPause ??= counters.agents;
    engine.pause('user_interrupt', 'key');
  };
  return [{name: call === null ? 'pause' : `pause before ${call.name}`, apply}];
}

function stops({engine, counters, scenario, hasTransitioned}: Simulation, {call}: Boundary): PossibleEvent[] {
  if (counters.stops >= scenario.bounds.stops || !engine.isBusy() || (call !== null && !hasTransitioned))
    return [];
  const apply = () => {
    counters.stops += 1;
    counters.agentsAtStop ??= counters.agents;
    engine.stopAfterTask();
  };
  return [{name: call === null ? 'stop after this task' : `stop before ${call.name}`, apply}];
}

function triesNow({engine, scenario, timers, world}: Simulation, {call}: Boundary): PossibleEvent[] {
  if (call !== null || !scenario.isPatient || timers.nextDue() === null) return [];
  const apply = () => {
    try {
      engine.retryNow();
      world.history.limitedUntil = 0;
    } catch {
      // Nothing is waited for.
    }
  };
  return [{name: 'try now', apply}];
}

/** Before every write, whenever it waits, and between the last write and the release of a process. */
function dies(simulation: Simulation, {call}: Boundary): PossibleEvent[] {
  const {blackbird, world, scenario} = simulation;
  const {history} = world;
  if (history.crashes >= scenario.bounds.crashes || (call !== null && !call.isWrite)) return [];
  const die = (hasGuardian: boolean) => {
    history.crashes += 1;
    blackbird.die({hasGuardian});
  };
  const place = call === null ? '' : ` before ${call.name}`;
  const death = (name: string, hasGuardian: boolean): PossibleEvent => ({
    name: `Blackbird dies${place}${name}`,
    apply: () => die(hasGuardian),
    diskAfter: () => diskAfterDeath(world, {hasGuardian}),
  });
  const isHeld = world.agents.alive().some(({hasGone}) => !hasGone);
  return [
    death('', true),
    ...(agentOf(simulation) === null ? [] : [death(', its agent stays alive', false)]),
    ...(call?.name.startsWith('runs.') && isHeld
      ? [
          {
            name: `Blackbird dies after ${call.name}`,
            apply: async () => {
              await call.performWithoutReply();
              die(true);
            },
          },
        ]
      : []),
  ];
}

function edits({world, scenario, hasTransitioned}: Simulation, {call}: Boundary): PossibleEvent[] {
  const {history, plans, runs} = world;
  if (history.edits >= scenario.bounds.edits || (call !== null && !hasTransitioned && !call.isWrite))
    return [];
  return [...plans.plan.items.values()]
    .filter(({childIds}) => childIds.length === 0)
    .map(({id}) => ({
      name: `somebody edits the title of ${id}`,
      apply: () => {
        history.edits += 1;
        history.titles[id] = `edited ${history.edits}`;
        const working = [...plans.plan.items.keys()]
          .flatMap(runs.records)
          .find(({state}) => state === 'running');
        history.titlesDuring[id] = working?.task_id ?? '';
        const task = plans.plan.items.get(id);
        if (!task) return;
        const updatedAt = new Date(world.clock.milliseconds).toISOString();
        const title = history.titles[id];
        plans.plan = {...plans.plan, items: new Map(plans.plan.items).set(id, {...task, title, updatedAt})};
      },
    }));
}

async function startsSecondInstance(simulation: Simulation): Promise<void> {
  simulation.counters.secondInstances += 1;
  const result = await simulation.runSecondInstance();
  if (result !== 'E_REPO_LOCKED') simulation.problems.push(`a second Blackbird was not refused: ${result}`);
}

/** The user's choices at a checkpoint; the first is the choice when nothing is wrong. */
function decisions(simulation: Simulation): PossibleEvent[] {
  const {engine, world, scenario, counters} = simulation;
  const {history} = world;
  return engine.openDecisions().flatMap(({run, task, obstacle}) => {
    const decide = (decision: CheckpointAnswer) => () => {
      history.decisions[run.run_id] = decision.state;
      if (decision.state !== 'changes_requested') settleMessages(history, task.id);
      if (decision.state === 'rejected') revertTitles(history, task.id);
      // Sending an agent back to work asks for one more.
      const isAgain = decision.state === 'changes_requested' || decision.state === 'retry';
      if (isAgain && counters.agentsAtStop !== null) counters.agentsAtStop = counters.agents;
      engine.decide({runId: run.run_id, decision});
    };
    const changes = () => {
      const {token} = newMessage(history, task.id);
      decide({state: 'changes_requested', feedback: token})();
    };
    const mayRunAgain = world.runs.records(task.id).length < scenario.bounds.attempts;
    const mayChange = obstacle === null && mayRunAgain && history.messages.length < scenario.bounds.messages;
    return [
      {name: `approve ${run.run_id} and go on`, apply: decide({state: 'approved_continue'})},
      {name: `approve ${run.run_id} and quit`, apply: decide({state: 'approved_quit'})},
      ...(mayChange ? [{name: `request changes to ${run.run_id}`, apply: changes}] : []),
      {name: `reject ${run.run_id}`, apply: decide({state: 'rejected'})},
      ...(mayRunAgain ? [{name: `try ${run.run_id} again`, apply: decide({state: 'retry'})}] : []),
      {name: `leave ${run.run_id} open`, apply: () => engine.postpone(run.run_id)},
    ];
  });
}

/** How a running check can end; a hang is time passing. */
function checks({world, blackbird}: Simulation): PossibleEvent[] {
  const check = blackbird.isDead() ? undefined : world.checks.alive().find(({hasGone}) => hasGone);
  if (!check) return [];
  const activity = world.history.activities.findLast(({runId}) => runId === check.runId);
  return [
    {
      name: `check "${check.command}" passes`,
      apply: () => {
        activity?.passed.push(check.command);
        check.passes();
      },
    },
    {name: `check "${check.command}" fails`, apply: () => check.fails()},
    {
      name: `check "${check.command}" is killed`,
      apply: () => check.exits({exitCode: null, signal: 'SIGKILL'}),
    },
  ];
}
