import {existsSync} from 'node:fs';
import path from 'node:path';
import type {FactsOf} from '../../machines/policies/plan/explain-task.ts';
import {isReady} from '../../machines/policies/plan/readiness.ts';
import type {TaskFacts} from '../../machines/policies/run/task-options.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Project} from '../composition.ts';
import {liveEngine} from '../job/running-task.ts';

/** The same facts at this moment: with the time, and with the job that works here. */
export async function factsNow({folder}: Project, factsOf: FactsOf, now: string): Promise<FactsOf> {
  const engine = await liveEngine(folder);
  if (engine === null) return (task) => ({...factsOf(task), now});
  const [{newestJob, openJobs}, {jobAtWork}] = await Promise.all([
    import('../job/other-job.ts'),
    import('../../machines/policies/run/job-at-work.ts'),
  ]);
  // An unreadable record only hides what the job waits for.
  const record = await newestJob(await openJobs({folder})).catch(() => null);
  const job = jobAtWork(engine.pid, record);
  return (task) => ({...factsOf(task), now, job});
}

/** The same, with the limit that keeps this task's agent from starting although the task is ready. */
export async function withLimitOf(
  project: Project,
  plan: Plan,
  target: Task,
  factsOf: FactsOf,
  now: string,
): Promise<FactsOf> {
  const limit = isReady(plan, target) ? await limitOf(project, plan, target, now) : {};
  return (task) => ({...factsOf(task), ...(task.id === target.id && limit)});
}

async function limitOf(
  project: Project,
  plan: Plan,
  task: Task,
  now: string,
): Promise<Pick<TaskFacts, 'limit'>> {
  const {folder, env, userConfigFile} = project;
  // Most users never hit a limit, so the rest is loaded only if there is one.
  if (!existsSync(path.join(path.dirname(userConfigFile), 'limits.json'))) return {};
  const [{chooseAgent}, {knownLimits}, {agentFor}, {programsIn}] = await Promise.all([
    import('../job/choose-agent.ts'),
    import('./known-limits.ts'),
    import('../../machines/policies/run/agent-choice.ts'),
    import('./read-task-facts.ts'),
  ]);
  try {
    const {id} = await chooseAgent({folder, env});
    const {provider} = agentFor(plan, task, {
      provider: id,
      explicitProvider: programsIn(env).explicitProvider,
    });
    const until = (await knownLimits(project, [provider])).get(provider)?.until;
    return until !== undefined && Date.parse(until) > Date.parse(now) ? {limit: {provider, until}} : {};
  } catch (error) {
    // An unknown agent has no limit; running the task reports it.
    if (error instanceof AppError) return {};
    throw error;
  }
}
