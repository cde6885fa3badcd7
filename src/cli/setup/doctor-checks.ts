import {constants} from 'node:fs';
import {access, lstat, readdir} from 'node:fs/promises';
import path from 'node:path';
import {resolveConfig} from '../../machines/policies/config-resolution.ts';
import {unrecordedAdvice, unrecordedText} from '../../machines/policies/job/repository-warnings.ts';
import {canGoOnHere} from '../../machines/policies/run/run-options.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {livingProcesses} from '../../services/agents/orphans.ts';
import {hasReaper} from '../../services/agents/reaped-tree.ts';
import {AppError, messageOf, shellWord, systemErrorCode} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {repositoryOf} from '../../services/git/find-repository.ts';
import {findFlock} from '../../services/lock/kernel-lock.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import {writeReason, writeSteps} from '../../services/stores/store-errors.ts';
import {liveEngine} from '../job/running-task.ts';
import {checkAgents, checkTool} from './agent-checks.ts';
import type {Check, Surroundings} from './check.ts';

/** Everything Blackbird depends on, as soon as it is known. `missing` is optional, `wrong` must be fixed. */
export async function* runChecks(surroundings: Surroundings): AsyncGenerator<Check, void> {
  // Other programs take longest: they are asked while the rest is reported.
  const agents = checkAgents(surroundings);
  // Marked as handled: it is awaited at the end, where its error belongs.
  agents.catch(() => {});
  const tools = Promise.all(
    optionalTools.map(([name, args, advice]) => checkTool(name, args, advice, surroundings.env)),
  );
  yield checkNode();
  yield await checkPlan(surroundings);
  yield await checkConfig(surroundings);
  yield await checkStateFolder(surroundings);
  yield* await checkOrProblem('run', () => checkRuns(surroundings));
  yield* await checkOrProblem('agent', () => checkOrphans(surroundings));
  yield checkLock();
  yield checkReaper();
  yield* await tools;
  yield checkRepository(surroundings);
  yield* await agents;
}

const optionalTools: ReadonlyArray<readonly [name: string, args: readonly string[], advice: string]> = [
  ['git', ['--version'], 'without git the change of a task cannot be shown'],
  ['tmux', ['-V'], 'needed for interactive sessions only'],
];

/** If a check itself fails, that is its result. */
async function checkOrProblem(name: string, look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.next.map(({command}) => command).join('  or  ');
    return [{name, state: 'wrong', found: error.message, ...(advice === '' ? {} : {advice})}];
  }
}

function checkNode(): Check {
  const major = Number(process.versions.node.split('.')[0]);
  const found = process.version;
  if (major >= 20) return {name: 'node', state: 'good', found};
  return {name: 'node', state: 'wrong', found, advice: 'Blackbird needs Node.js 20 or newer'};
}

async function checkPlan({project: {plans}}: Surroundings): Promise<Check> {
  try {
    const check = await plans.inspect();
    if ('plan' in check)
      return {
        name: 'plan',
        state: 'good',
        found: `${counted(check.plan.items.size, 'task')} in ${plans.file}`,
      };
    const [first] = check.problems;
    const found = `${counted(check.problems.length, 'problem')} in ${plans.file}: ${first?.path}: ${first?.message}`;
    return {name: 'plan', state: 'wrong', found, advice: 'blackbird validate'};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.next.map(({command}) => command).join('  or  ');
    const state = error.code === 'E_PLAN_NOT_FOUND' ? 'missing' : 'wrong';
    return {name: 'plan', state, found: error.message, ...(advice === '' ? {} : {advice})};
  }
}

async function checkConfig({project: {config}}: Surroundings): Promise<Check> {
  const layers = await config.layers();
  const {warnings} = resolveConfig(layers);
  if (warnings.length > 0) {
    return {name: 'config', state: 'wrong', found: warnings.join('; '), advice: 'blackbird config list'};
  }
  const used = layers.filter(({content}) => content !== null).map(({file}) => file);
  return {name: 'config', state: 'good', found: used.length === 0 ? 'defaults only' : used.join(', ')};
}

