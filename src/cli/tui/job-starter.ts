import type {Engine} from '../../machines/engine.ts';
import {jobSummary} from '../../machines/policies/job/job-summary.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import type {TuiPorts} from '../../ui/ports.ts';

/** What a TUI key starts: the same jobs as the commands, with the same messages. */
export function createJobStarter(
  engine: Pick<Engine, 'start'>,
  plans: Pick<PlanStore, 'read'>,
): TuiPorts['start'] {
  return async (steps) => {
    const result = await engine.start({steps, options: {isAttended: true}});
    return {summary: jobSummary(result, await plans.read()), left: result.left};
  };
}
