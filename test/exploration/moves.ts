import type {CheckpointAnswer} from '../../src/machines/policies/review/decisions.ts';
import {agentMoves} from './agent-acts.ts';
import {newWord, settleWords, takeBackTitles} from './history.ts';
import {diskFull} from './life.ts';
import {agentOf, type Move, type Point, type Scene} from './scene.ts';
import {diskAfterDeath} from './world.ts';

/**
 * Everything that can happen besides what Blackbird does by itself, in this order; the first possible one happens
 * without a deviation. A new event is one entry. ⏎ */
const rules: ReadonlyArray<(scene: Scene, point: Point) => Move[]> = [
  // Blackbird continues.
  ({life}, {call}) => {
    if (call === null) return [];
    const act = () => {
      life.calls.shift();
      return call.perform();
    };
    return [{name: `does ${call.name}`, act}];
  },
  (scene, {call}) => (call === null ? decisions(scene) : []),
  (scene, point) => (mayAct(scene, point) ? overtaking(scene, point, agentMoves(scene)) : []),
  (scene, {call}) => (call === null ? checks(scene) : []),
  timePasses,
  pauses,
  stops,
  triesNow,
  dies,
  (scene, {call}) => {
    const {history} = scene.world;
    if (
      !call ||
      !stores.test(call.name) ||
      !call.isWrite ||
      history.failures >= scene.scenario.bounds.failures
    )
      return [];
    const act = () => {
      history.failures += 1;
      scene.life.calls.shift();
      call.fail(diskFull());
    };
    return [{name: `the disk is full at ${call.name}`, act}];
  },
  edits,
  (scene, {call}) => {
    const {tally, scenario} = scene;
    if (call !== null || tally.rivals >= scenario.bounds.rivals || agentOf(scene) === null) return [];
    return [{name: 'another Blackbird starts, the lock file is gone', act: () => rivals(scene)}];
  },
];

/** Writes that a full disk fails. */
const stores = /^(runs|plans|jobs|feedback|drafts)\./;

export const movesAt = (scene: Scene, point: Point): Move[] => rules.flatMap((rule) => rule(scene, point));

/** While Blackbird writes, agents act at boundaries where a chart has changed, and not too often. */
function mayAct({isFresh, tally, scenario}: Scene, {call}: Point): boolean {
  return call === null || (isFresh && tally.overtakes < scenario.bounds.overtakes);
}

function overtaking({tally}: Scene, {call}: Point, moves: readonly Move[]): Move[] {
  if (call === null) return [...moves];
  return moves.map(({name, act}) => ({
    name: `${name} before ${call.name}`,
    act: () => {
      tally.overtakes += 1;
      return act();
    },
  }));
}

/** Longer than any setting allows an agent to be silent. */
const forLong = 86_400_000;

function timePasses({timers, world}: Scene, {call}: Point): Move[] {
  const due = timers.nextDue();
  if (call !== null || due === null) return [];
  const act = () => {
    const passed = Math.max(0, due - world.clock.milliseconds);
    world.clock.milliseconds += passed;
    // An agent that prints nothing while time passes is silent for long.
    for (const [agent] of world.cast) agent.silence = forLong;
    timers.fire(world.clock.milliseconds);
  };
  return [{name: 'time passes', act}];
}

function pauses({engine, tally, scenario, isFresh}: Scene, {call}: Point): Move[] {
  if (tally.pauses >= scenario.bounds.pauses || !engine.isBusy() || (call !== null && !isFresh)) return [];
  const act = () => {
    tally.pauses += 1;
    if (tally.begunAtPause === null) tally.checkedAtPause = tally.checked;
    tally.begunAtPause ??= tally.begun;
    engine.pause('user_interrupt', 'key');
  };
  return [{name: call === null ? 'pause' : `pause before ${call.name}`, act}];
}

function stops({engine, tally, scenario, isFresh}: Scene, {call}: Point): Move[] {
  if (tally.stops >= scenario.bounds.stops || !engine.isBusy() || (call !== null && !isFresh)) return [];
  const act = () => {
    tally.stops += 1;
    tally.begunAtStop ??= tally.begun;
    engine.stopAfterTask();
  };
  return [{name: call === null ? 'stop after this task' : `stop before ${call.name}`, act}];
}

