import type {AgentVerdict, FailureKind} from '../../src/services/contracts/agent.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {question} from '../fakes/runs.ts';
import {type AgentActivity, newMessage, storeSessions} from './history.ts';
import {agentOf, type PossibleEvent, type Simulation} from './simulation.ts';

/** Something an agent can do. A new one is one entry. */
type AgentBehaviour = {
  readonly name: string;
  /** It gets no time to store its session. */
  readonly isSudden?: true;
  readonly when: (activity: AgentActivity, simulation: Simulation) => boolean;
  readonly apply: (agent: FakeAgent, activity: AgentActivity, simulation: Simulation) => void;
};

const isSilent = ({verdict}: AgentActivity) => verdict === null;
const isWorker = (activity: AgentActivity) => isSilent(activity) && !activity.isReviewer;

/** It prints a line: whatever it announced before is stored by now. */
function prints(activity: AgentActivity, {world}: Simulation): void {
  if (activity.session === null) return;
  activity.isStored = true;
  world.storedSessions.add(activity.runId);
}

function ends(agent: FakeAgent, activity: AgentActivity, verdict: AgentVerdict): void {
  activity.isAlive = false;
  agent.exits({exitCode: verdict.outcome === 'failed' ? 1 : 0, verdict});
}

function fails(agent: FakeAgent, activity: AgentActivity, kind: FailureKind, resetAt?: string): void {
  activity.verdict = 'failed';
  const failure = {kind, message: `${kind} happened`, ...(resetAt && {reset_at: resetAt})};
  ends(agent, activity, {outcome: 'failed', failure, text: ''});
}

function says(
  agent: FakeAgent,
  activity: AgentActivity,
  verdict: AgentActivity['verdict'],
  text: string,
): void {
  activity.verdict = verdict;
  agent.reports({ok: true, text});
}

const verdictOn = (passed: boolean, taskIds: readonly string[], feedback: string) =>
  JSON.stringify({passed, resumeTaskIds: taskIds, feedbackForResume: feedback, reviewResults: []});

/** In this order: the first that is possible is what a good agent does next. */
const agentBehaviours: readonly AgentBehaviour[] = [
  {
    name: 'obeys the interrupt',
    when: ({isInterrupted}) => isInterrupted,
    apply: (agent, activity) => {
      activity.isAlive = false;
      agent.exits({exitCode: 130});
    },
  },
  {
    name: 'ends after its result',
    when: ({verdict}) => verdict !== null,
    apply: (agent, activity) => {
      activity.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'opens its session',
    when: (activity) => isSilent(activity) && activity.session === null,
    apply: (agent, activity, {world}) => {
      activity.session = activity.askedRef ?? `session-${activity.runId}-${world.history.activities.length}`;
      activity.announcedAt = world.clock.milliseconds;
      agent.opensSession(activity.session);
    },
  },
  {
    name: 'works',
    when: (activity) => isSilent(activity) && !activity.hasWorked,
    apply: (agent, activity, simulation) => {
      activity.hasWorked = true;
      const {changes} = simulation.world;
      if (changes.tree !== null && !activity.isReviewer) changes.tree = `${changes.tree}+${activity.runId}`;
      prints(activity, simulation);
      agent.says({type: 'message', text: 'working'});
    },
  },
  {
    name: 'succeeds',
    when: isWorker,
    apply: (agent, activity, simulation) => {
      activity.hasWorked = true;
      prints(activity, simulation);
      says(agent, activity, 'ok', 'done');
      activity.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'passes the parent',
    when: (activity) => isSilent(activity) && activity.isReviewer,
    apply: (agent, activity) => {
      says(agent, activity, 'passed', verdictOn(true, [], ''));
      activity.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'reports its result and keeps running',
    when: isWorker,
    apply: (agent, activity, simulation) => {
      activity.hasWorked = true;
      prints(activity, simulation);
      says(agent, activity, 'ok', 'done');
    },
  },
  {
    name: 'asks',
    when: isWorker,
    apply: (agent, activity, simulation) => {
      activity.hasWorked = true;
      prints(activity, simulation);
      says(agent, activity, 'asked', JSON.stringify({blackbird: {questions: [question]}}));
      activity.isAlive = false;
      agent.exits();
    },
  },
  {name: 'fails', when: isSilent, apply: (agent, activity) => fails(agent, activity, 'agent_error')},
  {
    name: 'hits a limit',
    when: isSilent,
    apply: (agent, activity, {world}) => {
      const until = world.clock.milliseconds + 600_000;
      const reset = new Date(until).toISOString();
      // What an interrupted agent reports is the pause.
      if (!activity.isInterrupted) world.history.limitedUntil = until;
      fails(agent, activity, 'rate_limit', reset);
    },
  },
  {name: 'hits an outage', when: isSilent, apply: (agent, activity) => fails(agent, activity, 'outage')},
  {name: 'needs a login', when: isSilent, apply: (agent, activity) => fails(agent, activity, 'auth')},
  {
    name: 'has lost its session',
    when: (activity) => isSilent(activity) && activity.kind === 'resume' && !activity.hasWorked,
    apply: (agent, activity) => fails(agent, activity, 'resume_rejected'),
  },
  {
    name: 'opens a wrong session',
    when: (activity) => isSilent(activity) && activity.kind === 'resume' && activity.session === null,
    apply: (agent, activity) => {
      agent.opensSession('session-wrong');
      activity.isAlive = agent.isAlive;
    },
  },
  {
    name: 'crashes without a result',
    isSudden: true,
    when: isSilent,
    apply: (agent, activity, {world}) => {
      storeSessions(world.history, world.clock.milliseconds);
      activity.isAlive = false;
      activity.verdict = 'failed';
      agent.exits({exitCode: null, signal: 'SIGSEGV'});
    },
  },
  {
    name: 'sends a task back',
    when: (activity, {scenario, world}) =>
      isSilent(activity) && activity.isReviewer && world.history.messages.length < scenario.bounds.messages,
    apply: (agent, activity, {world}) => {
      const [child = ''] = world.plans.plan.items.get(activity.taskId)?.childIds ?? [];
      const {token} = newMessage(world.history, child);
      says(agent, activity, 'sentBack', verdictOn(false, [child], token));
      activity.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'gives an invalid answer',
    when: (activity) => isSilent(activity) && activity.isReviewer,
    apply: (agent, activity) => {
      says(agent, activity, 'failed', 'well, well');
      activity.isAlive = false;
      agent.exits();
    },
  },
];

/** The choices of a well-behaved agent are always possible. */
const good = new Set([
  'obeys the interrupt',
  'ends after its result',
  'opens its session',
  'works',
  'succeeds',
  'passes the parent',
]);

export function agentEvents(simulation: Simulation): PossibleEvent[] {
  const found = agentOf(simulation);
  if (!found) return [];
  const {agent, activity} = found;
  const {behaviours} = simulation.scenario;
  return agentBehaviours
    .filter(
      ({name, when}) =>
        (good.has(name) || !behaviours || behaviours.includes(name)) && when(activity, simulation),
    )
    .map(({name, isSudden, apply}) => ({
      name: `agent ${activity.runId} ${name}`,
      apply: () => {
        agent.silence = 0;
        apply(agent, activity, simulation);
        // An agent that works is no longer limited.
        if (activity.verdict !== null && activity.verdict !== 'failed')
          simulation.world.history.limitedUntil = 0;
        // An agent that ends by itself has stored what it announced.
        if (!activity.isAlive && !isSudden && activity.session !== null) prints(activity, simulation);
      },
    }));
}
