import {onTestFinished} from 'vitest';
import {createJobStarter} from '../../src/cli/tui/job-starter.ts';
import {createRunComments} from '../../src/machines/actors/run-comments.ts';
import {proposeUndo} from '../../src/machines/actors/undo.actor.ts';
import {withdrawApproval} from '../../src/machines/actors/withdraw-approval.ts';
import {createEngine} from '../../src/machines/engine.ts';
import {resolveConfig, valueAt} from '../../src/machines/policies/config-resolution.ts';
import {applyEdit} from '../../src/machines/policies/plan/apply-edit.ts';
import {requireSeen} from '../../src/machines/policies/plan/plan-conflict.ts';
import {setStatus} from '../../src/machines/policies/plan/plan-status.ts';
import {undoChange} from '../../src/machines/policies/plan/plan-undo.ts';
import {latestDeliveredRun} from '../../src/machines/policies/run/task-runs.ts';
import type {OutsideProgram} from '../../src/machines/policies/text/outside-program.ts';
import type {ConfigLayer} from '../../src/services/contracts/config.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {PendingFeedback} from '../../src/services/contracts/feedback.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {ProjectData, SessionRow, TuiPorts} from '../../src/ui/ports.ts';
import {createFakeServices} from '../fakes/services.ts';
import {now} from '../helpers/plans.ts';
import {tuiScreen} from './tui-screen.tsx';

export {keys} from './tui-screen.tsx';

export type TuiOptions = {
  readonly plan?: Plan;
  readonly runs?: readonly RunRecord[];
  /** A dismissal is written once this resolves. */
  readonly dismissing?: Promise<void>;
  readonly size?: {columns: number; rows: number};
  readonly config?: Readonly<Record<string, unknown>>;
  readonly data?: Partial<ProjectData>;
  readonly agentInEnvironment?: 'claude';
  readonly sessions?: readonly SessionRow[];
  /** Why no session can start. */
  readonly sessionFailure?: AppError;
};

/** A session that runs. */
export const sessionRow = (fields: Partial<SessionRow> = {}): SessionRow => ({
  id: '1',
  name: 'refunds',
  status: 'active',
  runner: 'claude',
  branch: 'agency/refunds',
  created: '',
  isRunning: true,
  canResume: true,
  ...fields,
});

