import type {AgentVerdict, FailureKind} from '../../src/services/contracts/agent.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {question} from '../fakes/runs.ts';
import {type AgentTale, newWord, storeSessions} from './history.ts';
import {agentOf, type Move, type Scene} from './scene.ts';

/** Something an agent can do. A new one is one entry. */
type AgentAct = {
  readonly name: string;
  /** It gets no time to store its session. */
  readonly isSudden?: true;
  readonly when: (tale: AgentTale, scene: Scene) => boolean;
  readonly act: (agent: FakeAgent, tale: AgentTale, scene: Scene) => void;
};

const isSilent = ({verdict}: AgentTale) => verdict === null;
const isWorker = (tale: AgentTale) => isSilent(tale) && !tale.isReviewer;

/** It prints a line: whatever it announced before is stored by now. */
function prints(tale: AgentTale, {world}: Scene): void {
  if (tale.session === null) return;
  tale.isStored = true;
  world.storedSessions.add(tale.runId);
}

function ends(agent: FakeAgent, tale: AgentTale, verdict: AgentVerdict): void {
  tale.isAlive = false;
  agent.exits({exitCode: verdict.outcome === 'failed' ? 1 : 0, verdict});
}

function fails(agent: FakeAgent, tale: AgentTale, kind: FailureKind, resetAt?: string): void {
  tale.verdict = 'failed';
  const failure = {kind, message: `${kind} happened`, ...(resetAt && {reset_at: resetAt})};
  ends(agent, tale, {outcome: 'failed', failure, text: ''});
}

function says(agent: FakeAgent, tale: AgentTale, verdict: AgentTale['verdict'], text: string): void {
  tale.verdict = verdict;
  agent.reports({ok: true, text});
}

const verdictOn = (passed: boolean, taskIds: readonly string[], words: string) =>
  JSON.stringify({passed, resumeTaskIds: taskIds, feedbackForResume: words, reviewResults: []});

/** In this order: the first that is possible is what a good agent does next. */
export const agentActs: readonly AgentAct[] = [
  {
    name: 'obeys the interrupt',
    when: ({isInterrupted}) => isInterrupted,
    act: (agent, tale) => {
      tale.isAlive = false;
      agent.exits({exitCode: 130});
    },
  },
  {
    name: 'ends after its result',
    when: ({verdict}) => verdict !== null,
    act: (agent, tale) => {
      tale.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'opens its session',
    when: (tale) => isSilent(tale) && tale.session === null,
    act: (agent, tale, {world}) => {
      tale.session = tale.askedRef ?? `session-${tale.runId}-${world.history.tales.length}`;
      tale.announcedAt = world.clock.milliseconds;
      agent.opensSession(tale.session);
    },
  },
  {
    name: 'works',
    when: (tale) => isSilent(tale) && !tale.hasWorked,
    act: (agent, tale, scene) => {
      tale.hasWorked = true;
      const {changes} = scene.world;
      if (changes.tree !== null && !tale.isReviewer) changes.tree = `${changes.tree}+${tale.runId}`;
      prints(tale, scene);
      agent.says({type: 'message', text: 'working'});
    },
  },
  {
    name: 'succeeds',
    when: isWorker,
    act: (agent, tale, scene) => {
      tale.hasWorked = true;
      prints(tale, scene);
      says(agent, tale, 'ok', 'done');
      tale.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'finds nothing wrong',
    when: (tale) => isSilent(tale) && tale.isReviewer,
    act: (agent, tale) => {
      says(agent, tale, 'passed', verdictOn(true, [], ''));
      tale.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'says its result and lives on',
    when: isWorker,
    act: (agent, tale, scene) => {
      tale.hasWorked = true;
      prints(tale, scene);
      says(agent, tale, 'ok', 'done');
    },
  },
  {
    name: 'asks',
    when: isWorker,
    act: (agent, tale, scene) => {
      tale.hasWorked = true;
      prints(tale, scene);
      says(agent, tale, 'asked', JSON.stringify({blackbird: {questions: [question]}}));
      tale.isAlive = false;
      agent.exits();
    },
  },
  {name: 'fails', when: isSilent, act: (agent, tale) => fails(agent, tale, 'agent_error')},
  {
    name: 'hits a limit',
    when: isSilent,
    act: (agent, tale, {world}) => {
      const until = world.clock.milliseconds + 600_000;
      const reset = new Date(until).toISOString();
      // What an interrupted agent reports is the pause.
      if (!tale.isInterrupted) world.history.limitedUntil = until;
      fails(agent, tale, 'rate_limit', reset);
    },
  },
  {name: 'meets an outage', when: isSilent, act: (agent, tale) => fails(agent, tale, 'outage')},
  {name: 'needs a login', when: isSilent, act: (agent, tale) => fails(agent, tale, 'auth')},
  {
    name: 'has lost its session',
    when: (tale) => isSilent(tale) && tale.kind === 'resume' && !tale.hasWorked,
    act: (agent, tale) => fails(agent, tale, 'resume_rejected'),
  },
  {
    name: 'opens a strange session',
    when: (tale) => isSilent(tale) && tale.kind === 'resume' && tale.session === null,
    act: (agent, tale) => {
      agent.opensSession('session-strange');
      tale.isAlive = agent.isAlive;
    },
  },
  {
    name: 'dies without a word',
    isSudden: true,
    when: isSilent,
    act: (agent, tale, {world}) => {
      storeSessions(world.history, world.clock.milliseconds);
      tale.isAlive = false;
      tale.verdict = 'failed';
      agent.exits({exitCode: null, signal: 'SIGSEGV'});
    },
  },
  {
    name: 'sends a task back',
    when: (tale, {scenario, world}) =>
      isSilent(tale) && tale.isReviewer && world.history.words.length < scenario.bounds.words,
    act: (agent, tale, {world}) => {
      const [child = ''] = world.plans.plan.items.get(tale.taskId)?.childIds ?? [];
      const {token} = newWord(world.history, child);
      says(agent, tale, 'sentBack', verdictOn(false, [child], token));
      tale.isAlive = false;
      agent.exits();
    },
  },
  {
    name: 'answers nonsense',
    when: (tale) => isSilent(tale) && tale.isReviewer,
    act: (agent, tale) => {
      says(agent, tale, 'failed', 'well, well');
      tale.isAlive = false;
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
  'finds nothing wrong',
]);

export function agentMoves(scene: Scene): Move[] {
  const found = agentOf(scene);
  if (!found) return [];
  const {agent, tale} = found;
  const {acts} = scene.scenario;
  return agentActs
    .filter(({name, when}) => (good.has(name) || !acts || acts.includes(name)) && when(tale, scene))
    .map(({name, isSudden, act}) => ({
      name: `agent ${tale.runId} ${name}`,
      act: () => {
        agent.silence = 0;
        act(agent, tale, scene);
        // An agent that works is no longer limited.
        if (tale.verdict !== null && tale.verdict !== 'failed') scene.world.history.limitedUntil = 0;
        // An agent that ends by itself has stored what it announced.
        if (!tale.isAlive && !isSudden && tale.session !== null) prints(tale, scene);
      },
    }));
}
