import {describe, expect, test} from 'vitest';
import {decisionLines, failureLines} from '../../../src/machines/policies/job/summary-lines.ts';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import {programObstacle} from '../../../src/machines/policies/run/agent-program.ts';
import {requireNothingLeft} from '../../../src/machines/policies/run/nothing-to-run.ts';
import {
  noDecision,
  parentRefusal,
  refusalOf,
  resumeRefusal,
} from '../../../src/machines/policies/run/run-refusals.ts';
import {nextCommands, taskObstacle} from '../../../src/machines/policies/run/task-options.ts';
import {attemptOf} from '../../../src/machines/policies/run/task-outcome.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {begun, pausedRun, restingRun, runRecord, sessionRef, waitingRun} from '../../fakes/runs.ts';
import {seen} from '../../helpers/errors.ts';
import {family, now, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

describe('for a parent, whatever the command', () => {
  const parent = (status: 'todo' | 'done') => {
    const plan = planOf(family(task('p'), task('a', {status})));
    return seen(parentRefusal(plan, requireTask(plan, 'p')));
  };

  test('its children are named, or that its review is due', () => {
    expect(parent('todo')).toEqual({
      code: 'E_TASK_NOT_READY',
      message: 'p has children; they are the ones that run',
      details: [],
      next: [{command: 'blackbird why p', why: 'see what is left'}],
    });
    expect(parent('done')).toEqual({
      code: 'E_TASK_NOT_READY',
      message: 'the review of p is due',
      details: [],
      next: [
        {command: 'blackbird execute', why: 'review it'},
        {command: 'blackbird why p', why: 'see its state'},
      ],
    });
  });
});

test.each([
  {name: 'its children are done again: its review is due', a: 'done'},
  {name: 'one of its children is open', a: 'failed'},
] as const)('a parent in work is nobody to set by hand: $name', ({a}) => {
  const plan = planOf(family(task('p', {status: 'in_progress'}), task('a', {status: a})));
  expect(nextCommands(factsIn(plan)(requireTask(plan, 'p')))).toEqual([]);
});

test.each([
  {
    name: 'the latest first',
    statuses: ['done', 'failed', 'todo'] as const,
    message: 'p has children; each of them is undone by itself',
    commands: ['blackbird undo b', 'blackbird undo a'],
  },
  {
    name: 'none has run',
    statuses: ['todo', 'skipped', 'blocked'] as const,
    message: 'p has children; none of them has run',
    commands: ['blackbird show p'],
  },
])('an undo of a parent names the undo of its children: $name', ({statuses, message, commands}) => {
  const [a, b, c] = statuses;
  const plan = planOf(
    family(task('p'), task('a', {status: a}), task('b', {status: b}), task('c', {status: c})),
  );
  const {next, ...refusal} = seen(refusalOf(factsIn(plan)(requireTask(plan, 'p')), 'undo', 'children'));
  expect(refusal).toEqual({code: 'E_TASK_NOT_READY', message, details: []});
  expect(next.map(({command}) => command)).toEqual(commands);
});

describe('a task at its checkpoint', () => {
  const refusal = (fields: Partial<RunRecord>) => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const run = restingRun({state: 'succeeded', decision_state: 'pending', ...fields});
    return seen(refusalOf(factsIn(plan, {run})(requireTask(plan, 'a')), 'resume', 'checkpoint'));
  };
  const session = {provider_session_ref: sessionRef, resumable: true};

  test.each([
    {name: 'its agent has a session', fields: session, isOffered: true},
    {name: 'its agent has none', fields: {}, isOffered: false},
    {
      name: 'a custom command did not name its dialect',
      fields: {...session, provider: 'custom'},
      isOffered: false,
    },
  ] as const)('can be sent back only when $name: $isOffered', ({fields, isOffered}) => {
    const changes = 'blackbird review a --request-changes [text]';
    expect(refusal(fields).next.some(({command}) => command === changes)).toBe(isOffered);
    const run = restingRun({state: 'succeeded', decision_state: 'pending', ...fields});
    const lines = decisionLines('a', attemptOf('a', run));
    expect(lines.some((line) => line.endsWith('--request-changes [text]'))).toBe(isOffered);
    expect(lines.some((line) => line.endsWith('--approve'))).toBe(true);
    // Alone it shows the change and asks: what someone who left the screen wants first.
    expect(lines[1]).toBe('Decide with: blackbird review a');
  });

  test('names no diff and, rejected, no undo when nothing was recorded', () => {
    const summary = {files: [], diffstat: '', snippets: [], note: 'there is no git repository'};
    const run = restingRun({state: 'succeeded', decision_state: 'pending', review_summary: summary});
    expect(decisionLines('a', attemptOf('a', run))[0]).toBe(
      'a waits for your decision. What it changed was not recorded: look at the files themselves.',
    );
    const rejected = attemptOf('a', {...run, state: 'failed', decision_state: 'rejected'});
    expect(failureLines([rejected]).join('\n')).not.toContain('undo');
    const {isUnrecorded: _, ...recorded} = rejected;
    expect(failureLines([recorded]).join('\n')).toContain('blackbird undo a');
  });
});

