import {describe, expect, test} from 'vitest';
import {
  explainTask,
  type SentBackOf,
  taskCondition,
} from '../../../src/machines/policies/plan/explain-task.ts';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import type {KnownOfTask} from '../../../src/machines/policies/run/task-options.ts';
import {dayAndTime} from '../../../src/machines/policies/text/durations.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {type TaskStatus, taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {pausedRun, restingRun, runRecord, waitingRun} from '../../fakes/runs.ts';
import {errorOf} from '../../helpers/errors.ts';
import {family, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

/** Only the plan is known, unless a test adds more. */
const explain = (plan: Plan, id: string, known: Partial<KnownOfTask> = {}, sentBackOf?: SentBackOf) =>
  explainTask(plan, id, factsIn(plan, known), sentBackOf);
const execute = (id: string) => ({command: `blackbird execute ${id}`, why: 'run it'});

describe('why', () => {
  test('a ready task can run now', () => {
    expect(explain(planOf(task('a')), 'a')).toEqual({
      id: 'a',
      ready: true,
      conditions: [
        {
          id: 'a',
          title: 'Task a',
          status: 'todo',
          role: 'task',
          depth: 0,
          reason: 'ready now',
          next: execute('a'),
        },
      ],
      first: ['a'],
    });
  });

  test('a ready task whose plan waits for the user first: for what, and how to continue', () => {
    const atCheckpoint = restingRun({
      state: 'succeeded',
      decision_required: true,
      decision_state: 'pending',
    });
    const plan = planOf(
      task('a', {status: 'in_progress'}),
      family(task('p'), task('c', {status: 'done'})),
      task('z'),
    );
    const {ready, conditions, first} = explain(plan, 'z', {run: atCheckpoint}, (id) =>
      id === 'p' ? ['c'] : [],
    );
    expect({ready, first}).toEqual({ready: true, first: ['a', 'c']});
    expect(conditions.slice(1)).toMatchObject([
      {id: 'a', role: 'gate', reason: 'waits for your decision', next: {command: 'blackbird review a'}},
      {id: 'c', role: 'gate'},
    ]);
  });

  test('a task waits: the whole chain down to what can be acted on, each task once', () => {
    const plan = planOf(
      task('a', {deps: ['p', 'b', 'over']}),
      family(task('p'), task('c', {status: 'done'}), task('d')),
      task('b', {deps: ['d', 'f']}),
      task('f', {status: 'failed'}),
      task('over', {status: 'done'}),
    );
    expect(explain(plan, 'a')).toEqual({
      id: 'a',
      ready: false,
      conditions: [
        {id: 'a', title: 'Task a', status: 'todo', role: 'task', depth: 0, reason: 'waits for 2'},
        {
          id: 'p',
          title: 'Task p',
          status: 'todo',
          role: 'dependency',
          depth: 1,
          reason: 'done when its children are (1 to go)',
        },
        {
          id: 'd',
          title: 'Task d',
          status: 'todo',
          role: 'child',
          depth: 2,
          reason: 'ready now',
          next: execute('d'),
        },
        {
          id: 'b',
          title: 'Task b',
          status: 'todo',
          role: 'dependency',
          depth: 1,
          reason: 'not done yet, waits for 2',
        },
        {id: 'd', title: 'Task d', status: 'todo', role: 'dependency', depth: 2, reason: 'see above'},
        {
          id: 'f',
          title: 'Task f',
          status: 'failed',
          role: 'dependency',
          depth: 2,
          reason: 'failed',
          next: {
            command: 'blackbird retry f',
            why: 'make it ready for execute; the conversation is forgotten',
          },
        },
      ],
      first: ['d', 'f'],
    });
  });

  const rows: Array<{
    status: TaskStatus;
    reason: string;
    next?: {command: string; why: string};
    first: string[];
  }> = [
    {status: 'todo', reason: 'ready now', next: execute('a'), first: ['a']},
    {
      status: 'queued',
      reason: 'queued, not started',
      next: {command: 'blackbird set-status a todo', why: 'make it ready'},
      first: ['a'],
    },
    {
      status: 'in_progress',
      reason: 'in progress, but no run is working on it',
      next: {command: 'blackbird set-status a todo', why: 'make it ready'},
      first: ['a'],
    },
    {
      status: 'waiting_user',
      reason: 'waits for an answer, but no run is working on it',
      next: {command: 'blackbird set-status a todo', why: 'make it ready'},
      first: ['a'],
    },
    {
      status: 'blocked',
      reason: 'blocked by hand',
      next: {command: 'blackbird set-status a todo', why: 'release it'},
      first: ['a'],
    },
    {status: 'done', reason: 'done, nothing is left to do', first: []},
    {
      status: 'failed',
      reason: 'failed',
      next: {command: 'blackbird retry a', why: 'make it ready for execute; the conversation is forgotten'},
      first: ['a'],
    },
    {
      status: 'skipped',
      reason: 'skipped, so it will not be done',
      next: {command: 'blackbird set-status a todo', why: 'or remove the dependency on it'},
      first: ['a'],
    },
  ];

  test('covers every status', () => {
    expect(rows.map(({status}) => status)).toEqual(taskStatuses);
  });

  test.each(rows)('a task that is $status: $reason', ({status, reason, next, first}) => {
    expect(explain(planOf(task('a', {status})), 'a')).toEqual({
      id: 'a',
      ready: status === 'todo',
      conditions: [
        {
          id: 'a',
          title: 'Task a',
          status,
          role: 'task',
          depth: 0,
          reason,
          ...(next === undefined ? {} : {next}),
        },
      ],
      first,
    });
  });

  test.each([
    {status: 'in_progress', reason: "its record cannot be read: /it's.json"},
    {status: 'failed', reason: 'failed'},
  ] as const)('$status with a record that cannot be read: $reason', ({status, reason}) => {
    const plan = planOf(task('a', {status}));
    const told = taskCondition(factsIn(plan, {unreadable: "/it's.json"})(requireTask(plan, 'a')));
    expect(told.reason).toBe(reason);
    const move = String.raw`mv '/it'\''s.json' '/it'\''s.json'.broken`;
    expect(told.next?.command === move).toBe(status === 'in_progress');
  });

  test.each([
    {status: 'blocked' as const, reason: 'blocked by hand; also waits for 1'},
    {status: 'in_progress' as const, reason: 'in progress, but no run is working on it'},
  ])('a task that is $status and has an unmet dependency: $reason', ({status, reason}) => {
    const {conditions, first} = explain(planOf(task('a', {status, deps: ['b']}), task('b')), 'a');
    expect([conditions[0]?.reason, first]).toEqual([reason, ['b']]);
  });

  const pending = {decision_state: 'pending'} as const;
  test.each<{status?: TaskStatus; known: Partial<KnownOfTask>; reason: string; command?: string}>([
    {
      known: {run: runRecord(), isEngineAlive: true},
      reason: 'running',
      command: 'blackbird logs a --follow',
    },
    {
      known: {run: runRecord({provider_session_ref: 'session-1', resumable: true})},
      reason: 'paused',
      command: 'blackbird resume a',
    },
    {known: {run: pausedRun()}, reason: 'paused', command: 'blackbird resume a'},
    {
      known: {run: pausedRun({provider_session_ref: ''})},
      reason: 'paused, without a session to continue',
      command: 'blackbird restart a',
    },
    {
      known: {run: pausedRun(), explicitProvider: 'codex'},
      reason: 'paused, in a session of another program',
      command: 'blackbird resume a --agent claude',
    },
    {
      known: {run: pausedRun({resumable: false}), explicitProvider: 'codex'},
      reason: 'paused, in a session of another program',
      command: 'blackbird restart a',
    },
    {
      status: 'failed',
      known: {run: restingRun({state: 'failed', resumable: false}), explicitProvider: 'codex'},
      reason: 'failed',
      command: 'blackbird retry a',
    },
    {
      known: {run: pausedRun({provider_session_ref: ''}), explicitProvider: 'codex'},
      reason: 'paused, in a session of another program',
      command: 'blackbird restart a',
    },
    {
      known: {run: pausedRun(), repoRoot: '/elsewhere'},
      reason: 'paused, in another working folder',
      command: 'blackbird restart a',
    },
    {
      known: {run: runRecord({provider_session_ref: 'session-1', resumable: true}), isOrphaned: true},
      reason: 'its Blackbird is gone, but its agent is still working',
      command: 'blackbird resume a',
    },
    {
      known: {run: restingRun({state: 'succeeded', ...pending})},
      reason: 'waits for your decision',
      command: 'blackbird review a',
    },
    {
      known: {run: restingRun({state: 'succeeded'}), isEngineAlive: true, isOwnerAtWork: true},
      reason: 'its agent has ended, its job is finishing it',
      command: 'blackbird status',
    },
    {
      known: {run: restingRun({state: 'succeeded', ...pending}), isEngineAlive: true, isOwnerAtWork: true},
      reason: 'waits for your decision',
      command: 'blackbird review a',
    },
    {
      known: {run: restingRun({state: 'failed'})},
      reason: 'in progress, its latest run failed',
      command: 'blackbird set-status a todo',
    },
    {
      known: {
        run: pausedRun({pause_reason: 'usage_limit', failure: {kind: 'rate_limit', message: 'too many'}}),
      },
      reason: 'paused: the usage limit is reached',
      command: 'blackbird resume a',
    },
    {
      known: {
        run: pausedRun({
          pause_reason: 'usage_limit',
          failure: {kind: 'rate_limit', message: 'too many'},
          retry_at: '2026-01-10T18:05:00.000Z',
        }),
      },
      reason: `paused: the usage limit is reached, until ${dayAndTime('2026-01-10T18:05:00.000Z')}`,
      command: 'blackbird resume a',
    },
    {
      status: 'in_progress',
      known: {
        run: pausedRun({
          pause_reason: 'provider_unavailable',
          failure: {kind: 'outage', message: 'no answer'},
          retry_at: '2026-01-10T18:05:00.000Z',
        }),
      },
      reason: `paused: the model cannot be reached, next try ${dayAndTime('2026-01-10T18:05:00.000Z')}`,
      command: 'blackbird resume a',
    },
    {
      status: 'waiting_user',
      known: {
        run: waitingRun({
          answers: [{id: 'q', value: 'red', undelivered: true}],
          failure: {kind: 'auth', message: 'log in'},
        }),
      },
      reason: 'your answer did not reach its agent: a login is needed (first: claude auth login)',
      command: 'blackbird resume a',
    },
    {
      status: 'waiting_user',
      known: {run: waitingRun()},
      reason: 'waits for your answer',
      command: 'blackbird resume a',
    },
    {
      status: 'done',
      known: {run: pausedRun({state: 'succeeded'}), isSentBack: true},
      reason: 'done, but the review of its parent sent it back',
      command: 'blackbird resume a',
    },
  ])('a task $status with its run: $reason', ({status = 'in_progress', known, reason, command}) => {
    const {conditions, first} = explain(planOf(task('a', {status})), 'a', known);
    expect([conditions[0]?.reason, conditions[0]?.next?.command, first]).toEqual([reason, command, ['a']]);
  });

  test('a task that waits for itself: nothing can proceed, and the cycle is shown', () => {
    const plan = planOf(family(task('A'), task('B', {deps: ['C']})), task('C', {deps: ['A']}));
    expect(explain(plan, 'B')).toEqual({
      id: 'B',
      ready: false,
      conditions: [
        {id: 'B', title: 'Task B', status: 'todo', role: 'task', depth: 0, reason: 'waits for 1'},
        {
          id: 'C',
          title: 'Task C',
          status: 'todo',
          role: 'dependency',
          depth: 1,
          reason: 'not done yet, waits for 1',
        },
        {
          id: 'A',
          title: 'Task A',
          status: 'todo',
          role: 'dependency',
          depth: 2,
          reason: 'done when its children are (1 to go)',
        },
        {
          id: 'B',
          title: 'Task B',
          status: 'todo',
          role: 'child',
          depth: 3,
          reason: 'deadlock: B -> C -> A -> B; remove one of these dependencies',
        },
      ],
      first: [],
    });
  });

  test('a cycle further down is told apart from a task that merely appears twice', () => {
    const plan = planOf(
      task('x', {deps: ['y', 'P']}),
      family(task('P'), task('y', {deps: ['z']})),
      task('z', {deps: ['P']}),
    );
    const {conditions} = explain(plan, 'x');
    expect(conditions.map(({id, depth, reason}) => [id, depth, reason])).toEqual([
      ['x', 0, 'waits for 2'],
      ['y', 1, 'not done yet, waits for 1'],
      ['z', 2, 'not done yet, waits for 1'],
      ['P', 3, 'done when its children are (1 to go)'],
      ['y', 4, 'deadlock: y -> z -> P -> y; remove one of these dependencies'],
      ['P', 1, 'see above'],
    ]);
  });

  test('a long cycle is shown by its ends', () => {
    const ids = Array.from({length: 30}, (_, index) => `t${index}`);
    const plan = planOf(
      family(task('P'), task('t0', {deps: ['t1']})),
      ...ids.slice(1).map((id, index) => task(id, {deps: [ids[index + 2] ?? 'P']})),
    );
    expect(explain(plan, 'P').conditions.at(-1)?.reason).toBe(
      'deadlock: P -> t0 -> t1 -> t2 -> t3 -> t4 -> t5 -> t6 -> t7 -> t8 -> … -> t21 -> t22 -> t23 -> t24 -> t25 -> t26 -> t27 -> t28 -> t29 -> P; remove one of these dependencies',
    );
  });

  test('an unknown task', () => {
    expect(errorOf(() => explain(planOf(task('a')), '__proto__')).code).toBe('E_TASK_NOT_FOUND');
  });

  test.each([
    {id: 'a b', command: "blackbird execute 'a b'"},
    {id: 'x; rm -rf ~', command: "blackbird execute 'x; rm -rf ~'"},
    {id: "it's", command: String.raw`blackbird execute 'it'\''s'`},
    {id: '$(id)', command: "blackbird execute '$(id)'"},
    {id: '../x', command: 'blackbird execute ../x'},
  ])('the command for the id $id is safe to paste', ({id, command}) => {
    expect(explain(planOf(task(id)), id).conditions[0]?.next?.command).toBe(command);
  });
});

describe('a parent whose children are done', () => {
  const plan = planOf(
    family(task('p', {status: 'in_progress'}), task('a', {status: 'done'})),
    task('late', {deps: ['p']}),
  );

  test('waits for its review', () => {
    expect(explain(plan, 'late').conditions[1]).toMatchObject({
      id: 'p',
      reason: 'its children are done, its review is due',
      next: {command: 'blackbird execute', why: 'review it'},
    });
  });

  test('or for the tasks its review sent back', () => {
    const {conditions, first} = explain(plan, 'late', {}, (id) => (id === 'p' ? ['a', 'b'] : []));
    expect(conditions[1]).toMatchObject({
      reason: 'its review sent back a, b',
      next: {command: 'blackbird resume a'},
    });
    expect(first).toEqual(['p']);
  });
});