/** The whole terminal UI on a virtual terminal, over the real engine and a project in memory. */
export function tuiProject(options: TuiOptions = {}) {
  const fake = createFakeServices({
    ...(options.plan ? {plan: options.plan} : {}),
    ...(options.runs ? {runs: options.runs} : {}),
  });
  const {services, plans, runs, agents, drafts} = fake;
  agents.obeys = {interrupt: true, kill: true};
  const engine = createEngine({...services, settings: async () => layers()});
  let content: Record<string, unknown> = {...options.config};
  let forAll: Record<string, unknown> = {};
  const layers = (): ConfigLayer[] => [
    {name: 'project', file: '/project/.blackbird/config.json', content},
    {name: 'global', file: '/home/.blackbird/config.json', content: forAll},
  ];
  const start = createJobStarter(engine, plans);
  const listeners = new Set<(data: ProjectData) => void>();
  const outputs = new Set<(runId: string, text: string) => void>();
  const pendingFeedback = new Map<string, PendingFeedback>();
  const notices: string[] = [];
  const attached: string[] = [];
  const sessionCalls: string[] = [];
  let sessionRows = options.sessions ?? [];
  const programs: OutsideProgram[] = [];
  let wall = Date.parse(now);

  const data = (): ProjectData => {
    const all = [...plans.plan.items.keys()].map((id) => [id, latestDeliveredRun(runs.records(id))] as const);
    return {
      plan: {type: 'plan', plan: plans.plan},
      runs: new Map(all.flatMap(([id, run]) => (run ? [[id, run] as const] : []))),
      reviews: new Map(
        [...plans.plan.items.keys()].flatMap((id) => {
          const review = runs.records(id).findLast(({run_type}) => run_type === 'review');
          return review ? [[id, review] as const] : [];
        }),
      ),
      pendingFeedback: new Map(pendingFeedback),
      orphans: [],
      cost: null,
      otherEngine: null,
      provider: {id: 'claude', source: 'saved'},
      isAgentInstalled: true,
      place: {
        repoRoot: services.project.root,
        explicitProvider: null,
        customCommand: services.agents.customCommand,
        isSessionRef: services.isSessionRef,
      },
      config: resolveConfig(layers()),
      layers: layers(),
      ...options.data,
    };
  };
  /** What the real watcher does when files change, always after the writer continued. */
  const tell = () => {
    for (const listener of listeners) listener(data());
  };
  // Files are also read periodically: the engine writes without being asked.
  let seen = plans.plan;
  const look = setInterval(() => {
    if (plans.plan !== seen) tell();
    seen = plans.plan;
  }, 10);
  onTestFinished(() => clearInterval(look));
  const update = async (change: (plan: Plan) => Plan) => {
    const changed = await plans.update(change);
    setImmediate(tell);
    return changed;
  };

  const ports: TuiPorts = {
    planDrafts: async () => (await services.planDrafts.list()).drafts,
    name: 'checkout-service',
    folder: '/project',
    engine,
    drafts,
    comments: createRunComments(services),
    start: async (steps) => {
      const end = await start(steps).catch((error: unknown) => ({error}));
      setImmediate(tell);
      return end;
    },
    onOutput: (listener) => {
      outputs.add(listener);
      return () => outputs.delete(listener);
    },
    watch: (listener) => {
      listeners.add(listener);
      listener(data());
      return () => listeners.delete(listener);
    },
    setStatus: (id, status, seen) =>
      update((plan) => {
        requireSeen(plan, seen);
        return setStatus(plan, id, status, now);
      }),
    retry: (id) => update((plan) => setStatus(plan, id, 'todo', now)),
    withdraw: async (taskId) => void (await withdrawApproval(services, taskId)),
    proposeUndo: (taskId) => proposeUndo(services, {taskId, runId: null, isForced: false}),
    edit: (edit) => update((plan) => applyEdit(plan, edit, now)),
    undo: (change) => update((plan) => undoChange(plan, change)),
    editFeedback: async (id, text) => {
      const pending = pendingFeedback.get(id);
      if (pending) pendingFeedback.set(id, {...pending, feedback: text});
      tell();
    },
    dismiss: async (taskIds) => {
      await options.dismissing;
      for (const id of taskIds) pendingFeedback.delete(id);
      tell();
    },
    createPlan: async () => options.data?.plan?.type === 'none',
    writeSetting: async ({layer, key, value, seen}) => {
      const held = layers().find(({name}) => name === layer)?.content ?? {};
      if (valueAt(held, key) !== seen)
        throw new AppError('E_CONFLICT', `${key} was changed by somebody else meanwhile`);
      const [section = '', name = ''] = key.split('.');
      const written = (before: Record<string, unknown>) => ({
        ...before,
        [section]: {...(before[section] as object), [name]: value},
      });
      if (layer === 'project') content = written(content);
      else forAll = written(forAll);
      return layers();
    },
    transcript: async (run) => ({lines: [`raw log of ${run.run_id}`], isCut: false}),
    conversation: async (run) => ({
      talks: [{at: null, kind: 'message', text: `readable log of ${run.run_id}`}],
      isCut: false,
    }),
    diff: async (run) => ({
      task: `diff --git a/${run.task_id} b/${run.task_id}\n@@ -1 +1 @@\n-old\n+new\n`,
      sinceReview: null,
    }),
    programs: {editorRefused: null, run: async (program) => void programs.push(program)},
    history: async (taskId) => ({runs: runs.records(taskId), broken: []}),
    listFiles: async () => ['src/refunds.ts', 'README.md'],
    agents: async () => [
      {id: 'codex', title: 'Codex', installed: false, state: 'not installed: npm install -g codex'},
      {id: 'claude', title: 'Claude Code', installed: true, state: '2.1.0 · logged in'},
      {id: 'demo', title: 'Demo agent', installed: true, state: 'needs no account'},
    ],
    chooseAgent: async (id) => ({id: options.agentInEnvironment ?? id, source: 'saved'}),
    sessions: {
      list: async () => sessionRows,
      screen: async (id) => [`$ ${id} works`],
      resume: async (id) => void attached.push(id),
      create: async (name) => {
        if (options.sessionFailure) throw options.sessionFailure;
        sessionRows = [...sessionRows, sessionRow({id: name, name})];
        return {id: name, warnings: []};
      },
      stop: async (id) => sessionCalls.push(`stop ${id}`) > 0,
      kill: async (id) => sessionCalls.push(`kill ${id}`) > 0,
      clean: async (id, {force}) => {
        sessionCalls.push(`clean ${id}${force ? ' --force' : ''}`);
        if (!force) throw new AppError('E_DIRTY_WORKTREE', 'worktree has uncommitted changes');
        sessionRows = sessionRows.filter((row) => row.id !== id);
        return [];
      },
    },
    suspend: () => {},
    notify: (text) => notices.push(text),
    now: () => wall,
  };

  const shown = tuiScreen(ports, options.size);
  return {
    ...fake,
    ...shown,
    engine,
    tell,
    notices,
    attached,
    sessionCalls,
    programs,
    pendingFeedback,
    /** Someone else edits the project's settings. */
    editSettings: (next: Record<string, unknown>) => {
      content = next;
    },
    output: (runId: string, text: string) => {
      for (const listener of outputs) listener(runId, text);
    },
    passTime: (milliseconds: number) => {
      wall += milliseconds;
    },
  };
}
