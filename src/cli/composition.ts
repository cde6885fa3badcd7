import path from 'node:path';
import {checkPlanChange, checkRawPlan} from '../machines/policies/plan/plan-validation.ts';
import {createConfigStore} from '../services/config/config-store.ts';
import type {ConfigStore} from '../services/contracts/config.ts';
import type {Services} from '../services/contracts/services.ts';
import type {PlanStore} from '../services/contracts/stores.ts';
import {createPlanStore} from '../services/stores/plan-store.ts';
import {ensureStateFolder, type ProjectFolder, projectFolder} from '../services/stores/project-folder.ts';
import {createWriteTrail, type WriteTrail, watchWrites} from '../services/stores/write-trail.ts';

/** The services of one project, connected to the disk. */
export type Project = {
  readonly folder: ProjectFolder;
  readonly plans: PlanStore;
  readonly config: ConfigStore;
  readonly watchSettings: Services['watchSettings'];
  /** For the stores of drafts and comments, so that a person's text is not taken for the agent's. */
  readonly trail: WriteTrail;
  /** Searched for agents by name or command. */
  readonly env: Env;
  readonly userConfigFile: string;
};

type Env = Readonly<Record<string, string | undefined>>;

export function openProject({root, home, env}: {root: string; home: string; env: Env}): Project {
  const folder = projectFolder(root);
  // Changes an agent makes to the plan, settings, drafts or comments through Blackbird count as the agent's.
  const trail = createWriteTrail(env.BLACKBIRD_RUN_ID === undefined ? folder.writeTrailFile : null);
  const userConfigFile = path.join(home, '.blackbird', 'config.json');
  return {
    folder,
    env,
    userConfigFile,
    trail,
    plans: createPlanStore({
      file: folder.planFile,
      trail,
      rules: {check: checkRawPlan, checkChange: checkPlanChange},
      // Needed only for changes, while every command reads the plan.
      lock: async () => {
        await ensureStateFolder(folder);
        const {createProcessLock} = await import('../services/lock/process-lock.ts');
        return createProcessLock(folder.planLockFile);
      },
    }),
    config: createConfigStore({project: folder.configFile, global: userConfigFile}, trail),
    watchSettings: () => watchWrites(trail, folder.configFile),
  };
}
