import {fromPromise} from 'xstate';
import type {
  RepoLock,
  SessionEvent,
  SessionEvents,
  SessionLaunch,
  SessionMeta,
} from '../../services/contracts/session.ts';
import type {CommandEnd, NewSession, TmuxClient} from '../../services/contracts/tmux.ts';

/** What the session machine acts through. */
export type SessionPorts = {
  readonly findRun: (ref: string) => Promise<SessionMeta>;
  readonly hasWorktree: (run: SessionMeta) => Promise<boolean>;
  readonly confirm: (question: string) => Promise<boolean>;
  readonly resolveRunner: (run: SessionMeta) => Promise<SessionLaunch>;
  readonly lock: RepoLock;
  readonly events: Pick<SessionEvents, 'append'>;
  readonly tmux: Pick<TmuxClient, 'hasSession' | 'newSession' | 'release' | 'killSession' | 'attach'>;
  /** How long a runner must live to count as started. */
  readonly settleMilliseconds: number;
  /** Called while tmux does not have the terminal yet. */
  readonly warn: (error: unknown) => void;
};

/** Adapts the ports to the actors that `sessionMachine` invokes. */
export function defineSessionActors(ports: SessionPorts) {
  const {tmux, lock, events} = ports;
  return {
    findRun: fromPromise<SessionMeta, {ref: string}>(({input}) => ports.findRun(input.ref)),
    hasWorktree: fromPromise<boolean, {run: SessionMeta}>(({input}) => ports.hasWorktree(input.run)),
    hasSession: fromPromise<boolean, {name: string}>(({input}) => tmux.hasSession(input.name)),
    confirm: fromPromise<boolean, {question: string}>(({input}) => ports.confirm(input.question)),
    resolveRunner: fromPromise<SessionLaunch, {run: SessionMeta}>(({input}) =>
      ports.resolveRunner(input.run),
    ),
    acquireLock: fromPromise<void, {repoId: string}>(({input}) => lock.acquire(input.repoId)),
    killSession: fromPromise<void, {name: string}>(({input}) => tmux.killSession(input.name)),
    newSession: fromPromise<void, NewSession>(({input}) => tmux.newSession(input)),
    releaseSession: fromPromise<CommandEnd | null, {name: string}>(({input}) => tmux.release(input.name)),
    recordEvent: fromPromise<void, {run: SessionMeta; event: SessionEvent}>(({input}) =>
      events.append(input.run, input.event),
    ),
    releaseLock: fromPromise<void, void>(() => lock.release()),
    attach: fromPromise<void, {name: string}>(({input}) => tmux.attach(input.name)),
  };
}
