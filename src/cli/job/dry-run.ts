import {requireGates, resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {jobRules} from '../../machines/policies/job/job-rules.ts';
import {repositoryWarnings} from '../../machines/policies/job/repository-warnings.ts';
import {type RuleSummary, ruleLine, ruleSummary} from '../../machines/policies/job/rule-words.ts';
import {givenUpText, waitCause} from '../../machines/policies/job/wait-lines.ts';
import {type HeldRun, heldMode, nextOf, patienceOf, type Wait} from '../../machines/policies/job/waiting.ts';
import {explainOrder, type PlannedStep} from '../../machines/policies/plan/execution-order.ts';
import {waitingForever} from '../../machines/policies/plan/never-done.ts';
import {isLeaf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import {dueReviews} from '../../machines/policies/review/parent-review.ts';
import {providerFor} from '../../machines/policies/run/agent-choice.ts';
import {type TaskFacts, taskStanding} from '../../machines/policies/run/task-options.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {nearTime} from '../../machines/policies/text/durations.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import {runProviderIds} from '../../services/contracts/provider-table.ts';
import {repositoryOf} from '../../services/git/find-repository.ts';
import {repositoryStanding} from '../../services/git/repository-standing.ts';
import type {Project} from '../composition.ts';
import type {CliContext} from '../context.ts';
import {knownLimits} from '../plan/known-limits.ts';
import {programsIn, taskFactsIn} from '../plan/read-task-facts.ts';
import {agentObstacle} from '../setup/agent-checks.ts';
import {budgetOverrides} from './budget-options.ts';
import {chooseAgent} from './choose-agent.ts';
import type {JobCommandOptions} from './job.ts';
import {liveEngine} from './running-task.ts';

/** What prevents the job from starting or finishing, and the command that fixes it. */
type Obstacle = {readonly why: string; readonly next: string | null};

export type DryRun = {
  readonly agent: string | null;
  readonly agent_source: ProviderChoice['source'] | null;
  /** Null if a setting cannot be read. */
  readonly rules: RuleSummary | null;
  readonly obstacles: readonly Obstacle[];
  /** What the job would warn about. */
  readonly warnings: readonly string[];
  /** Asked before anything else. */
  readonly decisions: readonly string[];
  /** Parents that are reviewed before a task starts. */
  readonly reviews: readonly string[];
  readonly steps: readonly PlannedStep[];
  /** What it waits for before the first of them; null if nothing is in the way. */
  readonly waits: ReturnType<typeof waitData> | null;
};

/** What `execute` would do and what would stop it, as far as that can be known without starting anything. */
export async function dryRun(
  project: Project,
  plan: Plan,
  {env, now}: Pick<CliContext, 'env' | 'now'>,
  {taskIds, options}: {readonly taskIds: readonly string[]; readonly options: JobCommandOptions},
): Promise<DryRun> {
  const factsOf = await taskFactsIn(project, plan, plan.items.values(), undefined, options.agent);
  const held = heldIn(plan, taskIds, factsOf);
  const tasks = held.flatMap(({run}) => plan.items.get(run.task_id) ?? []);
  const steps = explainOrder(plan, taskIds, null, tasks).slice(0, options.maxTasks);
  const decisions = [...plan.items.values()]
    .filter((task) => taskStanding(factsOf(task)) === 'decisionPending')
    .map(({id}) => id);
  const reviews = dueReviews(plan, factsOf).map(({id}) => id);
  const agent = await agentOf(project, env, options);
  const obstacles: Obstacle[] = [
    await jobObstacle(project),
    await gateObstacle(project, options),
    plan.items.size === 0
      ? {why: 'the plan is empty', next: 'blackbird plan generate, or blackbird add'}
      : null,
    'why' in agent ? agent : await agentProblem(agent.id, env),
  ].filter((each) => each !== null);
  obstacles.push(...foreverObstacles(plan, taskIds));
  const wait =
    'id' in agent
      ? await firstWait(project, plan, held, {agent: agent.id, taskIds, options, now: now()})
      : null;
  if (wait?.isTooLong) obstacles.push({why: givenUpText(wait), next: null});
  const warnings = await warningsOf(project, env, options);
  const rules = 'id' in agent ? await rulesOf(project, plan, agent, options, steps) : null;
  const waits = wait && !wait.isTooLong ? waitData(wait) : null;
  return {
    agent: 'id' in agent ? agent.id : null,
    agent_source: 'id' in agent ? agent.source : null,
    rules,
    obstacles,
    warnings,
    decisions,
    reviews,
    steps,
    waits,
  };
}

const waitData = ({taskId, provider, reason, until}: Wait) => ({
  task_id: taskId,
  provider,
  reason,
  retry_at: until,
});

/** The runs that an execution continues by itself, in plan order. */
function heldIn(plan: Plan, taskIds: readonly string[], factsOf: (task: Task) => TaskFacts): HeldRun[] {
  const wanted = new Set(taskIds);
  return tasksInTreeOrder(plan).flatMap(({task}) => {
    if (!isLeaf(task) || (wanted.size > 0 && !wanted.has(task.id))) return [];
    const facts = factsOf(task);
    const mode = heldMode(facts);
    return mode === null || facts.run === null ? [] : [{run: facts.run, mode}];
  });
}

/** The first limit or outage the job would run into, determined as the executor does. */
async function firstWait(
  project: Project,
  plan: Plan,
  held: readonly HeldRun[],
  {agent, taskIds, options, now}: FirstWait,
): Promise<Wait | null> {
  const {explicitProvider} = programsIn(project.env, options.agent);
  const providerOf = (task: Task) => providerFor(plan, task, {provider: agent, explicitProvider});
  const limits = await knownLimits(project, runProviderIds);
  const config = resolveConfig(await project.config.layers());
  const patience = patienceOf(config, {isImpatient: options.wait === false}, now);
  const next = nextOf(plan, held, {taskIds, attempted: [], providerOf}, {now, patience, limits});
  return next.type === 'wait' ? next.wait : null;
}

type FirstWait = {
  readonly agent: ProviderChoice['id'];
  readonly taskIds: readonly string[];
  readonly options: JobCommandOptions;
  readonly now: string;
};

/** From the settings and options, as the job would resolve them. */
async function rulesOf(
  {config}: Project,
  plan: Plan,
  choice: ProviderChoice,
  options: JobCommandOptions,
  steps: readonly PlannedStep[],
): Promise<RuleSummary | null> {
  const {review} = options;
  const asked = {...(review === undefined ? {} : {isReviewed: review}), ...budgetOverrides(options)};
  try {
    const rules = jobRules(resolveConfig(await config.layers()), choice, asked, '');
    return ruleSummary(
      rules,
      plan,
      steps.map(({id}) => id),
    );
  } catch (error) {
    // Reported as an obstacle.
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function warningsOf({folder, config}: Project, env: CliContext['env'], {review}: JobCommandOptions) {
  const top = repositoryOf(folder.root);
  const standing = top === null ? null : await repositoryStanding(top, env, AbortSignal.timeout(20_000));
  const resolved = resolveConfig(await config.layers());
  return repositoryWarnings(
    standing,
    {
      isAttended: true,
      isReviewed: review ?? settingOf(resolved, 'execution.stopAfterEachTask'),
      ...(settingOf(resolved, 'execution.commit') === 'task' && {commits: true}),
    },
    {isFirstJob: true},
  );
}

/** How many are listed. */
const mostForever = 10;

function foreverObstacles(plan: Plan, taskIds: readonly string[]): Obstacle[] {
  const wanted = new Set(taskIds);
  return [...waitingForever(plan)]
    .filter(([id]) => wanted.size === 0 || wanted.has(id))
    .slice(0, mostForever)
    .map(([id, dep]) => ({
      why: `${id} waits for ${dep}, which can never be done as the plan stands`,
      next: `blackbird why ${shellWord(id)}`,
    }));
}

async function jobObstacle({folder}: Project): Promise<Obstacle | null> {
  const engine = await liveEngine(folder);
  return engine && {why: `process ${engine.pid} runs a job here`, next: 'blackbird status'};
}

async function gateObstacle({config}: Project, {review}: JobCommandOptions): Promise<Obstacle | null> {
  const told = review === undefined ? [] : (['execution.stopAfterEachTask'] as const);
  try {
    requireGates(resolveConfig(await config.layers()), new Set(told));
    return null;
  } catch (error) {
    return obstacleIn(error);
  }
}

async function agentOf({folder}: Project, env: CliContext['env'], {agent}: JobCommandOptions) {
  try {
    return await chooseAgent({folder, env, agent});
  } catch (error) {
    return obstacleIn(error);
  }
}

async function agentProblem(id: Parameters<typeof agentObstacle>[0], env: CliContext['env']) {
  const check = await agentObstacle(id, env);
  return check && {why: `${id}: ${check.found}`, next: check.advice ?? null};
}

function obstacleIn(error: unknown): Obstacle {
  if (!(error instanceof AppError)) throw error;
  return {why: error.message, next: error.next[0]?.command ?? null};
}

/** Whoever chose no agent is told which one it is, and how to choose. */
const agentWords = ({agent, agent_source}: DryRun): string | null =>
  agent_source === 'default' ? `${agent} (default; blackbird agents use <agent> chooses)` : agent;

export function dryRunLines(found: DryRun, now: string): string[] {
  const {rules, obstacles, warnings, decisions, reviews, steps, waits} = found;
  const [first, second] = steps;
  const stops = rules?.checkpoints && first && second;
  return [
    ...(rules === null ? [] : [ruleLine(agentWords(found), rules)]),
    ...obstacles.map(
      ({why, next}) => `stops: ${displayLine(why)}${next === null ? '' : `  (${displayLine(next)})`}`,
    ),
    ...warnings.map((text) => `beware: ${displayLine(text)}`),
    ...decisions.map((id) => `first: ${displayLine(id)} waits for your decision`),
    ...reviews.map((id) => `first: the review of ${displayLine(id)}`),
    ...(waits === null
      ? []
      : [`first: a wait until ${nearTime(waits.retry_at, now)}: ${waitCause(waits)} (${waits.provider})`]),
    ...(steps.length === 0 ? ['no ready tasks'] : []),
    ...steps.map(
      ({id, title, why}, index) =>
        `${index + 1}. ${displayLine(id)}  ${displayLine(title)}  (${displayLine(why)})`,
    ),
    ...(stops
      ? [`It stops after ${displayLine(first.id)}, and after each further one, for your decision.`]
      : []),
  ];
}
