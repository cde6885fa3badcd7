import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {draftTaskId} from '../../src/machines/policies/planning/draft-task.ts';
import type {PlanDraft} from '../../src/services/contracts/plan-draft.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {taskFolderName} from '../../src/services/stores/task-folder.ts';
import type {EngineProject} from './engine-project.ts';

/** A project's plan drafts on disk, oldest first. */
export function draftsIn({folder}: Pick<EngineProject, 'folder'>): PlanDraft[] {
  const drafts = path.join(folder, '.blackbird', 'plan-drafts');
  return readdirSync(drafts)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(drafts, name), 'utf8')));
}

/** The planner's turns for a draft, oldest first. */
export const turnsOf = ({runs}: Pick<EngineProject, 'runs'>, draftId: string): RunRecord[] =>
  runs(taskFolderName(draftTaskId(draftId)));