describe('a decision that is not due', () => {
  const next = (status: 'done' | 'failed', fields: Partial<RunRecord>) => {
    const plan = planOf(task('a', {status}));
    const session = {provider_session_ref: sessionRef, resumable: true};
    const run = restingRun({state: status === 'done' ? 'succeeded' : 'failed', ...session, ...fields});
    const facts = factsIn(plan, {run})(requireTask(plan, 'a'));
    const {message, next} = refusalOf(facts, 'review', 'noDecision');
    return {message, commands: next.map(({command}) => command)};
  };

  test('names what is possible instead', () => {
    const approved = {decision_state: 'approved_continue', decision_resolved_at: now} as const;
    const instead = ['blackbird undo a', 'blackbird resume a --feedback <text>', 'blackbird runs a'];
    expect(next('done', approved)).toEqual({
      message: 'there is nothing to decide for a: approved',
      commands: ['blackbird review a --withdraw', ...instead],
    });
    expect(next('done', {...approved, commit: {sha: 'abc', branch: 'main'}}).commands).toEqual(instead);
    expect(next('done', {}).message).toBe('there is nothing to decide for a');
  });

  test('names `why` where the state of the task is not known', () => {
    expect(noDecision('a').next.map(({command}) => command)).toEqual(['blackbird why a']);
  });
});

