import type {AgentEvent, AgentRequest, AgentVerdict} from '../../src/services/contracts/agent.ts';
import type {AgentEnding, AgentRunner, LaunchedAgent} from '../../src/services/contracts/agent-runner.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {deferred} from './memory-run-store.ts';
import {identity} from './runs.ts';

/** A test's agent. It does what the test says, and nothing before its `go`. */
export type FakeAgent = {
  readonly runId: string;
  readonly taskId: string;
  readonly request: AgentRequest;
  hasGone: boolean;
  isAlive: boolean;
  /** Which signals end it. An agent that waits for `go` obeys every signal. */
  obeys: {interrupt: boolean; kill: boolean};
  /** What `endEverything` finds that no signal can end. */
  remaining: readonly number[];
  /** Its end is reported a while later, as if its last output were still being read. */
  isExitDeferred: boolean;
  /** Milliseconds since its last output. */
  silence: number;
  says(...events: readonly AgentEvent[]): void;
  opensSession(ref?: string): void;
  /** Reports its result, and stays alive. */
  reports(result: {ok: boolean; text?: string}): void;
  /** Exits by itself. The verdict is that of its last result unless one is given. */
  exits(ending?: Partial<AgentEnding>): void;
  /** Result and exit at once, as most agents do. */
  succeeds(text?: string): void;
  fails(verdict?: Partial<Extract<AgentVerdict, {outcome: 'failed'}>['failure']>): void;
  /** Ends in a way that cannot be judged. */
  breaks(error: unknown): void;
  /** Delays `endEverything` until the returned function is called. */
  holdEnd(): () => void;
};

export type FakeAgentRunner = AgentRunner & {
  /** Every agent ever launched, oldest first. */
  readonly agents: FakeAgent[];
  /** The agent launched last; fails the test if there is none. */
  readonly agent: FakeAgent;
  alive(): FakeAgent[];
  /** What a new agent does after `go`. */
  play: (agent: FakeAgent) => void;
  obeys: {interrupt: boolean; kill: boolean};
  choosesSession: boolean;
  failCheck(error: unknown): void;
  failLaunch(error: unknown): void;
  /** The next launch waits until the returned function is called. */
  holdLaunch(): () => void;
  /** What `sweep` finds that no signal can end. */
  remaining: readonly number[];
};

/** Agents without processes. Every operation on them is logged. */
export function createFakeAgentRunner(
  log: (entry: string) => void = () => {},
  /** Ends other processes of a run. */
  sweepMore: (runId: string) => void = () => {},
): FakeAgentRunner {
  const agents: FakeAgent[] = [];
  let checkFailure: unknown;
  let launchFailure: unknown;
  let hold: Promise<void> | undefined;

  const runner: FakeAgentRunner = {
    customCommand: null,
    agents,
    get agent() {
      const last = agents.at(-1);
      if (!last) throw new Error('no agent was launched');
      return last;
    },
    alive: () => agents.filter(({isAlive}) => isAlive),
    play: () => {},
    obeys: {interrupt: false, kill: false},
    choosesSession: false,
    remaining: [],
    failCheck: (error) => {
      checkFailure = error;
    },
    failLaunch: (error) => {
      launchFailure = error;
    },
    holdLaunch: () => {
      const {promise, resolve} = deferred();
      hold = promise;
      return resolve;
    },
    check: async () => {
      if (checkFailure !== undefined) throw checkFailure;
      return {choosesSession: runner.choosesSession};
    },
    launch: async ({run, request, onEvent}) => {
      log(`launch ${run.run_id}`);
      const waiting = hold;
      hold = undefined;
      await waiting;
      if (launchFailure !== undefined) {
        const error = launchFailure;
        launchFailure = undefined;
        throw error;
      }
      const made = makeAgent({run, request, onEvent, number: agents.length + 1, log, runner});
      agents.push(made.agent);
      return made.running;
    },
    sweep: async (run) => {
      log(`sweep ${run.run_id}`);
      const left = agents.filter(({runId, isAlive}) => isAlive && runId === run.run_id);
      if (runner.remaining.length > 0) return {ended: 0, remaining: runner.remaining};
      for (const agent of left) agent.exits({exitCode: null, signal: 'SIGKILL'});
      sweepMore(run.run_id);
      return {ended: left.length, remaining: []};
    },
  };
  return runner;
}

