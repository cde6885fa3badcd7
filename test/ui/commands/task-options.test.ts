import {expect, test} from 'vitest';
import {createActor, toPromise} from 'xstate';
import {definePrepareRunActor} from '../../../src/machines/actors/prepare-run.actor.ts';
import type {RunMode} from '../../../src/machines/actors/run-situation.ts';
import {createSpendingTracker} from '../../../src/machines/actors/spending.ts';
import {applyEdit, type PlanEdit} from '../../../src/machines/policies/plan/apply-edit.ts';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {refuseTaking} from '../../../src/machines/policies/plan/running-tasks.ts';
import {asksFirst} from '../../../src/machines/policies/review/parent-feedback.ts';
import {requirePossible} from '../../../src/machines/policies/run/run-refusals.ts';
import {
  continueAction,
  type KnownOfTask,
  type TaskCommand,
  taskObstacle,
} from '../../../src/machines/policies/run/task-options.ts';
import {statusOf} from '../../../src/machines/policies/run/task-runs.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {Plan, TaskStatus} from '../../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {commands} from '../../../src/ui/commands/command-table.ts';
import type {Facts, TuiState} from '../../../src/ui/model/facts.ts';
import {runKinds} from '../../fakes/run-kinds.ts';
import {runRecord} from '../../fakes/runs.ts';
import {createFakeServices} from '../../fakes/services.ts';
import {now, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

type Place = Pick<KnownOfTask, 'repoRoot' | 'explicitProvider' | 'customCommand' | 'isSessionRef'>;

const here: Place = {
  repoRoot: '/project',
  explicitProvider: null,
  customCommand: null,
  isSessionRef: () => true,
};
const places: readonly Place[] = [
  here,
  {...here, repoRoot: '/elsewhere'},
  {...here, explicitProvider: 'codex'},
  {...here, isSessionRef: () => false},
];

/** What a key of the terminal UI requests: any of these will do. */
const keys: Readonly<Record<string, readonly TaskCommand[]>> = {
  'job.resume': ['resume', 'review'],
  'job.restart': ['restart'],
  'job.retry': ['retry'],
  'job.undo': ['undo'],
  'job.withdraw': ['withdraw'],
  'plan.status': ['setStatus'],
  'job.executeTask': ['execute'],
};

/** What the terminal UI shows of a task with this run. */
function onScreen(
  id: string,
  plan: Plan,
  run: RunRecord,
  place: Place,
  isSentBack: boolean,
  isRunning = false,
) {
  const data = {
    place,
    runs: new Map([['a', run]]),
    pendingFeedback: new Map(isSentBack ? [['a', {}]] : []),
    orphans: [],
    reviews: new Map(),
    otherEngine: null,
  };
  const facts = {isBusy: false, plan, task: requireTask(plan, 'a'), state: isRunning ? 'running' : 'paused'};
  const command = commands.find((each) => each.id === id);
  const asked = [facts as unknown as Facts, {data, job: null} as unknown as TuiState] as const;
  return {isTaken: command?.refusal?.(...asked) === null, label: command?.called?.(...asked)};
}

const edit = (change: PlanEdit) => (plan: Plan) => applyEdit(plan, change, now);

const isRefused = (act: () => void): boolean => {
  try {
    act();
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
};

test('chart, commands and keys agree on what is possible, for every kind of record, status and folder', () => {
  const differing: unknown[] = [];
  for (const run of runKinds) {
    for (const status of taskStatuses) {
      const plan = planOf(task('a', {status}));
      for (const place of places) {
        for (const isSentBack of [false, true]) {
          const facts = factsIn(plan, {...place, run, isSentBack})(requireTask(plan, 'a'));
          for (const [id, asked] of Object.entries(keys)) {
            const chart = asked.some((command) => taskObstacle(facts, command) === null);
            const cli = asked.some((command) => !isRefused(() => requirePossible(facts, command)));
            const {isTaken: tui} = onScreen(id, plan, run, place, isSentBack);
            // Without a session the key still opens the feedback; the command line has `feedback` for it.
            const isRead = id === 'job.resume' && continueAction(facts) === 'sendBack';
            if (chart !== cli || (chart || isRead) !== tui)
              differing.push({id, run, status, isSentBack, chart, cli, tui});
          }
        }
      }
    }
  }
  expect(differing.slice(0, 3)).toEqual([]);
});

test.each<{id: string; change: (plan: Plan) => Plan}>([
  {id: 'plan.addChild', change: edit({type: 'add', task: {id: 'n', title: 'N', parentId: 'a'}})},
  {id: 'plan.edit', change: edit({type: 'edit', taskId: 'a', fields: {title: 'A'}, seen: []})},
  {id: 'plan.deps', change: edit({type: 'deps', taskId: 'a', deps: ['b'], seen: []})},
  {id: 'plan.move', change: edit({type: 'move', taskId: 'a', place: {parentId: 'b'}, seen: []})},
  {id: 'plan.delete', change: edit({type: 'delete', taskId: 'a', seen: []})},
  {id: 'plan.status', change: (plan) => setStatus(plan, 'a', 'skipped', now)},
])('the key $id and the change itself agree about a task in progress', ({id, change}) => {
  const plan = planOf(task('a', {status: 'in_progress'}), task('b'));
  for (const isRunning of [true, false]) {
    const still = new Set(isRunning ? [] : ['a']);
    const isKept = isRefused(() => refuseTaking(plan, change(plan), {pid: 7, still, reviewed: new Set()}));
    const run = runRecord({state: isRunning ? 'running' : 'paused'});
    const {isTaken} = onScreen(id, plan, run, here, false, isRunning);
    expect({isRunning, isKept}).toEqual({isRunning, isKept: !isTaken});
  }
});

const questions = [{id: 'db', prompt: 'Which database?', type: 'free_text'}] as const;
const bare = {answers: [], feedback: null};

test('one key continues with what the chart accepts, and asks first exactly when a resume without feedback does', () => {
  const labels = {review: 'decide', sendBack: 'see the review', answer: 'answer', resume: 'resume'};
  const differing: unknown[] = [];
  const seen = new Set<string | null>();
  for (const kind of runKinds) {
    const run = kind.state === 'waiting' ? {...kind, questions: [...questions]} : kind;
    for (const status of taskStatuses) {
      const plan = planOf(task('a', {status}));
      for (const place of places) {
        for (const isSentBack of [false, true]) {
          const facts = factsIn(plan, {...place, run, isSentBack})(requireTask(plan, 'a'));
          const way = continueAction(facts);
          seen.add(way);
          const {isTaken, label} = onScreen('job.resume', plan, run, place, isSentBack);
          const isAsking = way === 'answer';
          const isBareAsking = isTaken && way !== 'review' && asksFirst(run, bare, isSentBack);
          if (isTaken !== (way !== null) || label !== labels[way ?? 'resume'] || isAsking !== isBareAsking)
            differing.push({run, status, isSentBack, way, isTaken, label, isBareAsking});
        }
      }
    }
  }
  expect(differing.slice(0, 3)).toEqual([]);
  expect(seen).toEqual(new Set([null, 'review', 'sendBack', 'answer', 'resume']));
});

const modes: ReadonlyArray<{readonly mode: RunMode; readonly command: TaskCommand}> = [
  {mode: {type: 'execute'}, command: 'execute'},
  {mode: {type: 'resume', answers: [], feedback: null}, command: 'resume'},
  {mode: {type: 'resume', answers: [], feedback: 'use tabs'}, command: 'sendBack'},
  {mode: {type: 'restart'}, command: 'restart'},
];

/** Whether a job really starts with it. */
async function begins(run: RunRecord, status: TaskStatus, place: Place, mode: RunMode): Promise<boolean> {
  const {services} = createFakeServices({plan: planOf(task('a', {status})), runs: [run]});
  const given = {
    ...services,
    isSessionRef: place.isSessionRef,
    project: {...services.project, root: place.repoRoot},
  };
  const {explicitProvider} = place;
  const input = {taskId: 'a', mode, provider: 'claude', explicitProvider} as const;
  const actor = createActor(
    definePrepareRunActor(given, createSpendingTracker(given), () => {}),
    {input},
  );
  const prepared = toPromise(actor.start());
  return prepared.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError) return false;
      throw error;
    },
  );
}

test('a job starts exactly when the chart says that it can', async () => {
  const differing: unknown[] = [];
  // A running run is repaired first, and is then one of the others.
  for (const run of runKinds.filter(({state, run_type}) => state !== 'running' && run_type === 'execute')) {
    const status = statusOf(run);
    const plan = planOf(task('a', {status}));
    for (const place of places) {
      for (const {mode, command} of modes) {
        const facts = factsIn(plan, {...place, run, isEngineAlive: true})(requireTask(plan, 'a'));
        const chart = taskObstacle(facts, command) === null;
        const job = await begins(run, status, place, mode);
        if (chart !== job) differing.push({run, place, command, chart, job});
      }
    }
  }
  expect(differing.slice(0, 3)).toEqual([]);
});
