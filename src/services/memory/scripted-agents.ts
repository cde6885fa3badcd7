import type {AgentEvent, AgentVerdict, Usage} from '../contracts/agent.ts';
import type {RunningAgent} from '../contracts/agent-process.ts';
import type {AgentEnding, AgentRunner} from '../contracts/agent-runner.ts';
import type {CheckEnding, CheckRunner} from '../contracts/check-runner.ts';
import type {ProcessIdentity} from '../contracts/process.ts';
import type {RunRecord} from '../contracts/run.ts';

/** What a simulated agent does: how long it takes, and its verdict. */
export type Script = {
  readonly milliseconds: number;
  readonly verdict: AgentVerdict;
  readonly usage?: Usage;
};

type Timers = {setTimeout(ring: () => void, milliseconds: number): unknown; clearTimeout(timer: never): void};

/** Agents without processes: each plays its script on the given clock. */
export function createScriptedAgents(timers: Timers, scriptOf: (run: RunRecord) => Script): AgentRunner {
  let count = 0;
  return {
    customCommand: null,
    check: async () => ({choosesSession: false}),
    sweep: async () => ({ended: 0, remaining: []}),
    launch: async ({run, request, onEvent}) => {
      const number = ++count;
      const {agent, finish, report, once} = playedProcess<AgentEnding>(number, timers, stoppedAgent);
      const say = (event: AgentEvent) => report(() => onEvent(event));
      return {
        ...agent,
        silentFor: () => 0,
        go: once(() => {
          const {milliseconds, verdict, usage} = scriptOf(run);
          say({type: 'session', ref: request.sessionRef ?? sessionRef(number)});
          say({type: 'turn'});
          // An agent that works at all has started: a later failure is not a refusal to start.
          if (milliseconds > 0) say({type: 'activity', activity: {kind: 'read', text: 'simulated'}});
          finish(milliseconds, () => {
            const {outcome, text} = verdict;
            const failure = outcome === 'failed' ? {failure: verdict.failure} : {};
            if (usage) say({type: 'usage', usage});
            say({type: 'result', result: {ok: outcome === 'succeeded', text, turns: 1, ...failure}});
            const exitCode = outcome === 'succeeded' ? 0 : 1;
            return {...silent, exitCode, verdict, ...(usage ? {usage} : {})};
          });
        }),
      };
    },
  };
}

/** Checks that pass at once. */
export function createPassingChecks(timers: Timers): CheckRunner {
  return {
    launch: async () => {
      const {agent, finish, once} = playedProcess<CheckEnding>(0, timers, {...checked, exitCode: 130});
      return {...agent, go: once(() => finish(0, () => checked))};
    },
  };
}

const silent = {signal: null, stdout: '', stderr: ''};
const checked: CheckEnding = {exitCode: 0, signal: null, tail: '', logDigest: '', isLogTruncated: false};
const stoppedAgent: AgentEnding = {
  ...silent,
  exitCode: 130,
  verdict: {outcome: 'failed', failure: {kind: 'stopped', message: 'stopped'}, text: ''},
};

const sessionRef = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const identityOf = (number: number): ProcessIdentity => ({
  pid: number + 1,
  startTime: '0',
  bootId: 'simulated',
  pidNamespace: 'simulated',
});

/**
 * Common to all simulated processes: `go` works once unless stopped before, output can be held, it ends once,
 * and is reported in order.
 */
function playedProcess<Ending>(number: number, timers: Timers, stopped: Ending) {
  let end: (ending: Ending) => void = () => {};
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  let mayGo = true;
  let isHeld = false;
  let waiting: Array<() => void> = [];
  let timer: unknown;
  const report = (job: () => void) => {
    if (isHeld) waiting.push(job);
    else job();
  };
  const readOn = () => {
    isHeld = false;
    const jobs = waiting;
    waiting = [];
    for (const job of jobs) report(job);
  };
  const once = (start: () => void) => () => {
    if (mayGo) start();
    mayGo = false;
  };
  const stop = () => {
    mayGo = false;
    timers.clearTimeout(timer as never);
    readOn();
    end(stopped);
  };
  const agent: Omit<RunningAgent<Ending>, 'go'> = {
    identity: identityOf(number),
    argv: ['simulated'],
    hold: () => {
      isHeld = true;
    },
    readOn,
    interrupt: stop,
    kill: stop,
    suspend: () => {},
    wake: () => {},
    ended,
    endEverything: async () => {
      stop();
      return {ended: 0, remaining: []};
    },
  };
  const finish = (milliseconds: number, lastWords: () => Ending) => {
    timer = timers.setTimeout(() => {
      const ending = lastWords();
      report(() => end(ending));
    }, milliseconds);
  };
  return {agent, finish, report, once};
}