function triesNow({engine, scenario, timers, world}: Scene, {call}: Point): Move[] {
  if (call !== null || !scenario.isPatient || timers.nextDue() === null) return [];
  const act = () => {
    try {
      engine.retryNow();
      world.history.limitedUntil = 0;
    } catch {
      // Nothing is waited for.
    }
  };
  return [{name: 'try now', act}];
}

/** Before every write, whenever it waits, and between the last write and the release of a process. */
function dies(scene: Scene, {call}: Point): Move[] {
  const {life, world, scenario} = scene;
  const {history} = world;
  if (history.crashes >= scenario.bounds.crashes || (call !== null && !call.isWrite)) return [];
  const die = (hasGuardian: boolean) => {
    history.crashes += 1;
    life.die({hasGuardian});
  };
  const place = call === null ? '' : ` before ${call.name}`;
  const death = (name: string, hasGuardian: boolean): Move => ({
    name: `Blackbird dies${place}${name}`,
    act: () => die(hasGuardian),
    leaves: () => diskAfterDeath(world, {hasGuardian}),
  });
  const isHeld = world.agents.alive().some(({hasGone}) => !hasGone);
  return [
    death('', true),
    ...(agentOf(scene) === null ? [] : [death(', its agent lives on', false)]),
    ...(call?.name.startsWith('runs.') && isHeld
      ? [
          {
            name: `Blackbird dies after ${call.name}`,
            act: async () => {
              await call.performUnheard();
              die(true);
            },
          },
        ]
      : []),
  ];
}

function edits({world, scenario, isFresh}: Scene, {call}: Point): Move[] {
  const {history, plans, runs} = world;
  if (history.edits >= scenario.bounds.edits || (call !== null && !isFresh && !call.isWrite)) return [];
  return [...plans.plan.items.values()]
    .filter(({childIds}) => childIds.length === 0)
    .map(({id}) => ({
      name: `somebody edits the title of ${id}`,
      act: () => {
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

async function rivals(scene: Scene): Promise<void> {
  scene.tally.rivals += 1;
  const said = await scene.rival();
  if (said !== 'E_REPO_LOCKED') scene.problems.push(`a second Blackbird was not refused: ${said}`);
}

/** The user's choices at a checkpoint; the first is the choice when nothing is wrong. */
function decisions(scene: Scene): Move[] {
  const {engine, world, scenario, tally} = scene;
  const {history} = world;
  return engine.openDecisions().flatMap(({run, task, obstacle}) => {
    const decide = (decision: CheckpointAnswer) => () => {
      history.decisions[run.run_id] = decision.state;
      if (decision.state !== 'changes_requested') settleWords(history, task.id);
      if (decision.state === 'rejected') takeBackTitles(history, task.id);
      // Who sends an agent back to work asks for one more.
      const isAgain = decision.state === 'changes_requested' || decision.state === 'retry';
      if (isAgain && tally.begunAtStop !== null) tally.begunAtStop = tally.begun;
      engine.decide({runId: run.run_id, decision});
    };
    const changes = () => {
      const {token} = newWord(history, task.id);
      decide({state: 'changes_requested', feedback: token})();
    };
    const mayRunAgain = world.runs.records(task.id).length < scenario.bounds.attempts;
    const mayChange = obstacle === null && mayRunAgain && history.words.length < scenario.bounds.words;
    return [
      {name: `approve ${run.run_id} and go on`, act: decide({state: 'approved_continue'})},
      {name: `approve ${run.run_id} and quit`, act: decide({state: 'approved_quit'})},
      ...(mayChange ? [{name: `request changes to ${run.run_id}`, act: changes}] : []),
      {name: `reject ${run.run_id}`, act: decide({state: 'rejected'})},
      ...(mayRunAgain ? [{name: `try ${run.run_id} again`, act: decide({state: 'retry'})}] : []),
      {name: `leave ${run.run_id} open`, act: () => engine.postpone(run.run_id)},
    ];
  });
}

/** How a running check can end; a hang is time passing. */
function checks({world, life}: Scene): Move[] {
  const check = life.isDead() ? undefined : world.checks.alive().find(({hasGone}) => hasGone);
  if (!check) return [];
  const tale = world.history.tales.findLast(({runId}) => runId === check.runId);
  return [
    {
      name: `check "${check.command}" passes`,
      act: () => {
        tale?.passed.push(check.command);
        check.passes();
      },
    },
    {name: `check "${check.command}" fails`, act: () => check.fails()},
    {name: `check "${check.command}" is killed`, act: () => check.exits({exitCode: null, signal: 'SIGKILL'})},
  ];
}
