import {execFile} from 'node:child_process';
import os from 'node:os';
import {promisify} from 'node:util';
import {bundleOf} from '../../machines/policies/inspect/bundle-content.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import type {Bundle, BundledJournal} from '../../services/contracts/bundle.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {readJournalLines} from '../../services/journal/read-journal.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';
import type {CliContext} from '../context.ts';
import {listAgents} from '../setup/agent-list.ts';

/** Collects the content of a bundle. Unreadable files are listed in it and never stop it: that is its purpose. */
export async function collectBundle({
  project: {folder, plans, config},
  context,
  home,
  taskId,
  runId,
}: {
  project: Project;
  context: CliContext;
  home: string;
  taskId: string;
  runId?: string;
}): Promise<Bundle> {
  const problems: string[] = [];
  const trying = async <T>(what: string, job: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await job();
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
      return null;
    }
  };
  const store = createRunStore({folder: folder.runsFolder});
  const listed = await trying('runs', () => store.list(taskId));
  for (const {file, reason} of listed?.broken ?? []) problems.push(`${file}: ${reason}`);
  const all = listed?.runs ?? [];
  const runs = runId === undefined ? all : [namedRun(all, taskId, runId)];
  const journals: BundledJournal[] = [];
  for (const {run_id} of runs) {
    const found = await trying(`journal of ${run_id}`, () =>
      readJournalLines(store.files(taskId, run_id).journal),
    );
    if (!found) continue;
    journals.push({run_id, lines: found.lines});
    for (const line of found.broken) problems.push(`journal of ${run_id}: line ${line} cannot be read`);
  }
  const plan = await trying<Plan>('plan', () => plans.read());
  return bundleOf({
    taskId,
    createdAt: context.now(),
    versions: {
      blackbird: context.version,
      node: process.version,
      system: `${os.platform()} ${os.release()} ${os.arch()}`,
      git: await gitVersion(context.env),
      agents: (await trying('agents', () => agentVersions(folder, context.env))) ?? {},
    },
    layers: await config.layers(),
    environment: Object.keys(context.env).filter((name) => /^(BLACKBIRD|AGENCY)_/.test(name)),
    plan,
    runs,
    journals,
    problems,
    person: {home, user: userName(), host: os.hostname()},
  });
}

async function agentVersions(
  folder: Project['folder'],
  env: CliContext['env'],
): Promise<Record<string, string>> {
  const agents = await listAgents({folder, env});
  return Object.fromEntries(agents.map(({id, installed, version}) => [id, installed ? version : 'none']));
}

async function gitVersion(env: CliContext['env']): Promise<string> {
  try {
    const {stdout} = await promisify(execFile)('git', ['--version'], {env: {...env}, timeout: 5_000});
    return stdout.trim().replace(/^git version /, '');
  } catch {
    return 'none';
  }
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    // In a container the user may have no name.
    return '';
  }
}
