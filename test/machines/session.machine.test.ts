import {describe, expect, test} from 'vitest';
import {createActor, fromPromise, toPromise} from 'xstate';
import {defineSessionActors, type SessionPorts} from '../../src/machines/actors/session-effects.actor.ts';
import type {ResumeRequest, TerminalFacts} from '../../src/machines/policies/session/session-resume.ts';
import {sessionMachine} from '../../src/machines/session.machine.ts';
import {openSession} from '../../src/machines/session.ts';
import {sessionChangeMachine} from '../../src/machines/session-change.machine.ts';
import {AppError, messageOf} from '../../src/services/contracts/errors.ts';
import type {SessionEvent, SessionMeta} from '../../src/services/contracts/session.ts';
import {createFakeTmux, tmuxFailure} from '../fakes/fake-tmux.ts';
import {repoId, runId, session, sessionMeta} from '../fakes/session-runs.ts';
import {unreachedTransitions} from '../helpers/model.ts';

const terminal: TerminalFacts = {isInteractive: true, canAttach: true};
const launch = {argv: ['claude'], env: {AGENCY_RUN_ID: runId}};

type Situation = {
  readonly isRunning?: boolean;
  readonly hasWorktree?: boolean;
  readonly answer?: boolean;
  readonly terminal?: Partial<TerminalFacts>;
  readonly run?: Partial<SessionMeta>;
  readonly ports?: Partial<SessionPorts>;
};

/** The machine with a stateful tmux; the log has every effect of every port in order. */
function stage(situation: Situation = {}) {
  const log: string[] = [];
  const events: SessionEvent[] = [];
  const tmux = createFakeTmux(log);
  const run = sessionMeta(situation.run);
  if (situation.isRunning) {
    tmux.sessions.set(session, {name: session, cwd: '/old', argv: ['old'], env: {}});
  }
  const ports: SessionPorts = {
    findRun: async () => run,
    hasWorktree: async () => situation.hasWorktree ?? true,
    confirm: async (question) => {
      log.push(`ask ${question}`);
      return situation.answer ?? false;
    },
    resolveRunner: async () => {
      log.push('resolveRunner');
      return launch;
    },
    lock: {
      acquire: async (id) => void log.push(`lock ${id}`),
      release: async () => void log.push('unlock'),
    },
    events: {
      append: async (_run, event) => {
        log.push(event.event);
        events.push(event);
      },
    },
    tmux,
    settleMilliseconds: 0,
    warn: (error) => void log.push(`warn ${messageOf(error)}`),
    ...situation.ports,
  };
  const resume = (request: Partial<ResumeRequest> = {}) =>
    openSession(ports, {
      ref: 'refunds',
      request: {detached: false, restart: false, yes: false, isFirst: false, ...request},
      terminal: {...terminal, ...situation.terminal},
    });
  return {log, events, tmux, run, resume, ports: {...ports, tmux}};
}

const has = `hasSession ${session}`;
const create = `newSession ${session}`;
const kill = `killSession ${session}`;
const release = `release ${session}`;
const attach = `attach ${session}`;
const lock = `lock ${repoId}`;
const ask = 'ask restart session? in-tool history will be lost (git state unchanged) [y/N]: ';
const exitAtOnce = {exitCode: 3, signal: null, lastLines: ['cannot read config', 'good bye']};
const oldSessionGone = ['old session', 'was ended for the restart and is gone; git state is unchanged'];
const failing = (error: unknown) => async () => {
  throw error;
};

describe('a session that runs', () => {
  test('is attached to, without lock or runner, after the event', async () => {
    const {log, events, resume, run} = stage({isRunning: true});
    expect(await resume()).toEqual({outcome: 'attached', run, event: 'resume_attach'});
    expect(log).toEqual([has, 'resume_attach', attach]);
    expect(events).toEqual([
      {
        event: 'resume_attach',
        data: {session_name: session, runner: 'claude', detached: false, restart: false},
      },
    ]);
  });

  test('is left in the background when requested', async () => {
    const {log, events, resume, run} = stage({isRunning: true});
    expect(await resume({detached: true})).toEqual({outcome: 'ready', run, event: 'resume_attach'});
    expect(log).toEqual([has, 'resume_attach']);
    expect(events[0]?.data).toMatchObject({detached: true, restart: false});
  });

  test('a yes without a restart changes nothing', async () => {
    const {log, resume} = stage({isRunning: true});
    await resume({yes: true});
    expect(log).toEqual([has, 'resume_attach', attach]);
  });
});

