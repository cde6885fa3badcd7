import path from 'node:path';
import {
  noAgencyConfig,
  parseAgencyConfig,
  programOf,
  resolveRunnerCmd,
} from '../../machines/policies/session/session-runner.ts';
import {findExecutable} from '../../services/agents/find-executable.ts';
import {AgentSpawnError} from '../../services/contracts/agent-process.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {AgencyConfig, SessionLaunch, SessionMeta} from '../../services/contracts/session.ts';
import {configuredCheckout, isFolder, readAgencyJson} from '../../services/sessions/agency-config.ts';
import type {RepoRecords} from '../../services/sessions/repo-record.ts';
import type {CliContext} from '../context.ts';

export const configAt = (root: string): AgencyConfig =>
  readAgencyJson(root, parseAgencyConfig) ?? noAgencyConfig;

/**
 * The command of a runner, after checking that its program exists: tmux would not report it. A program inside
 * the worktree cannot be checked before the worktree exists.
 */
export function checkedCommand(
  config: AgencyConfig,
  runner: string,
  {worktree, searchPath}: {worktree: string | null; searchPath: string},
): string {
  const command = resolveRunnerCmd(config, runner);
  const program = programOf(command);
  const isOfWorktree = program?.includes('/') === true && !path.isAbsolute(program);
  if (program === null || (worktree === null && isOfWorktree)) return command;
  try {
    findExecutable(program, {cwd: worktree ?? path.sep, searchPath});
    return command;
  } catch (error) {
    if (!(error instanceof AgentSpawnError)) throw error;
    const problem = error.reason === 'not_executable' ? 'is not executable' : 'not found';
    const where = problem === 'not found' && !program.includes('/') ? ' on PATH' : '';
    throw new AppError('E_RUNNER_NOT_CONFIGURED', `runner command ${problem}${where}: ${program}`, {
      details: [
        ['runner', runner],
        ...(isOfWorktree
          ? [['hint', 'it is looked for in the worktree, which has only what is committed'] as const]
          : []),
      ],
    });
  }
}

/**
 * Where `agency.json` is read for a run: the stored repository, else the one around the user, else the
 * worktree.
 */
function configRootOf(run: SessionMeta, repos: Pick<RepoRecords, 'rootOf'>, cwd: string): string {
  const stored = [run.repo_root, repos.rootOf(run.repo_id)].filter((root) => root !== '');
  const around = stored.length > 0 ? null : configuredCheckout(cwd);
  return [...stored, around ?? ''].find(isFolder) ?? run.worktree_path;
}

/** What tmux starts. The same for the first start and every resume. */
export function launchOf(
  run: SessionMeta,
  {
    repos,
    cwd,
    env,
    dataFolder,
  }: {repos: RepoRecords; cwd: string; env: CliContext['env']; dataFolder: string},
): SessionLaunch {
  const root = configRootOf(run, repos, cwd);
  const searchPath = env.PATH ?? '';
  const command = checkedCommand(configAt(root), run.runner, {worktree: run.worktree_path, searchPath});
  return {
    argv: [command],
    env: {
      // The server may have another PATH, which would defeat the check.
      PATH: searchPath,
      AGENCY_DATA_DIR: dataFolder,
      AGENCY_RUN_ID: run.run_id,
      AGENCY_NAME: run.name,
      AGENCY_RUNNER: run.runner,
      AGENCY_BRANCH: run.branch,
      AGENCY_PARENT_BRANCH: run.parent_branch,
      AGENCY_REPO_ROOT: run.repo_root || root,
      AGENCY_WORKSPACE_ROOT: run.worktree_path,
    },
  };
}
