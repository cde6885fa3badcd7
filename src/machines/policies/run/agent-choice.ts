import type {ProviderId} from '../../../services/contracts/agent.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import {isModelText, type ModelChoice} from '../../../services/contracts/model-choice.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {
  hasEfforts,
  type NativeProviderId,
  type ProgramId,
  programIds,
  providerIds,
  providerNames,
  providerTable,
} from '../../../services/contracts/provider-table.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {ancestorsOf, isLeaf, walkTree} from '../plan/plan-graph.ts';

/** The models a job asks for: those named for it, and those in the settings of each agent. */
export type ModelChoices = {
  readonly asked: ModelChoice;
  readonly settings: Readonly<Partial<Record<ProviderId, ModelChoice>>>;
};

/** The agent of a job and the models it asks for. */
export type JobAgent = {
  readonly provider: ProviderId;
  /** Named for the job: takes precedence over what a task names. */
  readonly explicitProvider: ProviderId | null;
  readonly modelChoices?: ModelChoices;
};

/**
 * Chooses the agent and model of a task: named for the job, then by the task, then by its parents (nearest first), then
 * in the settings. A model only counts together with the agent it was named for.
 */
export function agentFor(
  plan: Plan,
  task: Task,
  job: JobAgent,
): {readonly provider: ProviderId} & ModelChoice {
  const levels = [task, ...ancestorsOf(plan, task)];
  const named = levels.find(({agent}) => agent)?.agent ?? null;
  const provider = job.explicitProvider ?? (named === null ? job.provider : requireAgent(named, task.id));
  const chosen = (field: keyof ModelChoice): string | undefined => {
    const said = levels.find(({[field]: value}, at) => value && isFor(provider, levels.slice(at)))?.[field];
    return (
      job.modelChoices?.asked[field] ?? (said || undefined) ?? job.modelChoices?.settings[provider]?.[field]
    );
  };
  return {provider, ...modelChoiceOf({model: chosen('model'), effort: chosen('effort')})};
}

/** The task's provider; an unknown agent is reported when its task starts. */
export function providerFor(plan: Plan, task: Task, job: JobAgent): ProviderId {
  try {
    return agentFor(plan, task, job).provider;
  } catch (error) {
    if (error instanceof AppError) return job.provider;
    throw error;
  }
}

/** Whether a model named at this level is meant for this agent. */
function isFor(provider: ProviderId, levels: readonly Task[]): boolean {
  const named = levels.find(({agent}) => agent)?.agent ?? null;
  return named === null || named.toLowerCase() === provider;
}

function requireAgent(name: string, taskId: string): NativeProviderId {
  const id = providerIds.find((each) => each === name.toLowerCase());
  if (id) return id;
  throw new AppError(
    'E_AGENT_UNKNOWN',
    `task ${taskId} names the agent ${JSON.stringify(name)}, which is unknown`,
    {
      details: [['known', providerNames]],
      next: [{command: `blackbird edit ${shellWord(taskId)} --agent <provider>`, why: 'name another'}],
    },
  );
}

/** Drops everything that was not asked for. */
export const modelChoiceOf = ({
  model,
  effort,
}: {readonly [K in keyof ModelChoice]: string | undefined}): ModelChoice => ({
  ...(model === undefined ? {} : {model}),
  ...(effort === undefined ? {} : {effort}),
});

/** The reviewer's model: tasks cannot name one. */
export const reviewerModel = (provider: ProviderId, modelChoices: ModelChoices | undefined): ModelChoice => ({
  ...modelChoices?.settings[provider],
  ...modelChoices?.asked,
});

/** The agents that the tasks of a job name, each with the first task that names it. */
export function namedAgents(
  plan: Plan,
  taskIds: readonly string[],
  {explicitProvider}: Pick<JobAgent, 'explicitProvider'>,
): ReadonlyMap<NativeProviderId, string> {
  const found = new Map<NativeProviderId, string>();
  if (explicitProvider !== null || ![...plan.items.values()].some(({agent}) => agent)) return found;
  const wanted = new Set(taskIds);
  const agents = new Map<string, string | null>();
  // Parents come before their children.
  for (const {task} of walkTree(plan)) {
    const agent = task.agent || (agents.get(task.parentId ?? '') ?? null);
    agents.set(task.id, agent);
    const isMeant = isLeaf(task) && task.status === 'todo' && (wanted.size === 0 || wanted.has(task.id));
    if (agent === null || !isMeant) continue;
    const id = requireAgent(agent, task.id);
    if (!found.has(id)) found.set(id, task.id);
  }
  return found;
}

/** Nothing has started with the missing agent, so any other agent would do. */
export function beginnerMissing(provider: ProviderId, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'E_AGENT_NOT_FOUND') return error;
  const others = providerIds.flatMap((id) => {
    const {title, install} = providerTable[id];
    return id === provider || install === null ? [] : [{command: install, why: `or use ${title} instead`}];
  });
  const demo = {command: 'blackbird demo', why: 'or watch the built-in demo agent: no account is needed'};
  return new AppError(error.code, error.message, {
    details: error.details,
    next: [...error.next.slice(0, 1), ...others, demo, ...error.next.slice(1)],
  });
}

/** The agent that a task names is missing or refuses. The job must know this before it starts anything. */
export function namedAgentUnusable(taskId: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const {code, message, details, next} = error;
  if (code !== 'E_AGENT_NOT_FOUND' && code !== 'E_PROVIDER_REFUSED') return error;
  return new AppError(code, `task ${taskId} names its own agent: ${message}`, {
    details: [['task', taskId], ...details],
    next: [
      ...next,
      {command: `blackbird edit ${shellWord(taskId)} --clear-agent`, why: 'use the agent of the job'},
    ],
  });
}

/** The models a job asks for, if any. They become arguments, so each must be a single word. */
export function modelChoicesIn(
  config: ResolvedConfig,
  asked: ModelChoice,
): {readonly modelChoices?: ModelChoices} {
  const named = checked(modelChoiceOf({model: asked.model, effort: asked.effort}), '--');
  const set = (id: ProgramId) => {
    const model = settingOf(config, `${id}.model`) || undefined;
    const effort = (hasEfforts(id) && settingOf(config, `${id}.effort`)) || undefined;
    return checked(modelChoiceOf({model, effort}), `${id}.`);
  };
  const settings = Object.fromEntries(programIds.map((id) => [id, set(id)]));
  const isEmpty = [named, ...Object.values(settings)].every((each) => Object.keys(each).length === 0);
  return isEmpty ? {} : {modelChoices: {asked: named, settings}};
}

function checked(modelChoice: ModelChoice, where: string): ModelChoice {
  for (const [name, value] of Object.entries(modelChoice)) {
    if (isModelText(value)) continue;
    throw new AppError('E_CONFIG', `${where}${name} must be one word, not ${JSON.stringify(value)}`);
  }
  return modelChoice;
}
