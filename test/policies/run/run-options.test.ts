import {describe, expect, test} from 'vitest';
import {circumstancesAt, obstacleText} from '../../../src/machines/policies/run/run-circumstances.ts';
import {type RunCommandName, runObstacle} from '../../../src/machines/policies/run/run-options.ts';
import type {ProviderId} from '../../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {pausedRun, sessionRef, waitingRun} from '../../fakes/runs.ts';

type Row = {
  name: string;
  fields?: Partial<RunRecord>;
  explicitProvider?: ProviderId | null;
  customCommand?: string | null;
  obstacle: string | null;
};

const elsewhere = {repo_root: '/elsewhere'};
const custom = {provider: 'custom', custom_command: 'my-agent', provider_dialect: 'codex'} as const;
const rows: Row[] = [
  {name: 'nothing', obstacle: null},
  {name: 'nothing, when its own provider is named', explicitProvider: 'claude', obstacle: null},
  {
    name: 'nothing, for a record of the Go program, which had no folder',
    fields: {repo_root: ''},
    obstacle: null,
  },
  {
    name: 'another provider',
    explicitProvider: 'codex',
    obstacle: 'it belongs to another program: it was started by claude, but codex was asked for',
  },
  {
    name: 'a custom command, for the session of an agent',
    explicitProvider: 'custom',
    customCommand: 'claude -p',
    obstacle: 'it belongs to another program: it was started by claude, but BLACKBIRD_AGENT_CMD is set',
  },
  {
    name: 'nothing, when the agent itself is named although a command is configured',
    explicitProvider: 'claude',
    customCommand: 'claude -p',
    obstacle: null,
  },
  {
    name: 'nothing, for the command that started it',
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
    name: 'no command, for the session of a custom command',
    fields: custom,
    obstacle:
      'it belongs to another program: it was started by a command of your own, and BLACKBIRD_AGENT_CMD is not set',
  },
  {
    name: 'the agent whose dialect a command uses',
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
    name: 'a folder whose name has the same beginning',
    fields: {repo_root: '/project2'},
    obstacle: 'it belongs to another working folder: /project2 (this is /project)',
  },
  {
    name: 'the first of several',
    fields: {...elsewhere, provider_session_ref: ''},
    explicitProvider: 'codex',
    obstacle: 'it belongs to another program: it was started by claude, but codex was asked for',
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
    obstacle: 'its session ref does not have the form that claude uses',
  },
  {
    name: 'a session that was not stored',
    fields: {resumable: false},
    obstacle: 'the provider had not stored the session yet when it stopped',
  },
];

function obstacleOf(
  run: RunRecord,
  command: RunCommandName,
  {explicitProvider = null, customCommand = null}: Partial<Row> = {},
) {
  const circumstances = circumstancesAt({repoRoot: '/project', explicitProvider, customCommand}, run, {
    isSessionRef: run.provider_session_ref === sessionRef,
    owner: 'gone',
    isPastCheckpoint: false,
    isBuiltOn: false,
  });
  const obstacle = runObstacle(run, circumstances, command);
  return obstacle === null || obstacle === 'standing' ? obstacle : obstacleText(obstacle, run, circumstances);
}

describe('what prevents a resume', () => {
  test.each([...rows, ...sessionRows])('$name', ({fields, obstacle, ...choice}) => {
    expect(obstacleOf(pausedRun(fields), 'resume', choice)).toBe(obstacle);
  });

  test('the run that replaced it', () => {
    expect(obstacleOf(pausedRun({superseded_by_run_id: 'a-2'}), 'resume')).toBe('standing');
  });
});

describe('what prevents an answer to a task without a session', () => {
  test.each(rows)('$name', ({fields, obstacle, ...choice}) => {
    const run = waitingRun({...fields, provider_session_ref: '', resumable: false});
    expect(obstacleOf(run, 'answer', choice)).toBe(obstacle);
  });
});
