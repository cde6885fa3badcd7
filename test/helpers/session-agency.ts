import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import {onTestFinished} from 'vitest';
import {builtCli, type ProcessRun} from './built-cli.ts';
import {temporaryFolder} from './temp-folder.ts';
import {openTerminal, type Terminal} from './terminal.ts';

type Env = Readonly<Record<string, string>>;

export type RunOptions = {readonly cwd?: string; readonly env?: Env; readonly name?: 'agency' | 'blackbird'};

/** A repository, data folder, programs and tmux server of their own, with the built `agency` run there. */
export function agencyProject() {
  const around = temporaryFolder();
  const [repo, home, bin, data, sockets] = ['repo', 'home', 'bin', 'data', 'tmux'].map((name) =>
    path.join(around, name),
  ) as [string, string, string, string, string];
  for (const each of [repo, home, bin, sockets]) mkdirSync(each);
  const env: Env = {
    HOME: home,
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    AGENCY_DATA_DIR: data,
    TMUX_TMPDIR: sockets,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
    PATH: [bin, path.dirname(process.execPath), process.env.PATH ?? ''].join(path.delimiter),
  };
  const addProgram = (name: string, script: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(bin, name), 0o755);
  };
  for (const name of ['agency', 'blackbird']) {
    addProgram(name, `exec '${process.execPath}' '${path.join(path.dirname(builtCli), `${name}.cjs`)}' "$@"`);
  }
  // A stand-in for an agent: prints that it started and where, then waits.
  addProgram('claude', 'echo "claude in $PWD for $AGENCY_NAME"; echo $$ >> .started; exec cat');
  addProgram('codex', 'echo "codex here"; exec cat');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {cwd: repo, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(repo, '.gitignore'), '.started\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'begin');

  const tmux = (...args: readonly string[]) => {
    const {status, stdout} = spawnSync('tmux', args, {env, encoding: 'utf8'});
    return {status, out: stdout.trim()};
  };
  onTestFinished(() => void tmux('kill-server'));

  const run = async (args: readonly string[], options: RunOptions = {}): Promise<ProcessRun> => {
    const {exitCode, stdout, stderr} = await execa(path.join(bin, options.name ?? 'agency'), args, {
      cwd: options.cwd ?? repo,
      env: {...env, ...options.env},
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      stripFinalNewline: false,
      timeout: 170_000,
    });
    return {code: exitCode, out: stdout, err: stderr};
  };
  const json = async (args: readonly string[], options?: RunOptions): Promise<unknown> => {
    const {code, out, err} = await run([...args, '--json'], options);
    if (code !== 0) throw new Error(`agency ${args.join(' ')}: ${err}`);
    return JSON.parse(out);
  };
  /** The only repository in the data folder. */
  const repoFolder = () => path.join(data, 'repos', readdirSync(path.join(data, 'repos'))[0] ?? 'none');
  const runFolder = (id: string) => path.join(repoFolder(), 'runs', id);
  const lines = (file: string): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];

  return {
    repo,
    home,
    bin,
    data,
    env,
    git,
    tmux,
    run,
    json,
    addProgram,
    repoFolder,
    runFolder,
    sessionNames: () => tmux('list-sessions', '-F', '#{session_name}').out.split('\n').filter(Boolean),
    metaText: (id: string) => readFileSync(path.join(runFolder(id), 'meta.json'), 'utf8'),
    events: (id: string): Array<Record<string, unknown>> =>
      lines(path.join(runFolder(id), 'events.jsonl')).map((line) => JSON.parse(line)),
    /** Starts a session and returns its facts. */
    begin: async (name: string, ...args: readonly string[]) => {
      const meta = (await json(['run', '--name', name, '--detached', ...args])) as Record<string, string>;
      const {run_id = '', worktree_path = '', branch = ''} = meta;
      return {id: run_id, worktree: worktree_path, branch, session: `agency_${run_id}`};
    },
    /** A terminal outside any tmux that `agency` could know, although it is one itself. */
    terminal: (): Terminal => {
      const terminal = openTerminal({folder: repo, env});
      terminal.type(`unset TMUX TMUX_PANE; export TMUX_TMPDIR='${sockets}'; clear`);
      return terminal;
    },
  };
}

export type AgencyProject = ReturnType<typeof agencyProject>;
