import type {LaunchedAgent} from '../../src/services/contracts/agent-runner.ts';
import type {RunningCheck} from '../../src/services/contracts/check-runner.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import type {ProcessListener} from './blackbird-process.ts';
import {type AgentActivity, messagesIn, storeSessions} from './history.ts';
import type {World} from './world.ts';

type ProcessHooks = {
  readonly isDead: () => boolean;
  readonly listener: ProcessListener;
  /** Turns something that is done later into a call. */
  readonly deferred: (name: string, method: () => unknown) => () => unknown;
};

/** Agents as this process sees them: what they are told, and that they do not obey a dead process. */
export function simulateAgents(world: World, {isDead, listener, deferred}: ProcessHooks): Services['agents'] {
  const {agents} = world;
  const alive = (act: () => void) => () => {
    if (!isDead()) act();
  };
  return {
    customCommand: agents.customCommand,
    check: agents.check,
    sweep: async (run) => {
      const end = await agents.sweep(run);
      for (const [agent, activity] of world.activityOf) activity.isAlive = agent.isAlive;
      for (const activity of world.history.activities)
        if (activity.runId === run.run_id) activity.hasProcesses = false;
      return end;
    },
    launch: async (spec) => {
      const launched = await agents.launch(spec);
      const {agent} = agents;
      const activity: AgentActivity = {
        runId: spec.run.run_id,
        taskId: spec.run.task_id,
        kind: spec.request.kind,
        isReviewer: spec.request.answerSchema !== undefined,
        askedRef: spec.request.sessionRef,
        messages: messagesIn(spec.request.prompt),
        session: null,
        announcedAt: 0,
        isStored: false,
        hasWorked: false,
        isInterrupted: false,
        verdict: null,
        isAlive: true,
        passed: [],
        hasProcesses: false,
        isLost: false,
      };
      world.activityOf.set(agent, activity);
      const wrapped: LaunchedAgent = {
        ...launched,
        argv: [
          ...launched.argv,
          ...(activity.kind === 'resume' ? ['--resume', activity.askedRef ?? ''] : []),
        ],
        go: alive(() => {
          if (!agent.isAlive || agent.hasGone) return;
          world.history.activities.push(activity);
          activity.hasProcesses = true;
          launched.go();
          listener.agentReleased(activity);
        }),
        hold: alive(launched.hold),
        readOn: alive(launched.readOn),
        interrupt: alive(() => {
          activity.isInterrupted = true;
          launched.interrupt();
        }),
        kill: alive(() => {
          storeSessions(world.history, world.clock.milliseconds);
          agent.obeys.kill = true;
          launched.kill();
          activity.isAlive = agent.isAlive;
        }),
        endEverything: deferred('agent.endEverything', async () => {
          const end = await launched.endEverything();
          activity.isAlive = agent.isAlive;
          activity.hasProcesses = false;
          return end;
        }) as LaunchedAgent['endEverything'],
      };
      return wrapped;
    },
  };
}

/** Checks in the same way. Their run remembers their results. */
export function simulateChecks(world: World, {isDead, listener, deferred}: ProcessHooks): Services['checks'] {
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
          listener.checkReleased(spec.run.run_id);
        }),
        interrupt: alive(launched.interrupt),
        kill: alive(() => {
          check.obeys.kill = true;
          launched.kill();
        }),
        endEverything: deferred(
          'check.endEverything',
          launched.endEverything,
        ) as RunningCheck['endEverything'],
      };
      return running;
    },
  };
}