describe('a refusal', () => {
  test.each(['review', 'undo'] as const)(
    'to %s a task that never ran names its first run, and no history',
    (command) => {
      const plan = planOf(task('a'), task('b', {deps: ['a']}));
      const commands = (id: string) =>
        refusalOf(
          factsIn(plan)(requireTask(plan, id)),
          command,
          command === 'undo' ? 'neverRan' : 'noDecision',
        ).next;
      expect(commands('a')).toEqual([{command: 'blackbird execute a', why: 'run it for the first time'}]);
      expect(commands('b')).toEqual([{command: 'blackbird why b', why: 'see what it waits for'}]);
    },
  );

  test('for a running task names the pause', () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const facts = factsIn(plan, {run: runRecord(), isEngineAlive: true})(requireTask(plan, 'a'));
    expect(seen(refusalOf(facts, 'setStatus', 'running')).next).toEqual([
      {command: 'blackbird runs a', why: 'see its state'},
      {command: 'blackbird pause', why: 'pause it first'},
    ]);
  });

  test.each([
    {command: 'restart', status: 'todo', code: 'E_RESTART_REFUSED', next: 'blackbird execute a'},
    {command: 'resume', status: 'todo', code: 'E_RESUME_REFUSED', next: 'blackbird execute a'},
    {command: 'sendBack', status: 'todo', code: 'E_RESUME_REFUSED', next: 'blackbird execute a'},
    {command: 'restart', status: 'skipped', code: 'E_RESTART_REFUSED', next: 'blackbird why a'},
  ] as const)('to $command an undone task, $status, names $next', ({command, status, code, next}) => {
    const plan = planOf(task('a', {status}));
    const run = restingRun({state: 'succeeded', superseded_by_run_id: 'a-2'});
    const facts = factsIn(plan, {run})(requireTask(plan, 'a'));
    const told = seen(refusalOf(facts, command, taskObstacle(facts, command) ?? 'done'));
    expect(told).toMatchObject({
      code,
      message: expect.stringMatching(/: its latest run was undone or replaced, by run a-2$/),
    });
    expect(told.next.map(({command}) => command)).toEqual([next]);
  });

  test('names the task, the run, the provider, the session, the reason and the next command', () => {
    const task = {id: "it's", title: 'Do it'};
    expect(seen(resumeRefusal('E_RESUME_REJECTED', task, pausedRun(), 'it is gone'))).toEqual({
      code: 'E_RESUME_REJECTED',
      message: "cannot resume it's: it is gone",
      details: [
        ['task', "it's  Do it"],
        ['run', `a-1  paused ${begun}`],
        ['provider', 'claude'],
        ['session', sessionRef],
        ['reason', 'it is gone'],
      ],
      next: [
        {command: String.raw`blackbird restart 'it'\''s'`, why: 'start again; the conversation is forgotten'},
      ],
    });
  });

  test.each([
    {name: 'an agent', fields: {}, command: 'blackbird resume a --agent claude'},
    {
      name: 'a custom command',
      fields: {provider: 'custom', provider_dialect: 'codex', custom_command: "my-agent 'x'"},
      command: String.raw`BLACKBIRD_AGENT_CMD='my-agent '\''x'\''' blackbird resume a`,
    },
  ] as const)('for another program says how $name continues', ({fields, command}) => {
    const run = pausedRun(fields);
    const reason = programObstacle(run, {explicitProvider: 'demo', customCommand: null}) ?? '';
    expect(resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: ''}, run, reason).next).toEqual([
      {command, why: 'continue with the program that has its session'},
      {command: 'blackbird restart a', why: 'start again; the conversation is forgotten'},
    ]);
  });

  test('for another program that never stored the session does not suggest it', () => {
    const run = pausedRun({resumable: false});
    const reason = programObstacle(run, {explicitProvider: 'demo', customCommand: null}) ?? '';
    const {next} = resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: ''}, run, reason);
    expect(next.map(({command}) => command)).toEqual(['blackbird restart a']);
  });

  const rejected = {kind: 'resume_rejected', message: 'it is gone'} as const;
  const undelivered = {
    state: 'failed',
    feedback: 'use tabs',
    resumed_from_run_id: 'a-1',
    failure: rejected,
  } as const;
  test.each([
    {name: 'a run at a checkpoint', run: {state: 'succeeded', decision_state: 'pending'}, isAsked: true},
    {
      name: 'requested changes that were not delivered',
      run: {...undelivered, decision_required: true},
      isAsked: true,
    },
    {name: 'other feedback that was not delivered', run: undelivered, isAsked: false},
    {
      name: 'a run that was approved',
      run: {state: 'succeeded', decision_state: 'approved_quit'},
      isAsked: false,
    },
  ] as const)('for $name, the decision is still open: $isAsked', ({run, isAsked}) => {
    const {next} = resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: 'A'}, pausedRun(run), 'no');
    expect(next.map(({command}) => command)).toEqual([
      'blackbird restart a',
      ...(isAsked ? ['blackbird review a'] : []),
    ]);
  });

  test.each(['auth', 'rate_limit'] as const)('for %s says that it can be retried', (kind) => {
    const run = pausedRun({failure: {kind, message: 'not now'}});
    const commands = (reason: string) =>
      resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: 'A'}, run, reason).next.map(({command}) => command);
    expect(commands('not now')).toEqual(['blackbird resume a', 'blackbird restart a']);
    expect(commands('it belongs to another working folder')).toEqual(['blackbird restart a']);
  });

  test.each([
    {name: 'paused in a session', run: {}, goesOn: true},
    {name: 'paused without one', run: {provider_session_ref: ''}, goesOn: false},
    {name: 'waiting without one', run: {provider_session_ref: '', state: 'waiting'}, goesOn: true},
  ] as const)('names the program of a run only when it could continue: $name', ({run, goesOn}) => {
    const own = pausedRun({provider: 'custom', custom_command: 'my-agent', ...run});
    const reason = 'it belongs to another program: no matter which';
    const {next} = resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: 'A'}, own, reason);
    expect(next.map(({command}) => command)).toEqual([
      ...(goesOn ? ['BLACKBIRD_AGENT_CMD=my-agent blackbird resume a'] : []),
      'blackbird restart a',
    ]);
  });

  test('says that there is no session, and since when it rests when it was never paused', () => {
    const {paused_at: _, ...run} = pausedRun({
      provider_session_ref: '',
      updated_at: '2026-02-02T03:00:00.000Z',
    });
    const {details} = resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: 'A'}, run, 'no');
    expect(details.filter(([label]) => label === 'session' || label === 'run')).toEqual([
      ['run', 'a-1  paused 2026-02-02T03:00:00.000Z'],
      ['session', '(none)'],
    ]);
  });
});