function makeAgent({
  run,
  request,
  onEvent,
  number,
  log,
  runner,
}: {
  run: RunRecord;
  request: AgentRequest;
  onEvent: (event: AgentEvent) => void;
  number: number;
  log: (entry: string) => void;
  runner: FakeAgentRunner;
}): {agent: FakeAgent; running: LaunchedAgent} {
  const {promise: ended, resolve: end, reject: fail} = deferred<AgentEnding>();
  let last: {ok: boolean; text: string} | null = null;
  let used: Pick<AgentEnding, 'usage' | 'isWholeSession'> = {};
  let endHold: Promise<void> | undefined;
  let isHeld = false;
  let isGivenUp = false;
  let held: Array<() => void> = [];
  /** While held, what an agent does is not reported. */
  const report = (job: () => void) => {
    if (isHeld) held.push(job);
    else job();
  };
  const readOn = () => {
    isHeld = false;
    const waiting = held;
    held = [];
    for (const job of waiting) report(job);
  };
  const giveUp = () => {
    isGivenUp = true;
    readOn();
  };

  const verdict = (): AgentVerdict => {
    if (last?.ok) return {outcome: 'succeeded', text: last.text};
    const failure = {kind: 'agent_error' as const, message: last?.text ?? 'the agent gave no result'};
    return {outcome: 'failed', failure, text: last?.text ?? ''};
  };

  const agent: FakeAgent = {
    runId: run.run_id,
    taskId: run.task_id,
    request,
    hasGone: false,
    isAlive: true,
    obeys: {...runner.obeys},
    remaining: [],
    isExitDeferred: false,
    silence: 0,
    says: (...events) => {
      if (!agent.hasGone || !agent.isAlive) throw new Error('an agent that does not run says nothing');
      for (const event of events) {
        if (event.type === 'usage') used = {usage: event.usage, isWholeSession: event.wholeSession === true};
        if (event.type === 'result') last = {ok: event.result.ok, text: event.result.text};
        report(() => onEvent(event));
      }
    },
    opensSession: (ref = request.sessionRef ?? `session-${number}`) => agent.says({type: 'session', ref}),
    reports: ({ok, text = ok ? 'done' : 'broken'}) => agent.says({type: 'result', result: {ok, text}}),
    exits: (ending = {}) => {
      if (!agent.isAlive) return;
      agent.isAlive = false;
      log(`exit ${run.run_id}`);
      const told = {
        exitCode: 0,
        signal: null,
        stdout: 'out',
        stderr: 'err',
        verdict: verdict(),
        ...used,
        ...ending,
      };
      report(() => {
        if (agent.isExitDeferred) setImmediate(() => end(told));
        else end(told);
      });
    },
    breaks: (error) => {
      agent.isAlive = false;
      log(`exit ${run.run_id}`);
      report(() => fail(error));
    },
    succeeds: (text = 'done') => {
      agent.reports({ok: true, text});
      agent.exits();
    },
    fails: ({kind = 'agent_error', message = 'broken'} = {}) => {
      agent.reports({ok: false, text: message});
      agent.exits({exitCode: 1, verdict: {outcome: 'failed', failure: {kind, message}, text: message}});
    },
    holdEnd: () => {
      const {promise, resolve} = deferred();
      endHold = promise;
      return resolve;
    },
  };

  const running: LaunchedAgent = {
    identity: identity(number),
    argv: ['claude', '-p'],
    go: () => {
      if (agent.hasGone || !agent.isAlive) return;
      log(`go ${run.run_id}`);
      agent.hasGone = true;
      runner.play(agent);
    },
    hold: () => {
      isHeld = !isGivenUp;
    },
    readOn,
    interrupt: () => {
      giveUp();
      log(`interrupt ${run.run_id}`);
      if (agent.obeys.interrupt || !agent.hasGone) agent.exits({exitCode: 130});
    },
    kill: () => {
      giveUp();
      log(`kill ${run.run_id}`);
      if (agent.obeys.kill || !agent.hasGone) agent.exits({exitCode: null, signal: 'SIGKILL'});
    },
    suspend: () => log(`suspend ${run.run_id}`),
    wake: () => log(`wake ${run.run_id}`),
    silentFor: () => agent.silence,
    ended,
    endEverything: async () => {
      log(`end ${run.run_id}`);
      giveUp();
      await endHold;
      if (agent.remaining.length > 0) return {ended: 0, remaining: agent.remaining};
      const wasAlive = agent.isAlive;
      agent.exits({exitCode: null, signal: 'SIGKILL'});
      return {ended: wasAlive ? 1 : 0, remaining: []};
    },
  };
  return {agent, running};
}