describe('a session that is missing', () => {
  test('is created under the lock, which is gone before the user sees it', async () => {
    const {log, events, tmux, resume, run} = stage();
    expect(await resume()).toEqual({outcome: 'attached', run, event: 'resume_create'});
    expect(log).toEqual([
      has,
      'resolveRunner',
      lock,
      has,
      create,
      release,
      'resume_create',
      'unlock',
      attach,
    ]);
    expect(tmux.sessions.get(session)).toEqual({name: session, cwd: '/worktrees/refunds', ...launch});
    expect(events).toEqual([
      {
        event: 'resume_create',
        data: {session_name: session, runner: 'claude', detached: false, restart: false},
      },
    ]);
  });

  test('is created and left in the background', async () => {
    const {log, resume, run} = stage();
    expect(await resume({detached: true})).toEqual({outcome: 'ready', run, event: 'resume_create'});
    expect(log).toEqual([has, 'resolveRunner', lock, has, create, release, 'resume_create', 'unlock']);
  });

  test.each([true, false])(
    'that was created in the meantime is attached to (detached: %s)',
    async (detached) => {
      const {log, events, tmux, resume} = stage();
      const theirs = {name: session, cwd: '/theirs', argv: ['theirs'], env: {}};
      tmux.before('hasSession', 2, () => tmux.sessions.set(session, theirs));
      expect(await resume({detached})).toMatchObject({event: 'resume_attach'});
      expect(log).toEqual([
        ...[has, 'resolveRunner', lock, has, 'resume_attach', 'unlock'],
        ...(detached ? [] : [attach]),
      ]);
      expect(events.map(({data}) => data)).toEqual([
        {session_name: session, runner: 'claude', detached, restart: false},
      ]);
      expect(tmux.sessions.get(session)).toEqual(theirs);
    },
  );

  test('is created without a question when it was to be restarted', async () => {
    for (const request of [{yes: true}, {yes: false}]) {
      const {log, resume} = stage({terminal: {isInteractive: false}});
      expect(await resume({restart: true, ...request})).toMatchObject({event: 'resume_restart'});
      expect(log).toEqual([
        has,
        'resolveRunner',
        lock,
        has,
        create,
        release,
        'resume_restart',
        'unlock',
        attach,
      ]);
    }
  });

  test('of a new run is started without an event', async () => {
    const {log, resume, run} = stage();
    expect(await resume({isFirst: true})).toEqual({outcome: 'attached', run, event: null});
    expect(log).toEqual([has, 'resolveRunner', lock, has, create, release, 'unlock', attach]);
  });

  test('of a new run that was resumed at once is simply attached to', async () => {
    const {log, tmux, resume} = stage();
    tmux.before('hasSession', 2, () =>
      tmux.sessions.set(session, {name: session, cwd: '/', argv: ['x'], env: {}}),
    );
    expect(await resume({isFirst: true, detached: true})).toMatchObject({outcome: 'ready', event: null});
    expect(log).toEqual([has, 'resolveRunner', lock, has, 'unlock']);
  });
});

describe('a restart', () => {
  const restarted = [has, 'resolveRunner', lock, has, kill, create, release, 'resume_restart', 'unlock'];

  test('with --yes ends the old session and starts a new one, without asking', async () => {
    const {log, events, tmux, resume} = stage({isRunning: true});
    expect(await resume({restart: true, yes: true})).toMatchObject({event: 'resume_restart'});
    expect(log).toEqual([...restarted, attach]);
    expect(events).toEqual([
      {
        event: 'resume_restart',
        data: {session_name: session, runner: 'claude', detached: false, restart: true},
      },
    ]);
    expect(tmux.sessions.get(session)?.argv).toEqual(['claude']);
  });

  test('stays in the background when requested', async () => {
    const {log, resume} = stage({isRunning: true});
    expect(await resume({restart: true, yes: true, detached: true})).toMatchObject({outcome: 'ready'});
    expect(log).toEqual(restarted);
  });

  test('asks, after one check and before anything else', async () => {
    const {log, resume} = stage({isRunning: true, answer: true});
    await resume({restart: true});
    expect(log).toEqual([has, ask, ...restarted.slice(1), attach]);
  });

  test.each([true, false])('that is not confirmed changes nothing (detached: %s)', async (detached) => {
    const {log, tmux, resume} = stage({isRunning: true, answer: false});
    expect(await resume({restart: true, detached})).toEqual({outcome: 'canceled'});
    expect(log).toEqual([has, ask]);
    expect(tmux.sessions.get(session)?.argv).toEqual(['old']);
  });

  test.each([true, false])('that cannot be confirmed is refused (can attach: %s)', async (canAttach) => {
    const {log, resume} = stage({isRunning: true, terminal: {isInteractive: false, canAttach}});
    expect(await resume({restart: true})).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'E_CONFIRMATION_REQUIRED',
        message: 'refusing to restart without confirmation in non-interactive mode; pass --yes',
      },
    });
    expect(log).toEqual([has]);
  });

  test('of a session that ended by itself in the meantime needs no kill', async () => {
    const {log, tmux, resume} = stage({isRunning: true});
    tmux.before('hasSession', 2, () => tmux.sessions.clear());
    expect(await resume({restart: true, yes: true})).toMatchObject({event: 'resume_restart'});
    expect(log).not.toContain(kill);
  });
});

