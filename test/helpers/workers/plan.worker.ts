// Adds tasks to a plan, one change after another, while others do the same.
import path from 'node:path';
import {addTask} from '../../../src/machines/policies/plan/plan-edits.ts';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import {createPlanStore} from '../../../src/services/stores/plan-store.ts';

const [folder = '', name = '', count = '0'] = process.argv.slice(2);
const store = createPlanStore({
  file: path.join(folder, 'blackbird.plan.json'),
  lock: async () => createProcessLock(path.join(folder, 'plan.lock')),
  rules: {check: checkRawPlan, checkChange: checkPlanChange},
});
for (let index = 0; index < Number(count); index++) {
  await store.update((plan) =>
    addTask(plan, {id: `${name}-${index}`, title: 'Task', parentId: null}, new Date().toISOString()),
  );
}