describe('execute of tasks none of which can run', () => {
  const plan = planOf(
    task('done', {status: 'done'}),
    task('skipped', {status: 'skipped'}),
    task('paused', {status: 'in_progress'}),
    task('asks', {status: 'waiting_user'}),
    task('told', {status: 'waiting_user'}),
    task('decide', {status: 'in_progress'}),
    task('failed', {status: 'failed'}),
    task('waits', {deps: ['failed']}),
  );
  const runs: Record<string, RunRecord> = {
    done: pausedRun({state: 'succeeded', task_id: 'done'}),
    paused: pausedRun({task_id: 'paused'}),
    asks: waitingRun({task_id: 'asks'}),
    told: waitingRun({task_id: 'told', answers: [{id: 'q', value: 'red', undelivered: true}]}),
    decide: pausedRun({state: 'succeeded', decision_state: 'pending', task_id: 'decide'}),
    failed: pausedRun({state: 'failed', task_id: 'failed'}),
  };
  const factsOf = (id: string) => factsIn(plan, {run: runs[id] ?? null})(requireTask(plan, id));
  const told = (...ids: string[]) => {
    try {
      requireNothingLeft(ids.map(factsOf));
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const {code, message, next} = error;
      return {code, message, commands: next.map(({command}) => command.replace('blackbird ', ''))};
    }
  };

  test.each([
    {id: 'paused', message: 'paused is paused', commands: ['resume paused', 'restart paused']},
    {id: 'asks', message: 'asks waits for your answer', commands: ['resume asks', 'restart asks']},
    {
      id: 'told',
      message: 'your answer did not reach the agent of told',
      commands: ['resume told', 'restart told'],
    },
    {
      id: 'decide',
      message: 'decide waits for your decision',
      commands: [
        'review decide --approve',
        'review decide --request-changes [text]',
        'review decide --reject [reason]',
        'restart decide',
      ],
    },
    {id: 'failed', message: 'failed failed', commands: ['resume failed', 'retry failed', 'restart failed']},
    {id: 'waits', message: 'waits is not ready', commands: ['why waits']},
  ])('says the state of $id and what is possible', ({id, message, commands}) => {
    expect(told(id)).toEqual({code: 'E_TASK_NOT_READY', message: `nothing to run: ${message}`, commands});
  });

  test('is no error when all of them are done or skipped', () => {
    expect([told('done'), told('done', 'skipped')]).toEqual([null, null]);
  });

  test('is an error when a done task was sent back', () => {
    const facts = factsIn(plan, {run: runs.done ?? null, isSentBack: true})(requireTask(plan, 'done'));
    expect(() => requireNothingLeft([facts])).toThrow('nothing to run: done');
  });

  test('of several names the first ones, with one command for each', () => {
    expect(told('done', 'paused', 'asks', 'waits')).toEqual({
      code: 'E_TASK_NOT_READY',
      message: 'nothing to run: done is done, paused is paused, asks waits for your answer, and 1 more',
      commands: ['resume done --feedback <text>', 'resume paused', 'resume asks'],
    });
  });
});

test('a parent whose review sent tasks back names them and how each continues', () => {
  const plan = planOf(family(task('p'), task('c', {status: 'done'}), task('d', {status: 'done'})));
  const {message, next} = parentRefusal(plan, requireTask(plan, 'p'), ['c', 'd']);
  expect([message, next.map(({command}) => command)]).toEqual([
    'the review of p sent back c, d',
    ['blackbird resume c', 'blackbird resume d'],
  ]);
});

test('answering a task that was answered elsewhere, and is at its checkpoint, suggests to decide', () => {
  const plan = planOf(task('a', {status: 'in_progress'}));
  const run = restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'});
  const facts = factsIn(plan, {run})(requireTask(plan, 'a'));
  expect(taskObstacle(facts, 'answer')).toBe('checkpoint');
  const {code, next} = refusalOf(facts, 'answer', 'checkpoint');
  expect([code, next[0]?.command]).toEqual(['E_DECISION_PENDING', 'blackbird review a --approve']);
});
