import type {ProviderId} from '../../services/contracts/agent.ts';
import type {SeenLimit} from '../../services/contracts/limits.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {type HeldRun, heldMode, type Patience, type TimeFacts} from '../policies/job/waiting.ts';
import {isLeaf, walkTree} from '../policies/plan/plan-graph.ts';
import {isHeldForTime} from '../policies/run/retry-time.ts';
import {latestDeliveredRun} from '../policies/run/task-runs.ts';
import {pendingOf} from './pending-feedback.ts';
import {factsHere} from './run-situation.ts';

/** The current time and limits of these providers. */
export async function timeFacts(
  {limits, now}: Pick<Services, 'limits' | 'now'>,
  patience: Patience,
  providers: Iterable<ProviderId>,
): Promise<TimeFacts> {
  const known = new Map<ProviderId, SeenLimit>();
  for (const provider of new Set(providers)) {
    const limit = await limits.read(provider);
    if (limit) known.set(provider, limit);
  }
  return {now: now(), patience, limits: known};
}

/** The runs that only need time, in plan order, whichever job left them. */
export async function heldRuns(
  services: Services,
  plan: Plan,
  {
    taskIds,
    except,
    explicitProvider,
  }: {
    readonly taskIds: readonly string[];
    readonly except: ReadonlySet<string>;
    readonly explicitProvider: ProviderId | null;
  },
): Promise<readonly HeldRun[]> {
  // Asked before every task, and usually nothing is held: no walk through the tree for that.
  if (!hasOpenTask(plan)) return [];
  const wanted = new Set(taskIds);
  const held: HeldRun[] = [];
  for (const {task} of walkTree(plan)) {
    const isWanted = (wanted.size === 0 || wanted.has(task.id)) && !except.has(task.id);
    if (!isWanted || !isOpen(task)) continue;
    const {runs, broken} = await services.runs.list(task.id);
    const run = broken.length === 0 ? latestDeliveredRun(runs) : null;
    if (run === null || !isHeldForTime(run)) continue;
    // Review feedback is sent by the user.
    const isSentBack = (await pendingOf(services, task.id)) !== null;
    const mode = heldMode(factsHere(services, plan, task, {run, isSentBack, explicitProvider}));
    if (mode) held.push({run, mode});
  }
  return held;
}

function hasOpenTask({items}: Plan): boolean {
  for (const task of items.values()) if (isOpen(task)) return true;
  return false;
}

const isOpen = (task: Task) =>
  (task.status === 'in_progress' || task.status === 'waiting_user') && isLeaf(task);
