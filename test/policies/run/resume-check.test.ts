import {describe, expect, test} from 'vitest';
import {
  isSessionStored,
  relaunchObstacle,
  resumeObstacle,
  resumeRefusal,
} from '../../../src/machines/policies/run/resume-check.ts';
import type {ProviderId} from '../../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {begun, pausedRun, sessionRef} from '../../fakes/runs.ts';
import {seen} from '../../helpers/errors.ts';

type Row = {
  name: string;
  fields?: Partial<RunRecord>;
  explicitProvider?: ProviderId | null;
  customCommand?: string | null;
  obstacle: string | null;
};

const replaced = {superseded_by_run_id: 'a-2'};
const elsewhere = {repo_root: '/elsewhere'};
const custom = {provider: 'custom', custom_command: 'my-agent', provider_dialect: 'codex'} as const;
const rows: Row[] = [
  {name: 'nothing', obstacle: null},
  {name: 'nothing, when the provider is named that it has', explicitProvider: 'claude', obstacle: null},
  {
    name: 'nothing, for a record of the Go program, which knew no folder',
    fields: {repo_root: ''},
    obstacle: null,
  },
  {name: 'a run that replaced it', fields: replaced, obstacle: 'it was replaced by run a-2'},
  {
    name: 'another provider',
    explicitProvider: 'codex',
    obstacle: 'it belongs to another program: it was started by claude, but codex was asked for',
  },
  {
    name: 'a command of the user, for the session of an agent',
    explicitProvider: 'custom',
    customCommand: 'claude -p',
    obstacle: 'it belongs to another program: it was started by claude, but BLACKBIRD_AGENT_CMD is set',
  },
  {
    name: 'nothing, when the agent itself is named although there is a command',
    explicitProvider: 'claude',
    customCommand: 'claude -p',
    obstacle: null,
  },
  {
    name: 'nothing, for the very command that began it',
    fields: custom,
    explicitProvider: 'custom',
    customCommand: 'my-agent',
    obstacle: null,
  },
  {
    name: 'another command',
    fields: custom,
    explicitProvider: 'custom',
    customCommand: 'my-agent --fast',
    obstacle:
      'it belongs to another program: it was started by a command of your own, and BLACKBIRD_AGENT_CMD is a different one now',
  },
  {
    name: 'no command, for the session of one',
    fields: custom,
    obstacle:
      'it belongs to another program: it was started by a command of your own, and BLACKBIRD_AGENT_CMD is not set',
  },
  {
    name: 'the agent whose dialect a command speaks',
    fields: custom,
    explicitProvider: 'codex',
    customCommand: 'my-agent',
    obstacle:
      'it belongs to another program: it was started by a command of your own, but codex was asked for',
  },
  {
    name: 'another folder',
    fields: elsewhere,
    obstacle: 'it belongs to another working folder: /elsewhere (this is /project)',
  },
  {
    name: 'a folder whose name begins alike',
    fields: {repo_root: '/project2'},
    obstacle: 'it belongs to another working folder: /project2 (this is /project)',
  },
  {
    name: 'the first of several',
    fields: {...replaced, ...elsewhere, provider_session_ref: ''},
    explicitProvider: 'codex',
    obstacle: 'it was replaced by run a-2',
  },
];
const sessionRows: Row[] = [
  {
    name: 'no session ref',
    fields: {provider_session_ref: '', resumable: false},
    obstacle: 'no session ref was captured before it stopped',
  },
  {
    name: 'a ref of no known dialect',
    fields: {provider: 'custom', custom_command: 'my-agent'},
    customCommand: 'my-agent',
    obstacle: 'no session ref was captured before it stopped',
  },
  {
    name: 'a ref that would be an option',
    fields: {provider_session_ref: '--last'},
    obstacle: 'its session ref has not the form claude uses',
  },
  {
    name: 'a session that was not stored',
    fields: {resumable: false},
    obstacle: 'the provider had not stored the session yet when it stopped',
  },
];