describe('a runner that ends at once', () => {
  const exited = (request: Partial<ResumeRequest>, situation: Situation = {}) => {
    const staged = stage(situation);
    staged.tmux.before('release', 1, () => staged.tmux.ended.set(session, exitAtOnce));
    return {...staged, output: staged.resume(request)};
  };
  const failure = {
    code: 'E_RUNNER_EXITED',
    message: 'the runner ended at once (exit code 3)',
    details: [
      ['runner', 'claude'],
      ['last lines', 'cannot read config\ngood bye'],
    ],
  };
  const data = {session_name: session, runner: 'claude', detached: false, restart: false};
  const told = {exit_code: 3, last_lines: ['cannot read config', 'good bye']};

  test.each([true, false])(
    'is not ready: its end is recorded and reported (detached: %s)',
    async (detached) => {
      const {output, log, events, tmux, run} = exited({detached});
      expect(await output).toMatchObject({outcome: 'failed', run, error: failure});
      expect(log).toEqual([
        ...[has, 'resolveRunner', lock, has, create, release],
        ...['runner_exited', kill, 'unlock'],
      ]);
      expect(events).toEqual([{event: 'runner_exited', data: {...data, detached, ...told}}]);
      expect(tmux.sessions.size).toBe(0);
    },
  );

  test('of a new run is reported the same way', async () => {
    const {output, events} = exited({isFirst: true});
    expect(await output).toMatchObject({outcome: 'failed', error: failure});
    expect(events).toEqual([{event: 'runner_exited', data: {...data, ...told}}]);
  });

  test('after a restart: the old session is gone, and that is reported', async () => {
    const {output, events} = exited({restart: true, yes: true}, {isRunning: true});
    expect(await output).toMatchObject({
      error: {...failure, details: [...failure.details, oldSessionGone]},
    });
    expect(events).toEqual([{event: 'runner_exited', data: {...data, restart: true, ...told}}]);
  });

  test('is reported although it cannot be recorded', async () => {
    const append = failing(new AppError('E_PERSIST_FAILED', 'full'));
    const {output, log} = exited({}, {ports: {events: {append}}});
    expect(await output).toMatchObject({error: failure});
    expect(log.slice(-2)).toEqual([kill, 'unlock']);
  });

  test('with its session gone too, there is no output left', async () => {
    const {resume, tmux, events} = stage();
    tmux.before('release', 1, () => tmux.sessions.clear());
    expect(await resume()).toMatchObject({
      error: {
        message: 'the runner ended at once',
        details: [
          ['runner', 'claude'],
          ['last lines', '(none)'],
        ],
      },
    });
    expect(events).toEqual([{event: 'runner_exited', data: {...data, last_lines: []}}]);
  });
});

