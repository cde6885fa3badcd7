import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {Command} from 'commander';
import {Cli} from '../../src/cli/cli.ts';
import {resume} from '../../src/cli/commands/session/resume.ts';
import type {CliContext} from '../../src/cli/context.ts';
import {openSessions, type Sessions} from '../../src/cli/session/session-composition.ts';
import type {ResumeRequest, TerminalFacts} from '../../src/machines/policies/session/session-resume.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {SessionMeta} from '../../src/services/contracts/session.ts';
import {createFakeTmux, type FakeTmux} from '../fakes/fake-tmux.ts';
import {repoId, runId, sessionMeta} from '../fakes/session-runs.ts';
import {temporaryFolder} from './temp-folder.ts';

export type ResumeOptions = Partial<Omit<ResumeRequest, 'isFirst'>> & {
  readonly terminal?: Partial<TerminalFacts>;
  /** What the user types, line by line; then the input ends. */
  readonly answers?: readonly string[];
  readonly cwd?: string;
  readonly ref?: string;
};

/** The result: everything printed, the error, and every effect in order. */
export type Resumed = {
  readonly out: string;
  readonly err: string;
  readonly error: AppError | null;
  readonly log: readonly string[];
};

/** A data folder with records, a repository folder and a worktree on disk; tmux is a fake. */
export function sessionProject() {
  const around = temporaryFolder();
  const [data, repo, worktree, bin, elsewhere] = ['data', 'repo', 'worktree', 'bin', 'elsewhere'].map(
    (name) => path.join(around, name),
  ) as [string, string, string, string, string];
  for (const each of [repo, worktree, bin, elsewhere]) mkdirSync(each);
  for (const program of ['claude', 'codex', 'mine']) addProgram(bin, program);
  const tmux = createFakeTmux();

  const runFolder = (id = runId) => path.join(data, 'repos', repoId, 'runs', id);
  const addRun = (fields: Partial<SessionMeta> = {}) => {
    const meta = sessionMeta({worktree_path: worktree, repo_root: repo, ...fields});
    const folder = runFolder(meta.run_id);
    mkdirSync(folder, {recursive: true});
    writeFileSync(path.join(folder, 'meta.json'), JSON.stringify({...meta, unknown_field: {kept: true}}));
    return meta;
  };
  const metaText = (id = runId) => readFileSync(path.join(runFolder(id), 'meta.json'), 'utf8');
  const events = (id = runId): unknown[] => {
    const file = path.join(runFolder(id), 'events.jsonl');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  const open = async (options: ResumeOptions, printed: {out: string; err: string}) => {
    const answers = [...(options.answers ?? [])];
    const cli = new Cli(contextOf({around, data, bin, cwd: options.cwd ?? repo}, printed, answers));
    const command = new Command('resume');
    return {
      cli,
      command,
      sessions: await openSessions(cli, command, {tmux, ask: cli.context.ask, settleMilliseconds: 0}),
    };
  };

  return {
    data,
    repo,
    worktree,
    bin,
    elsewhere,
    tmux,
    addRun,
    runFolder,
    metaText,
    events,
    sessions: async () => (await open({}, {out: '', err: ''})).sessions,
    resume: async ({ref = runId, ...options}: ResumeOptions = {}): Promise<Resumed> => {
      const printed = {out: '', err: ''};
      const {cli, command, sessions} = await open(options, printed);
      const log = tmux.log;
      log.length = 0;
      try {
        await resume(cli, command, watched(sessions, tmux, options.terminal), ref, options);
        return {...printed, error: null, log: [...log]};
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return {...printed, error, log: [...log]};
      }
    },
    files: () => readdirSync(around, {recursive: true, encoding: 'utf8'}).sort(),
  };
}

export function addProgram(folder: string, name: string, mode = 0o755): void {
  writeFileSync(path.join(folder, name), '#!/bin/sh\nexec sleep 1000\n', {mode});
}

/** The same ports, with their effects in tmux's log as well. */
function watched(sessions: Sessions, tmux: FakeTmux, terminal: Partial<TerminalFacts> = {}): Sessions {
  const {ports} = sessions;
  const {log} = tmux;
  return {
    ...sessions,
    terminal: {isInteractive: true, canAttach: true, ...terminal},
    ports: {
      ...ports,
      lock: {
        acquire: async (id) => {
          log.push('lock');
          await ports.lock.acquire(id);
        },
        release: async () => {
          log.push('unlock');
          await ports.lock.release();
        },
      },
      events: {
        append: async (run, event) => {
          await ports.events.append(run, event);
          log.push(event.event);
        },
      },
    },
  };
}

function contextOf(
  {around, data, bin, cwd}: {around: string; data: string; bin: string; cwd: string},
  printed: {out: string; err: string},
  answers: string[],
): CliContext {
  const surface = {isTerminal: false, columns: Number.POSITIVE_INFINITY, hasColor: false};
  return {
    name: 'agency',
    version: '1.2.3',
    cwd,
    env: {HOME: around, PATH: bin, AGENCY_DATA_DIR: data},
    out: (text) => {
      printed.out += `${text}\n`;
    },
    err: (text) => {
      printed.err += `${text}\n`;
    },
    write: () => {},
    writeErr: () => {},
    onSignals: () => () => {},
    readAll: async () => '',
    ask: async (question) => {
      printed.err += question;
      return answers.shift() ?? null;
    },
    isInteractive: false,
    stdout: surface,
    stderr: surface,
    now: () => '2026-01-12T08:30:00.123Z',
  };
}
