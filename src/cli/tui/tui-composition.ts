import path from 'node:path';
import type {Command} from 'commander';
import {chainOf, chainsBelow, effectsIn, reviewDiff} from '../../machines/actors/task-change.ts';
import type {EntryListener} from '../../machines/observe.ts';
import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {applyEdit} from '../../machines/policies/plan/apply-edit.ts';
import {undoChange} from '../../machines/policies/plan/plan-undo.ts';
import {reviewRules} from '../../machines/policies/review/review-summary.ts';
import type {SettingValueOf} from '../../services/contracts/config.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {createChangeTracker} from '../../services/git/change-tracker.ts';
import {listFiles} from '../../services/git/list-files.ts';
import {createPlanDraftStore} from '../../services/stores/plan-draft-store.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {TuiPorts} from '../../ui/ports.ts';
import type {Cli} from '../cli.ts';
import {openEngine} from '../job/engine-composition.ts';
import {noRun} from '../job/no-run.ts';
import {changeByHand, changePlan, retryTask, setTaskStatus} from '../plan/plan-operations.ts';
import {userPrograms} from '../terminal/user-programs.ts';
import {createJobStarter} from './job-starter.ts';
import {createAgentPorts} from './tui-agents.ts';
import {createProjectReader} from './tui-data.ts';
import {createSessionPort} from './tui-sessions.ts';
import {readConversation, readTranscript} from './tui-transcript.ts';

/** Connects the screens to the real project, engine and services. */
export async function openTuiPorts(
  cli: Cli,
  command: Command,
  notify: (how: SettingValueOf<'tui.notify'>, text: string) => void,
  observe?: EntryListener,
): Promise<TuiPorts> {
  const {env, now} = cli.context;
  const project = await cli.project(command);
  const {folder, plans, config} = project;
  const outputs = new Set<(runId: string, text: string) => void>();
  const opened = await openEngine({
    project,
    env,
    now,
    onOutput: (_stream, text, runId) => {
      for (const listener of outputs) listener(runId, text);
    },
    ...(observe ? {observe} : {}),
  });
  const {engine, drafts, comments} = opened;
  // Not the engine's store: what it caches during a write is not for readers.
  const runs = createRunStore({folder: folder.runsFolder});
  const reader = createProjectReader({project, runs, env, isOwnJob: engine.isBusy});
  const start = createJobStarter(engine, plans);

  return {
    name: path.basename(folder.root),
    folder: folder.root,
    engine,
    drafts,
    comments,
    start: (steps) => start(steps).catch((error: unknown) => ({error})),
    onOutput: (listener) => {
      outputs.add(listener);
      return () => outputs.delete(listener);
    },
    watch: reader.watch,
    setStatus: (taskId, status, seen) => setTaskStatus(project, taskId, status, now(), seen),
    retry: (taskId) => retryTask(project, taskId, now()),
    withdraw: async (taskId) => void (await opened.withdrawApproval(taskId)),
    proposeUndo: (taskId) => opened.proposeUndo({taskId, runId: null, isForced: false}),
    edit: (edit) => changeByHand(project, (plan) => applyEdit(plan, edit, now())),
    // Restores exactly what was there, parents included.
    undo: (change) => changePlan(project, (plan) => undoChange(plan, change)),
    editFeedback: async (taskId, text) => {
      const {editFeedback} = await import('../job/feedback-operations.ts');
      await editFeedback(project, taskId, text, now);
    },
    dismiss: async (taskIds) => {
      const {dismissFeedback} = await import('../job/feedback-operations.ts');
      await dismissFeedback(project, taskIds, now);
    },
    createPlan: () => plans.create(),
    planDrafts: async () => (await createPlanDraftStore({folder: folder.planDraftsFolder}).list()).drafts,
    ...createAgentPorts(project, env),
    writeSetting: async ({layer, key, value, seen}) => {
      await config.write(layer, key, value, {value: seen});
      return config.layers();
    },
    transcript: (run) => readTranscript(runs, run),
    conversation: (run) => readConversation(runs, run),
    diff: async (run: RunRecord) => {
      const changes = createChangeTracker({project: folder, env, rules: reviewRules});
      if (run.run_type !== 'review') return reviewDiff(changes, [await chainOf(runs, run)]);
      const below = await chainsBelow({plans, runs}, run.task_id);
      if (below.length === 0) throw noRun(run.task_id);
      return {...(await reviewDiff(changes, below)), sideEffects: effectsIn(below)};
    },
    programs: userPrograms({root: folder.root, env, hasColor: cli.context.stdout.hasColor}),
    history: reader.history,
    listFiles: () => listFiles({root: folder.root, env}),
    sessions: createSessionPort(cli, command),
    suspend: () => {
      engine.suspend();
      process.kill(process.pid, 'SIGSTOP');
      engine.wake();
    },
    notify: (text) => {
      config.layers().then(
        (layers) => notify(settingOf(resolveConfig(layers), 'tui.notify'), text),
        () => {},
      );
    },
    now: () => Date.now(),
  };
}