describe('a worktree that is gone', () => {
  test.each([
    {
      archive: {archived_at: '2026-01-11T00:00:00Z'},
      reason: 'archived',
      message: 'run is archived; cannot resume',
    },
    {archive: {archived_at: ''}, reason: 'missing', message: 'worktree missing; run is corrupted'},
    {archive: undefined, reason: 'missing', message: 'worktree missing; run is corrupted'},
    {archive: null, reason: 'missing', message: 'worktree missing; run is corrupted'},
  ])(
    '$reason ($archive): one event, no call to tmux, whatever the command',
    async ({archive, reason, message}) => {
      for (const [detached, restart, yes] of [
        [false, false, false],
        [false, true, false],
        [true, true, true],
      ] as const) {
        const {log, events, resume} = stage({hasWorktree: false, run: {archive}, isRunning: true});
        expect(await resume({detached, restart, yes})).toMatchObject({
          outcome: 'failed',
          error: {code: 'E_WORKTREE_MISSING', message},
        });
        expect(log).toEqual(['resume_failed']);
        const data = {session_name: session, runner: 'claude', detached, restart, reason};
        expect(events).toEqual([{event: 'resume_failed', data}]);
      }
    },
  );

  test.each([
    {isFirst: false, events: ['resume_failed']},
    {isFirst: true, events: []},
  ])('during the wait for the lock: nothing is started (first: $isFirst)', async ({isFirst, events}) => {
    const seen = [true, false];
    const {log, resume} = stage({ports: {hasWorktree: async () => seen.shift() ?? false}});
    expect(await resume({isFirst})).toMatchObject({outcome: 'failed', error: {code: 'E_WORKTREE_MISSING'}});
    expect(log).toEqual([has, 'resolveRunner', lock, ...events, 'unlock']);
  });

  test('during the wait for the lock, with no place to record it', async () => {
    const seen = [true, false];
    const ports = {
      hasWorktree: async () => seen.shift() ?? false,
      events: {append: failing(new AppError('E_PERSIST_FAILED', 'full'))},
    };
    const {log, resume} = stage({ports});
    expect(await resume()).toMatchObject({outcome: 'failed', error: {code: 'E_WORKTREE_MISSING'}});
    expect(log).toEqual([has, 'resolveRunner', lock, 'unlock']);
  });

  test('does not matter as long as the folder exists', async () => {
    const {log, resume} = stage({isRunning: true, run: {archive: {archived_at: '2026-01-11T00:00:00Z'}}});
    expect(await resume()).toMatchObject({outcome: 'attached'});
    expect(log).toEqual([has, 'resume_attach', attach]);
  });
});

describe('without a terminal', () => {
  test.each([{isRunning: true}, {isRunning: false}, {isRunning: true, restart: true, yes: true}])(
    '%j: nothing is created, ended or recorded',
    async ({isRunning, ...request}) => {
      const {log, tmux, resume} = stage({isRunning, terminal: {canAttach: false}});
      const before = new Map(tmux.sessions);
      expect(await resume(request)).toMatchObject({
        outcome: 'failed',
        error: {code: 'E_NOT_INTERACTIVE', message: expect.stringContaining('--detached')},
      });
      expect(log).toEqual([has]);
      expect(tmux.sessions).toEqual(before);
    },
  );

  test('the background still works', async () => {
    const {resume} = stage({terminal: {canAttach: false, isInteractive: false}});
    expect(await resume({detached: true})).toMatchObject({outcome: 'ready'});
  });
});

