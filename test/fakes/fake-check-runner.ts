import type {CheckEnding, CheckRunner, RunningCheck} from '../../src/services/contracts/check-runner.ts';
import {deferred} from './memory-run-store.ts';
import {identity} from './runs.ts';

/** A test's check. It does what the test says, and nothing before its `go`. */
export type FakeCheck = {
  readonly runId: string;
  readonly command: string;
  readonly logFile: string;
  hasGone: boolean;
  isAlive: boolean;
  /** Which signals end it. A check that waits for `go` obeys every signal. */
  obeys: {interrupt: boolean; kill: boolean};
  /** What `endEverything` finds that no signal can end. */
  remaining: readonly number[];
  exits(ending?: Partial<CheckEnding>): void;
  passes(tail?: string): void;
  fails(tail?: string): void;
  /** Ends in a way that cannot be judged. */
  breaks(error: unknown): void;
};

export type FakeCheckRunner = CheckRunner & {
  /** Every check ever launched, oldest first. */
  readonly checks: FakeCheck[];
  /** The one launched last; fails the test if there is none. */
  readonly check: FakeCheck;
  alive(): FakeCheck[];
  /** What a new check does after `go`. */
  play: (check: FakeCheck) => void;
  failLaunch(error: unknown): void;
  holdLaunch(): () => void;
};

/** Checks without processes. Every operation on them is logged. */
export function createFakeCheckRunner(log: (entry: string) => void = () => {}): FakeCheckRunner {
  const checks: FakeCheck[] = [];
  let launchFailure: unknown;
  let hold: Promise<void> | undefined;

  const runner: FakeCheckRunner = {
    checks,
    get check() {
      const last = checks.at(-1);
      if (!last) throw new Error('no check was launched');
      return last;
    },
    alive: () => checks.filter(({isAlive}) => isAlive),
    play: () => {},
    failLaunch: (error) => {
      launchFailure = error;
    },
    holdLaunch: () => {
      const {promise, resolve} = deferred();
      hold = promise;
      return resolve;
    },
    launch: async ({run, command, logFile}) => {
      log(`check-launch ${run.run_id} ${command}`);
      const waiting = hold;
      hold = undefined;
      await waiting;
      if (launchFailure !== undefined) {
        const error = launchFailure;
        launchFailure = undefined;
        throw error;
      }
      const {check, running} = makeCheck({runId: run.run_id, command, logFile}, runner, log);
      checks.push(check);
      return running;
    },
  };
  return runner;
}

function makeCheck(
  named: Pick<FakeCheck, 'runId' | 'command' | 'logFile'>,
  runner: FakeCheckRunner,
  log: (entry: string) => void,
): {check: FakeCheck; running: RunningCheck} {
  const {promise: ended, resolve: end, reject: fail} = deferred<CheckEnding>();
  const {runId, command} = named;
  const check: FakeCheck = {
    ...named,
    hasGone: false,
    isAlive: true,
    obeys: {interrupt: false, kill: false},
    remaining: [],
    exits: (ending = {}) => {
      if (!check.isAlive) return;
      check.isAlive = false;
      log(`check-exit ${runId}`);
      const {logFile} = named;
      end({
        exitCode: 0,
        signal: null,
        tail: '',
        logDigest: `digest of ${logFile}`,
        isLogTruncated: false,
        ...ending,
      });
    },
    passes: (tail = 'ok') => check.exits({exitCode: 0, tail}),
    fails: (tail = 'not ok') => check.exits({exitCode: 1, tail}),
    breaks: (error) => {
      check.isAlive = false;
      fail(error);
    },
  };
  const signalled = (isObeyed: boolean, ending: Partial<CheckEnding>) => {
    if (isObeyed || !check.hasGone) check.exits(ending);
  };
  const running: RunningCheck = {
    identity: identity(50 + runner.checks.length),
    argv: ['sh', '-c', command],
    go: () => {
      if (check.hasGone || !check.isAlive) return;
      log(`check-go ${runId} ${command}`);
      check.hasGone = true;
      runner.play(check);
    },
    hold: () => {},
    readOn: () => {},
    interrupt: () => {
      log(`check-interrupt ${runId}`);
      signalled(check.obeys.interrupt, {exitCode: 130});
    },
    kill: () => {
      log(`check-kill ${runId}`);
      signalled(check.obeys.kill, {exitCode: null, signal: 'SIGKILL'});
    },
    suspend: () => log(`check-suspend ${runId}`),
    wake: () => log(`check-wake ${runId}`),
    ended,
    endEverything: async () => {
      log(`check-end ${runId}`);
      if (check.remaining.length > 0) return {ended: 0, remaining: check.remaining};
      const wasAlive = check.isAlive;
      check.exits({exitCode: null, signal: 'SIGKILL'});
      return {ended: wasAlive ? 1 : 0, remaining: []};
    },
  };
  return {check, running};
}
