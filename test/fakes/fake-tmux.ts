import {AppError} from '../../src/services/contracts/errors.ts';
import type {CommandEnd, NewSession, TmuxClient} from '../../src/services/contracts/tmux.ts';

export type FakeTmux = TmuxClient & {
  /** The running sessions, by name; a test may add foreign ones. */
  readonly sessions: Map<string, NewSession>;
  /** All calls in order; a test may write into it as well. */
  readonly log: string[];
  readonly keys: string[];
  /** Sessions whose command ended, and how; they stay until released or killed. */
  readonly ended: Map<string, CommandEnd>;
  /** Runs before a call has any effect: `nth` counts the calls of that name from 1. It may throw. */
  before(call: keyof TmuxClient, nth: number, job: () => void): void;
};

/** A tmux that keeps its sessions like the real one, and logs its calls. */
export function createFakeTmux(log: string[] = []): FakeTmux {
  const sessions = new Map<string, NewSession>();
  const keys: string[] = [];
  const ended = new Map<string, CommandEnd>();
  const jobs = new Map<string, () => void>();
  const counts = new Map<string, number>();
  const called = (call: keyof TmuxClient, name?: string) => {
    log.push(name === undefined ? call : `${call} ${name}`);
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    jobs.get(`${call} ${nth}`)?.();
  };
  const requireSession = (command: string, name: string) => {
    if (!sessions.has(name)) throw tmuxFailure(command, `can't find session: ${name}`);
  };

  return {
    sessions,
    log,
    keys,
    ended,
    before: (call, nth, job) => void jobs.set(`${call} ${nth}`, job),
    hasSession: async (name) => {
      called('hasSession', name);
      return sessions.has(name);
    },
    newSession: async (session) => {
      if (session.argv.length === 0) throw new Error('a session needs a command');
      called('newSession', session.name);
      if (sessions.has(session.name)) throw tmuxFailure('new-session', `duplicate session: ${session.name}`);
      sessions.set(session.name, session);
    },
    release: async (name) => {
      called('release', name);
      if (!sessions.has(name)) return {exitCode: null, signal: null, lastLines: []};
      return ended.get(name) ?? null;
    },
    attach: async (name) => {
      called('attach', name);
      requireSession('attach', name);
    },
    captureScreen: async (name) => {
      called('captureScreen', name);
      return sessions.has(name) ? [`screen of ${name}`] : null;
    },
    killSession: async (name) => {
      called('killSession', name);
      sessions.delete(name);
      ended.delete(name);
    },
    sendKeys: async (name, sent) => {
      if (sent.length === 0) throw new Error('there are no keys to send');
      called('sendKeys', name);
      requireSession('send-keys', name);
      keys.push(...sent);
    },
    listSessions: async () => {
      called('listSessions');
      return [...sessions.keys()];
    },
  };
}

export function tmuxFailure(command: string, reason: string): AppError {
  return new AppError('E_TMUX_FAILED', `tmux ${command} failed (exit=1): ${reason}`);
}