describe('what goes wrong', () => {
  const locked = new AppError('E_REPO_LOCKED', 'repo is locked');
  const unwritable = new AppError('E_PERSIST_FAILED', 'failed to append');
  const noRunner = new AppError('E_RUNNER_NOT_CONFIGURED', 'no runner');

  test('an unknown run costs nothing', async () => {
    const error = new AppError('E_RUN_NOT_FOUND', 'run not found: x');
    const {log, resume} = stage({ports: {findRun: failing(error)}});
    expect(await resume()).toEqual({outcome: 'failed', error, run: null});
    expect(log).toEqual([]);
  });

  test.each([false, true])('a busy lock leaves everything as it was (restart: %s)', async (restart) => {
    const {log, tmux, resume, run} = stage({
      isRunning: restart,
      ports: {lock: {acquire: failing(locked), release: async () => void log.push('unlock')}},
    });
    expect(await resume({restart, yes: true})).toEqual({outcome: 'failed', error: locked, run});
    expect(log).toEqual([has, 'resolveRunner']);
    expect(tmux.sessions.has(session)).toBe(restart);
  });

  test.each([false, true])('a runner that cannot start ends no session (restart: %s)', async (restart) => {
    const {log, tmux, resume} = stage({isRunning: restart, ports: {resolveRunner: failing(noRunner)}});
    expect(await resume({restart, yes: true})).toMatchObject({outcome: 'failed', error: noRunner});
    expect(log).toEqual([has]);
    expect(tmux.sessions.has(session)).toBe(restart);
  });

  test('a session that cannot be created is neither recorded nor attached to; the lock is released', async () => {
    const {log, tmux, resume} = stage();
    const error = tmuxFailure('new-session', 'boom');
    tmux.before('newSession', 1, () => {
      throw error;
    });
    expect(await resume()).toMatchObject({outcome: 'failed', error});
    expect(log).toEqual([has, 'resolveRunner', lock, has, create, 'unlock']);
  });

  test('a restart whose creation fails says that the old session is gone', async () => {
    const {log, tmux, resume} = stage({isRunning: true});
    tmux.before('newSession', 1, () => {
      throw tmuxFailure('new-session', 'boom');
    });
    expect(await resume({restart: true, yes: true})).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'E_TMUX_FAILED',
        message: 'tmux new-session failed (exit=1): boom',
        details: [oldSessionGone],
      },
    });
    expect(log).toEqual([has, 'resolveRunner', lock, has, kill, create, 'unlock']);
  });

  test('a session that cannot be ended is not replaced', async () => {
    const {log, tmux, resume} = stage({isRunning: true});
    const error = tmuxFailure('kill-session', 'boom');
    tmux.before('killSession', 1, () => {
      throw error;
    });
    expect(await resume({restart: true, yes: true})).toMatchObject({outcome: 'failed', error});
    expect(log).toEqual([has, 'resolveRunner', lock, has, kill, 'unlock']);
  });

  test.each([1, 2])('tmux failing at call %i ends it, without a lock left', async (nth) => {
    const {log, tmux, resume} = stage();
    const error = new AppError('E_TMUX_NOT_INSTALLED', 'no tmux');
    tmux.before('hasSession', nth, () => {
      throw error;
    });
    expect(await resume()).toMatchObject({outcome: 'failed', error});
    expect(log).toEqual(nth === 1 ? [has] : [has, 'resolveRunner', lock, has, 'unlock']);
  });

  test('an attach that cannot be recorded prints a warning, and the session is shown', async () => {
    for (const detached of [false, true]) {
      const {log, resume, run} = stage({isRunning: true, ports: {events: {append: failing(unwritable)}}});
      const outcome = detached ? 'ready' : 'attached';
      expect(await resume({detached})).toEqual({outcome, run, event: 'resume_attach'});
      expect(log).toEqual([has, 'warn failed to append', ...(detached ? [] : [attach])]);
    }
  });

  test('the same when the session was created in the meantime', async () => {
    const {log, tmux, resume, run} = stage({ports: {events: {append: failing(unwritable)}}});
    tmux.before('hasSession', 2, () =>
      tmux.sessions.set(session, {name: session, cwd: '/', argv: ['x'], env: {}}),
    );
    expect(await resume()).toEqual({outcome: 'attached', run, event: 'resume_attach'});
    expect(log).toEqual([has, 'resolveRunner', lock, has, 'unlock', 'warn failed to append', attach]);
  });

  test.each([
    {isRunning: false, request: {}, expected: [has, 'resolveRunner', lock, has, create, release, 'unlock']},
    {
      isRunning: true,
      request: {restart: true, yes: true},
      expected: [has, 'resolveRunner', lock, has, kill, create, release, 'unlock'],
    },
  ])(
    'an event that cannot be written: it does not attach ($request, running $isRunning)',
    async ({isRunning, request, expected}) => {
      const {log, resume} = stage({isRunning, ports: {events: {append: failing(unwritable)}}});
      expect(await resume(request)).toMatchObject({outcome: 'failed', error: unwritable});
      expect(log).toEqual(expected);
    },
  );

  test('a failure that cannot be recorded is reported as that', async () => {
    const {resume} = stage({hasWorktree: false, ports: {events: {append: failing(unwritable)}}});
    expect(await resume()).toMatchObject({outcome: 'failed', error: unwritable});
  });

  test('an attach that fails is reported; the event stays', async () => {
    const {log, tmux, resume} = stage();
    const error = tmuxFailure('attach', 'boom');
    tmux.before('attach', 1, () => {
      throw error;
    });
    expect(await resume()).toMatchObject({outcome: 'failed', error});
    expect(log).toContain('resume_create');
  });

  test('of two failures the first is reported', async () => {
    const {tmux, resume} = stage({
      ports: {lock: {acquire: async () => {}, release: failing(new Error('release'))}},
    });
    const error = tmuxFailure('new-session', 'first');
    tmux.before('newSession', 1, () => {
      throw error;
    });
    expect(await resume()).toMatchObject({outcome: 'failed', error});
  });

  test('a lock that cannot be released is reported, and it does not attach', async () => {
    const error = new Error('release');
    const {log, resume} = stage({ports: {lock: {acquire: async () => {}, release: failing(error)}}});
    expect(await resume()).toMatchObject({outcome: 'failed', error});
    expect(log).not.toContain(attach);
  });

  test.each(['hasWorktree', 'confirm'] as const)('%s failing ends it', async (port) => {
    const error = new Error(port);
    const {log, resume} = stage({isRunning: true, ports: {[port]: failing(error)}});
    expect(await resume({restart: true})).toMatchObject({outcome: 'failed', error});
    expect(log.filter((call) => call !== has)).toEqual([]);
  });
});

