import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import {
  type PlanRequest,
  type PlanWish,
  planRequestSchema,
} from '../../../services/contracts/plan-request.ts';
import {requireTask} from '../plan/plan-graph.ts';

/** No draft is created for a request that cannot be fulfilled, whoever makes it. */
export function checkedRequest(request: PlanRequest): PlanRequest {
  const {data, error} = planRequestSchema.safeParse(request);
  if (data) return data;
  const [issue] = error.issues;
  const isMissing = issue?.code === 'custom';
  throw new AppError(isMissing ? 'E_NO_INPUT' : 'E_USAGE', issue?.message ?? 'this cannot be planned');
}

/** There has to be something to change. */
export function requireChangeable(plan: Plan, {kind, taskIds}: PlanWish): void {
  for (const id of taskIds) requireTask(plan, id);
  if (kind === 'generate' || plan.items.size > 0) return;
  throw new AppError('E_PLAN_EDIT', 'the plan has no tasks that could be changed', {
    next: [{command: 'blackbird plan generate', why: 'have an agent propose some'}],
  });
}
