import type {LaunchedAgent} from '../../src/services/contracts/agent-runner.ts';
import type {RunningCheck} from '../../src/services/contracts/check-runner.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {type AgentTale, storeSessions, wordsIn} from './history.ts';
import type {LifeListener} from './life.ts';
import type {World} from './world.ts';

type StageHands = {
  readonly isDead: () => boolean;
  readonly listener: LifeListener;
  /** Turns something that is done later into a call. */
  readonly gated: (name: string, method: () => unknown) => () => unknown;
};

/** Agents as this process sees them: what they are told, and that they do not obey a dead process. */
export function castAgents(world: World, {isDead, listener, gated}: StageHands): Services['agents'] {
  const {agents} = world;
  const alive = (act: () => void) => () => {
    if (!isDead()) act();
  };
  return {
    customCommand: agents.customCommand,
    check: agents.check,
    sweep: async (run) => {
      const end = await agents.sweep(run);
      for (const [agent, tale] of world.cast) tale.isAlive = agent.isAlive;
      for (const tale of world.history.tales) if (tale.runId === run.run_id) tale.hasRemains = false;
      return end;
    },
    launch: async (spec) => {
      const launched = await agents.launch(spec);
      const {agent} = agents;
      const tale: AgentTale = {
        runId: spec.run.run_id,
        taskId: spec.run.task_id,
        kind: spec.request.kind,
        isReviewer: spec.request.answerSchema !== undefined,
        askedRef: spec.request.sessionRef,
        words: wordsIn(spec.request.prompt),
        session: null,
        announcedAt: 0,
        isStored: false,
        hasWorked: false,
        isInterrupted: false,
        verdict: null,
        isAlive: true,
        passed: [],
        hasRemains: false,
        isLost: false,
      };
      world.cast.set(agent, tale);
      const wrapped: LaunchedAgent = {
        ...launched,
        argv: [...launched.argv, ...(tale.kind === 'resume' ? ['--resume', tale.askedRef ?? ''] : [])],
        go: alive(() => {
          if (!agent.isAlive || agent.hasGone) return;
          world.history.tales.push(tale);
          tale.hasRemains = true;
          launched.go();
          listener.toldToGo(tale);
        }),
        hold: alive(launched.hold),
        readOn: alive(launched.readOn),
        interrupt: alive(() => {
          tale.isInterrupted = true;
          launched.interrupt();
        }),
        kill: alive(() => {
          storeSessions(world.history, world.clock.milliseconds);
          agent.obeys.kill = true;
          launched.kill();
          tale.isAlive = agent.isAlive;
        }),
        endEverything: gated('agent.endEverything', async () => {
          const end = await launched.endEverything();
          tale.isAlive = agent.isAlive;
          tale.hasRemains = false;
          return end;
        }) as LaunchedAgent['endEverything'],
      };
      return wrapped;
    },
  };
}

/** Checks in the same way. Their run remembers their results. */
export function castChecks(world: World, {isDead, listener, gated}: StageHands): Services['checks'] {
  const alive = (act: () => void) => () => {
    if (!isDead()) act();
  };
  return {
    launch: async (spec) => {
      const launched = await world.checks.launch(spec);
      const {check} = world.checks;
      const running: RunningCheck = {
        ...launched,
        go: alive(() => {
          launched.go();
          listener.checked(spec.run.run_id);
        }),
        interrupt: alive(launched.interrupt),
        kill: alive(() => {
          check.obeys.kill = true;
          launched.kill();
        }),
        endEverything: gated('check.endEverything', launched.endEverything) as RunningCheck['endEverything'],
      };
      return running;
    },
  };
}
