import {createEngine} from '../../machines/engine.ts';
import {checkPlanChange} from '../../machines/policies/plan/plan-validation.ts';
import type {Draw} from '../../machines/policies/simulation/draws.ts';
import {type Night, reviewOf} from '../../machines/policies/simulation/night.ts';
import {type LimitWindow, stretchOf} from '../../machines/policies/simulation/quota.ts';
import {createVirtualClock} from '../../machines/virtual-clock.ts';
import type {ConfigLayer} from '../../services/contracts/config.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {createMemoryServices} from '../../services/memory/memory-services.ts';
import type {Script} from '../../services/memory/scripted-agents.ts';

export type MachineNight = {
  readonly plan: Plan;
  readonly settings: readonly ConfigLayer[];
  readonly agent: ProviderChoice;
  readonly limit: LimitWindow | null;
  readonly drawOf: (taskId: string, attempt: number) => Draw;
  readonly start: number;
  /** Called for every agent that starts. */
  readonly onAgent?: () => void;
};

/** One night in the real machines: the engine of every job, in memory, on a simulated clock. */
export async function machineNight({
  plan,
  settings,
  agent,
  limit,
  drawOf,
  start,
  onAgent,
}: MachineNight): Promise<Night> {
  const clock = createVirtualClock(start);
  const order: string[] = [];
  const attempts = new Map<string, number>();
  const played = new Map<string, {draw: Draw; left: number}>();
  let costUsd = 0;

  const scriptOf = (run: RunRecord): Script => {
    const name = run.run_type === 'review' ? reviewOf(run.task_id) : run.task_id;
    let own = played.get(run.run_id);
    if (!own) {
      const attempt = (attempts.get(name) ?? 0) + 1;
      attempts.set(name, attempt);
      order.push(name);
      onAgent?.();
      const draw = drawOf(name, attempt);
      own = {draw, left: draw.milliseconds};
      played.set(run.run_id, own);
      costUsd += draw.costUsd;
    }
    const {draw, left} = own;
    const {milliseconds, resetAt} = stretchOf(clock.now(), left, limit);
    own.left -= milliseconds;
    if (resetAt !== null) return {milliseconds, verdict: limited(resetAt)};
    const usage = {input_tokens: 0, output_tokens: 0, cost_usd: draw.costUsd};
    return {milliseconds, verdict: run.run_type === 'review' ? passed : verdictOf(draw), usage};
  };

  const services = createMemoryServices({
    plan,
    rules: {checkChange: checkPlanChange},
    settings,
    agent,
    clock,
    scriptOf,
  });
  const engine = createEngine(services, {clock});
  let isOver = false;
  const job = engine.start({steps: [{type: 'execute', taskIds: []}], options: {}}).finally(() => {
    isOver = true;
  });
  // Marked as handled: it is awaited below, when the clock has run as far as it can.
  job.catch(() => {});
  while (!isOver) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (!isOver && !clock.advance()) break;
  }
  const {reason} = await job;
  const after = await services.plans.read();
  const statusOf = (id: string) => after.items.get(id)?.status;
  const tasks = [...new Set(order)];
  // A task with a question, or one at its checkpoint, with no one to decide at night.
  const needing = reason === 'decision_required' ? 'in_progress' : 'waiting_user';
  return {
    order,
    reason,
    // The last one: others may rest because the budget is used up.
    needsPerson: tasks.findLast((id) => statusOf(id) === needing) ?? null,
    done: tasks.filter((id) => statusOf(id) === 'done').length,
    failed: tasks.filter((id) => statusOf(id) === 'failed'),
    milliseconds: clock.now() - start,
    costUsd,
  };
}

const passed: Script['verdict'] = {
  outcome: 'succeeded',
  text: JSON.stringify({passed: true, resumeTaskIds: [], feedbackForResume: '', reviewResults: []}),
};

function verdictOf({outcome}: Draw): Script['verdict'] {
  if (outcome === 'failed') {
    return {outcome, failure: {kind: 'agent_error', message: 'simulated'}, text: 'simulated'};
  }
  const question = {blackbird: {questions: [{id: 'q1', prompt: 'Simulated?'}]}};
  const text = outcome === 'asks' ? `\`\`\`json\n${JSON.stringify(question)}\n\`\`\`` : 'done';
  return {outcome: 'succeeded', text};
}

const limited = (until: number): Script['verdict'] => ({
  outcome: 'failed',
  failure: {kind: 'rate_limit', message: 'simulated', reset_at: new Date(until).toISOString()},
  text: '',
});
