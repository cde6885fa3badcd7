import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isInTheWay, type Obstacle, obstacleOf} from '../policies/job/obstacles.ts';
import {waitingForever} from '../policies/plan/never-done.ts';
import {isLeaf, walkTree} from '../policies/plan/plan-graph.ts';
import {latestDeliveredRun} from '../policies/run/task-runs.ts';
import {pendingIn} from './pending-feedback.ts';
import {factsHere} from './run-situation.ts';

export type SurveyPlanInput = {
  /** Only these tasks; empty for all. */
  readonly taskIds: readonly string[];
  readonly explicitProvider: ProviderId | null;
};

/** What keeps the plan from being done after a job, in plan order. */
export function defineSurveyPlanActor(services: Services) {
  return fromPromise<readonly Obstacle[], SurveyPlanInput>(async ({input: {taskIds, explicitProvider}}) => {
    const plan = await services.plans.read();
    const pending = await pendingIn(services, plan);
    const sentBack = new Set(pending.map(({childTaskId}) => childTaskId));
    const sentBackBy = new Set(pending.map(({parentTaskId}) => parentTaskId));
    const forever = waitingForever(plan);
    const survey = {plan, wanted: new Set(taskIds), sentBack, sentBackBy, forever};
    const obstacles: Obstacle[] = [];
    for (const {task} of walkTree(plan)) {
      if (!isInTheWay(survey, task)) continue;
      const run = isLeaf(task) ? latestDeliveredRun((await services.runs.list(task.id)).runs) : null;
      const known = {run, isSentBack: sentBack.has(task.id), explicitProvider};
      obstacles.push(obstacleOf({...factsHere(services, plan, task, known), now: services.now()}));
    }
    return obstacles;
  });
}