const request = {detached: false, restart: false, yes: false, isFirst: false};
const inputs = [true, false].flatMap((flag) =>
  [{}, {detached: true}, {restart: true}, {restart: true, yes: true}, {isFirst: true}].map((fields) => ({
    ref: 'x',
    request: {...request, ...fields},
    terminal: {isInteractive: flag, canAttach: flag},
  })),
);

test('every transition of the session is reachable', () => {
  const done = (id: string, outputs: readonly unknown[]) =>
    outputs.map((output) => ({type: `xstate.done.actor.${id}`, output}));
  expect(
    unreachedTransitions(sessionMachine, {
      inputs,
      payloads: [
        ...done('findRun', [sessionMeta()]),
        ...done('hasWorktree', [true, false]),
        ...done('hasSession', [true, false]),
        ...done('confirm', [true, false]),
        ...done('resolveRunner', [launch]),
        ...done('change', [
          {event: 'resume_create', failure: null, unrecorded: null},
          {event: 'resume_attach', failure: null, unrecorded: {error: 'e'}},
          {event: null, failure: {error: 'e'}, unrecorded: null},
        ]),
      ],
      key: ({context}) => [context.request, context.terminal, context.isRunning],
    }),
  ).toEqual([]);
});

test('every transition of the change is reachable', () => {
  expect(
    unreachedTransitions(sessionChangeMachine, {
      inputs: inputs.map((input) => ({run: sessionMeta(), launch, request: input.request})),
      payloads: [
        ...['hasWorktree', 'hasSession'].flatMap((id) =>
          [true, false].map((output) => ({type: `xstate.done.actor.${id}`, output})),
        ),
        ...[null, exitAtOnce].map((output) => ({type: 'xstate.done.actor.releaseSession', output})),
      ],
      key: ({context}) => [context.request, context.event, context.failure !== null],
    }),
  ).toEqual([]);
});

describe('a missing effect is named', () => {
  const {ports} = stage({isRunning: true, answer: true});
  const {acquireLock, killSession, newSession, releaseSession, releaseLock, ...others} =
    defineSessionActors(ports);
  const {hasWorktree, hasSession, recordEvent} = others;
  const delays = {settleTime: 0};
  const looking = {hasWorktree, hasSession, recordEvent};
  const changing = {acquireLock, ...looking, killSession, newSession, releaseSession, releaseLock};
  const without = <Actors extends object>(actors: Actors, name: keyof Actors): Partial<Actors> => {
    const {[name]: _, ...rest} = actors;
    return rest as Partial<Actors>;
  };

  test.each(Object.keys(others) as Array<keyof typeof others>)('%s', async (name) => {
    const change = sessionChangeMachine.provide({actors: changing, delays});
    // The one event that the change does not write is that of a missing worktree.
    const gone =
      name === 'recordEvent'
        ? {hasWorktree: fromPromise<boolean, {run: SessionMeta}>(async () => false)}
        : {};
    const machine = sessionMachine.provide({actors: {...without(others, name), ...gone, change}});
    const asked = {...request, restart: true};
    const actor = createActor(machine, {input: {ref: 'x', request: asked, terminal}});
    const finished = toPromise(actor);
    actor.start();
    expect(await finished).toMatchObject({
      outcome: 'failed',
      error: {message: `Actor "${name}" was not provided`},
    });
  });

  test.each(Object.keys(changing) as Array<keyof typeof changing>)('%s, under the lock', async (name) => {
    ports.tmux.sessions.set(session, {name: session, cwd: '/', argv: ['old'], env: {}});
    const machine = sessionChangeMachine.provide({actors: without(changing, name), delays});
    const input = {run: sessionMeta(), launch, request: {...request, restart: true}};
    const actor = createActor(machine, {input});
    const finished = toPromise(actor);
    actor.start();
    expect((await finished).failure).toEqual({error: new Error(`Actor "${name}" was not provided`)});
  });
});
