import {accessSync, constants, existsSync} from 'node:fs';
import path from 'node:path';
import {builtInRunners, defaultRunner} from '../../machines/policies/session/session-runner.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {AgencyConfig, Repository} from '../../services/contracts/session.ts';
import {isFolder} from '../../services/sessions/agency-config.ts';
import {runProgram} from '../../services/system/run-program.ts';
import type {Check} from '../setup/check.ts';
import {checkedCommand, configAt} from './runner-command.ts';
import type {Sessions} from './session-composition.ts';
import {viewsOf} from './session-view.ts';

/** What interactive sessions depend on, and which of them need attention. Changes nothing. */
export async function checkSessions(sessions: Sessions, program: string): Promise<Check[]> {
  const {env} = sessions;
  const git = await checkTool('git', ['--version'], env, 'sessions work in git worktrees; install git');
  const tmux = await checkTool('tmux', ['-V'], env, 'sessions run in tmux; install tmux 3.2 or newer');
  const repository = git.state === 'good' ? await sessions.currentRepo() : null;
  const config = checkConfig(repository);
  return [
    git,
    tooOld(tmux) ?? tmux,
    checkDataFolder(sessions.dataFolder),
    repository
      ? {name: 'repository', state: 'good', found: `${repository.root} (${repository.repoId})`}
      : {name: 'repository', state: 'missing', found: `none around ${sessions.cwd}`},
    config.check,
    ...checkRunners(config.config, repository?.root ?? sessions.cwd, env.PATH ?? ''),
    await checkRecords(sessions, program),
  ];
}

async function checkTool(
  name: string,
  args: readonly string[],
  env: Sessions['env'],
  advice: string,
): Promise<Check> {
  const result = await runProgram({file: name, args, env, timeLimitMs: 10_000});
  if (result.type === 'notFound') return {name, state: 'wrong', found: 'not installed', advice};
  if (result.type === 'failed') return {name, state: 'wrong', found: result.reason, advice};
  return {
    name,
    state: result.code === 0 ? 'good' : 'wrong',
    found: result.stdout.trim() || `exit code ${result.code}`,
  };
}

/** `new-session -e` was added in 3.2. */
function tooOld({name, state, found}: Check): Check | null {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(found) ?? [];
  if (state !== 'good' || major === undefined) return null;
  const isNew = Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 2);
  return isNew ? null : {name, state: 'wrong', found, advice: 'sessions need tmux 3.2 or newer'};
}

function checkDataFolder(folder: string): Check {
  const name = 'data';
  let existing = folder;
  while (!existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  try {
    if (!isFolder(existing)) throw new Error('not a folder');
    accessSync(existing, constants.W_OK | constants.X_OK);
    return {name, state: 'good', found: existing === folder ? folder : `${folder} is created on first use`};
  } catch {
    return {name, state: 'wrong', found: `${folder} cannot be written`, advice: 'set AGENCY_DATA_DIR'};
  }
}

function checkConfig(repository: Repository | null): {check: Check; config: AgencyConfig | null} {
  const name = 'agency.json';
  if (!repository) return {check: {name, state: 'missing', found: 'no repository'}, config: null};
  try {
    const config = configAt(repository.root);
    const runners = [...config.runners.keys()].join(', ');
    const found = runners === '' ? 'no runners of its own' : `runners: ${runners}`;
    return {check: {name, state: 'good', found}, config};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const file = path.join(repository.root, name);
    return {check: {name, state: 'wrong', found: error.message, advice: `fix ${file}`}, config: null};
  }
}

function checkRunners(config: AgencyConfig | null, root: string, searchPath: string): Check[] {
  const known = config ?? {runners: new Map<string, string>(), runner: null, parentBranch: null};
  const preferred = known.runner ?? defaultRunner;
  const names = new Set([preferred, ...builtInRunners, ...known.runners.keys()]);
  return [...names].map((runner): Check => {
    const name = runner === preferred ? `${runner} (default)` : runner;
    try {
      return {name, state: 'good', found: checkedCommand(known, runner, {worktree: root, searchPath})};
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isOwn = known.runners.has(runner);
      const advice = isOwn ? 'fix the runners in agency.json' : 'install it, or choose another with --runner';
      return {name, state: isOwn ? 'wrong' : 'missing', found: error.message, advice};
    }
  });
}

async function checkRecords(sessions: Sessions, program: string): Promise<Check> {
  const entries = await sessions.store.list();
  const views = await viewsOf(sessions, entries);
  const ill = views.filter(({status}) => status === 'broken' || status === 'worktree missing');
  const name = 'sessions';
  if (ill.length === 0) return {name, state: 'good', found: `${views.length} known`};
  const found = ill.map(({run_id, status}) => `${run_id} (${status})`).join(', ');
  const broken = entries.find(({meta}) => meta === null);
  const advice = broken
    ? `fix ${broken.file} (${broken.problem}), or remove its folder`
    : `${program} clean ${ill[0]?.run_id}`;
  return {name, state: 'wrong', found, advice};
}
