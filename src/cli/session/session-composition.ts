import {isatty} from 'node:tty';
import type {Command} from 'commander';
import type {SessionPorts} from '../../machines/actors/session-effects.actor.ts';
import {inSeconds, isRunId} from '../../machines/policies/session/session-names.ts';
import {findSession, requireMeta} from '../../machines/policies/session/session-refs.ts';
import {isYes, type TerminalFacts} from '../../machines/policies/session/session-resume.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {
  RepoLock,
  Repository,
  SessionEvents,
  SessionMeta,
  SessionStore,
} from '../../services/contracts/session.ts';
import type {TmuxClient} from '../../services/contracts/tmux.ts';
import {createWorktrees, type Worktrees} from '../../services/git/worktrees.ts';
import {createProcessLock} from '../../services/lock/process-lock.ts';
import {isFolder} from '../../services/sessions/agency-config.ts';
import {agencyDataFolder, agencyFiles} from '../../services/sessions/data-folder.ts';
import {createRepoLock} from '../../services/sessions/repo-lock.ts';
import {createRepoRecords, type RepoRecords} from '../../services/sessions/repo-record.ts';
import {createSessionEvents} from '../../services/sessions/session-events.ts';
import {createSessionStore} from '../../services/sessions/session-store.ts';
import {createTmuxClient} from '../../services/tmux/tmux-client.ts';
import type {Cli} from '../cli.ts';
import type {CliContext} from '../context.ts';
import {launchOf} from './runner-command.ts';
import {askOnTerminal} from './session-prompt.ts';

export type Sessions = {
  readonly cwd: string;
  readonly env: CliContext['env'];
  readonly dataFolder: string;
  readonly now: () => string;
  readonly terminal: TerminalFacts;
  readonly store: SessionStore;
  readonly events: SessionEvents;
  readonly lock: RepoLock;
  readonly repos: RepoRecords;
  readonly tmux: TmuxClient;
  readonly worktrees: Worktrees;
  /** The repository the user is in; null if there is none. */
  readonly currentRepo: () => Promise<Repository | null>;
  readonly find: (ref: string) => Promise<SessionMeta>;
  readonly ports: SessionPorts;
};

type Seams = {
  readonly tmux: TmuxClient;
  readonly ask: (question: string) => Promise<string | null>;
  readonly settleMilliseconds: number;
};

/** Connects the session commands to the real services; tests pass in what must not be real. */
export async function openSessions(
  cli: Cli,
  command: Command,
  seams: Partial<Seams> = {},
): Promise<Sessions> {
  const {context} = cli;
  const {env} = context;
  const {
    tmux = createTmuxClient(env),
    ask = (question) => askOnTerminal(question, {write: context.writeErr, input: process.stdin}),
    settleMilliseconds = 1000,
  } = seams;
  const cwd = cli.folder(command);
  const now = () => inSeconds(context.now());
  const surroundings = {env, home: await cli.home(), cwd: context.cwd, platform: process.platform};
  const dataFolder = agencyDataFolder(surroundings);
  const files = agencyFiles(dataFolder);
  const store = createSessionStore(files, {isId: isRunId});
  const events = createSessionEvents(files, now);
  const repos = createRepoRecords(files, now);
  const worktrees = createWorktrees(env);
  const lock = createRepoLock(files, async (file) => createProcessLock(file));
  const currentRepo = async () => {
    try {
      return await worktrees.repositoryAt(cwd);
    } catch (error) {
      if (error instanceof AppError && ['E_NO_REPO', 'E_GIT_NOT_INSTALLED'].includes(error.code)) return null;
      throw error;
    }
  };
  const find = async (ref: string) =>
    requireMeta(
      await findSession(await store.list(), ref, async () => (await currentRepo())?.repoId ?? null),
    );

  const ports: SessionPorts = {
    findRun: find,
    hasWorktree: async ({worktree_path}) => isFolder(worktree_path),
    confirm: async (question) => isYes(await ask(question)),
    resolveRunner: async (run) => launchOf(run, {repos, cwd, env, dataFolder}),
    lock: shielded(lock),
    events,
    tmux,
    settleMilliseconds,
    warn: (error) => context.err(`warning: ${displayLine(warningOf(error))}`),
  };
  const canAttach = Boolean(env.TMUX) || isatty(0);
  const terminal = {isInteractive: context.isInteractive, canAttach};
  return {
    cwd,
    env,
    dataFolder,
    now,
    terminal,
    store,
    events,
    lock,
    repos,
    tmux,
    worktrees,
    currentRepo,
    find,
    ports,
  };
}

/** In one line, with the file that is in the way. */
function warningOf(error: unknown): string {
  const known = error instanceof AppError ? Object.fromEntries(error.details) : {};
  const why = known.file === undefined ? '' : `: ${known.file} (${known.reason ?? 'cannot be written'})`;
  return `${messageOf(error)}${why}; the session is not affected`;
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a job that must not be interrupted halfway, even if it ends the session we are in. */
export async function withoutInterruption<T>(job: () => Promise<T>): Promise<T> {
  const restore = ignoreStopSignals();
  try {
    return await job();
  } finally {
    restore();
  }
}

/** Nothing may stop us between the end of the old session and the start of the new one. */
function shielded(lock: RepoLock): RepoLock {
  let restore: (() => void) | null = null;
  return {
    acquire: async (repoId) => {
      await lock.acquire(repoId);
      restore = ignoreStopSignals();
    },
    release: async () => {
      restore?.();
      await lock.release();
    },
  };
}

function ignoreStopSignals(): () => void {
  const ignore = () => {};
  for (const signal of stopSignals) process.on(signal, ignore);
  return () => {
    for (const signal of stopSignals) process.off(signal, ignore);
  };
}