async function checkStateFolder({project: {folder}}: Surroundings): Promise<Check> {
  const name = 'state';
  try {
    const found = await lstat(folder.stateFolder);
    if (!found.isDirectory()) {
      return {name, state: 'wrong', found: `${folder.stateFolder} is not a folder`, advice: 'move it aside'};
    }
    if ((found.mode & 0o077) !== 0) {
      return {
        name,
        state: 'wrong',
        found: `${folder.stateFolder} can be read by others`,
        advice: `chmod 700 ${shellWord(folder.stateFolder)}`,
      };
    }
    const refused: unknown = await access(folder.stateFolder, constants.W_OK | constants.X_OK).catch(
      (error: unknown) => error,
    );
    if (refused !== undefined) {
      const found = `${folder.stateFolder} cannot be written: ${writeReason(refused)}`;
      const [step] = writeSteps(path.join(folder.stateFolder, 'lock'), refused);
      return {name, state: 'wrong', found, ...(step ? {advice: step.command} : {})};
    }
    const leftovers = (await readdir(folder.stateFolder)).filter((entry) => entry.endsWith('.tmp'));
    const count =
      leftovers.length === 0
        ? ''
        : `, ${counted(leftovers.length, 'left-over temporary file')} (removed by the next write)`;
    return {name, state: 'good', found: `${folder.stateFolder}${count}`};
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return {name, state: 'good', found: `${folder.stateFolder} is created on first use`};
    }
    return {name, state: 'wrong', found: messageOf(error)};
  }
}

/** Records that prevent their tasks from running. Silent if there are none, or no plan that names tasks. */
async function checkRuns({project: {plans, folder}}: Surroundings): Promise<Check[]> {
  // Problems of the plan itself are reported by its own check.
  const plan = await plans.read().catch(() => null);
  const store = createRunStore({folder: folder.runsFolder});
  const checks: Check[] = [];
  for (const taskId of plan?.items.keys() ?? []) {
    const {broken} = await store.list(taskId);
    for (const {file, reason} of broken) {
      const name = shellWord(file);
      checks.push({
        name: 'run',
        state: 'wrong',
        found: `${file} cannot be used: ${reason}`,
        advice: `mv ${name} ${name}.broken`,
      });
    }
  }
  return checks;
}

/** Agents still running although their Blackbird is gone. Silent if there are none. */
async function checkOrphans({project: {plans, folder}}: Surroundings): Promise<Check[]> {
  if ((await liveEngine(folder)) !== null) return [];
  // Problems of the plan are reported by its own check; the agent is alive all the same.
  const plan = await plans.read().catch(() => null);
  const store = createRunStore({folder: folder.runsFolder});
  const checks: Check[] = [];
  for (const taskId of await store.runningTaskIds()) {
    const {runs} = await store.list(taskId);
    for (const run of runs.filter(({state}) => state === 'running')) {
      const pids = livingProcesses(run);
      if (pids.length === 0) continue;
      checks.push({
        name: 'agent',
        state: 'wrong',
        found: `run ${run.run_id} of ${taskId} works without a Blackbird: ${pids.join(', ')}`,
        advice: plan?.items.has(taskId) ? endingCommand(run) : 'blackbird execute ends it first',
      });
    }
  }
  return checks;
}

/** Every job first ends what a dead Blackbird left; these continue the same task. */
function endingCommand(run: RunRecord): string {
  if (run.run_type === 'review') return 'blackbird execute ends it and reviews again';
  return canGoOnHere(run)
    ? `blackbird resume ${shellWord(run.task_id)} ends it and continues`
    : `blackbird restart ${shellWord(run.task_id)} ends it and starts again`;
}

function checkRepository({project: {folder}}: Surroundings): Check {
  const [name, found] = ['repository', repositoryOf(folder.root)];
  if (found !== null) return {name, state: 'good', found};
  return {name, state: 'missing', found: unrecordedText, advice: unrecordedAdvice};
}

function checkReaper(): Check {
  const name = 'reaper';
  if (hasReaper()) return {name, state: 'good', found: 'whatever an agent starts is ended with its run'};
  const found = 'a tool that clears its environment and leaves its session can outlive a run';
  return {
    name,
    state: 'missing',
    found,
    ...(process.platform === 'linux' ? {advice: 'needs /usr/bin/perl on x64 or arm64'} : {}),
  };
}

function checkLock(): Check {
  const flock = process.platform === 'linux' ? findFlock() : null;
  if (flock !== null)
    return {name: 'lock', state: 'good', found: `one job at a time, by a lock of the kernel (${flock})`};
  return {name: 'lock', state: 'good', found: 'one job at a time, by linked files; no flock program here'};
}