describe('what is in the way of a resume', () => {
  test.each([...rows, ...sessionRows])(
    '$name',
    ({fields, explicitProvider = null, customCommand = null, obstacle}) => {
      const circumstances = {
        repoRoot: '/project',
        explicitProvider,
        customCommand,
        isSessionRef: (ref: string) => ref === sessionRef,
      };
      expect(resumeObstacle(pausedRun(fields), circumstances)).toBe(obstacle);
    },
  );
});

describe('what is in the way of a relaunch', () => {
  test.each([...rows, ...sessionRows.map((row) => ({...row, name: `not ${row.name}`, obstacle: null}))])(
    '$name',
    ({fields, explicitProvider = null, customCommand = null, obstacle}) => {
      const circumstances = {repoRoot: '/project', explicitProvider, customCommand};
      expect(relaunchObstacle(pausedRun(fields), circumstances)).toBe(obstacle);
    },
  );
});

describe('a refusal', () => {
  test('names the task, the run, the provider, the session, the reason and what to do', () => {
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
      next: [{command: String.raw`blackbird restart 'it'\''s'`, why: 'start again, history is kept'}],
    });
  });

  test.each([
    {name: 'an agent', fields: {}, command: 'blackbird resume a --agent claude'},
    {
      name: 'a command of the user',
      fields: {...custom, custom_command: "my-agent 'x'"},
      command: String.raw`BLACKBIRD_AGENT_CMD='my-agent '\''x'\''' blackbird resume a`,
    },
  ])('of another program says how $name goes on', ({fields, command}) => {
    const run = pausedRun(fields);
    const choice = {explicitProvider: 'demo', customCommand: null} as const;
    const reason = resumeObstacle(run, {repoRoot: '/project', ...choice, isSessionRef: () => true}) ?? '';
    expect(resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: ''}, run, reason).next).toEqual([
      {command, why: 'go on with the program that has its session'},
      {command: 'blackbird restart a', why: 'start again, history is kept'},
    ]);
  });

  const rejected = {kind: 'resume_rejected', message: 'it is gone'} as const;
  const unheard = {
    state: 'failed',
    feedback: 'use tabs',
    resumed_from_run_id: 'a-1',
    failure: rejected,
  } as const;
  test.each([
    {name: 'a run at a checkpoint', run: {state: 'succeeded', decision_state: 'pending'}, isAsked: true},
    {name: 'changes nobody heard of', run: {...unheard, decision_required: true}, isAsked: true},
    {name: 'other feedback nobody heard of', run: unheard, isAsked: false},
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

  test.each(['auth', 'rate_limit'] as const)('for %s says that it can be tried again', (kind) => {
    const run = pausedRun({failure: {kind, message: 'not now'}});
    const commands = (reason: string) =>
      resumeRefusal('E_RESUME_REFUSED', {id: 'a', title: 'A'}, run, reason).next.map(({command}) => command);
    expect(commands('not now')).toEqual(['blackbird resume a', 'blackbird restart a']);
    expect(commands('it belongs to another working folder')).toEqual(['blackbird restart a']);
  });

  test('says that there is no session, and since when it stands where it was never paused', () => {
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

describe('a session is stored', () => {
  test.each([
    {
      name: 'never, when it was not seen',
      sessionSeenAt: null,
      hasLaterLine: true,
      killedAt: null,
      stored: false,
    },
    {
      name: 'when the agent was not killed',
      sessionSeenAt: 0,
      hasLaterLine: false,
      killedAt: null,
      stored: true,
    },
    {
      name: 'when something was said after it',
      sessionSeenAt: 0,
      hasLaterLine: true,
      killedAt: 1,
      stored: true,
    },
    {
      name: 'not within a second of it',
      sessionSeenAt: 500,
      hasLaterLine: false,
      killedAt: 1_499,
      stored: false,
    },
    {name: 'a second after it', sessionSeenAt: 500, hasLaterLine: false, killedAt: 1_500, stored: true},
    {name: 'not before it', sessionSeenAt: 500, hasLaterLine: false, killedAt: 100, stored: false},
  ])('$name', ({stored, ...facts}) => {
    expect(isSessionStored(facts)).toBe(stored);
  });
});
