import {readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {gatherEndFacts} from '../../../src/services/agents/verdicts.ts';
import type {
  Activity,
  AgentEnd,
  AgentEvent,
  AgentVerdict,
  Provider,
} from '../../../src/services/contracts/agent.ts';

// Recorded from codex-cli 0.166.0 and Claude Code 2.1.197, run against `test/helpers/model-server.ts`.
const recordings = path.resolve(import.meta.dirname, '../../fixtures/agents/recordings');

type Row = {
  readonly name: string;
  readonly provider: Provider;
  readonly kind?: AgentEnd['kind'];
  readonly exitCode: number;
  readonly stderrTail?: string;
  readonly events: readonly AgentEvent[];
  readonly verdict: AgentVerdict;
};

const doing = (kind: Activity['kind'], text: string): AgentEvent => ({
  type: 'activity',
  activity: {kind, text},
});
const said = (text: string, line = text): AgentEvent[] => [{type: 'message', text}, doing('message', line)];
const turn: AgentEvent = {type: 'turn'};
const noMetadata = doing(
  'notice',
  'Model metadata for `gpt-5` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
);
const unknownRef = '9da519ae-64e4-42e4-85fc-7c3305f70aa3';

const claudeUsage = (input_tokens: number, output_tokens: number, cost_usd: number): AgentEvent => ({
  type: 'usage',
  usage: {input_tokens, output_tokens, cost_usd},
});
const claudeFailure = (kind: 'auth' | 'agent_error', message: string, turns: number): AgentEvent => ({
  type: 'result',
  result: {ok: false, text: '', failure: {kind, message}, turns},
});
const codexUsage = (input_tokens: number, output_tokens: number): AgentEvent => ({
  type: 'usage',
  usage: {input_tokens, output_tokens},
  wholeSession: true,
});
const codexDone: AgentEvent = {type: 'result', result: {ok: true, text: ''}};
const claudeRows: Row[] = [
  {
    name: 'claude-success',
    provider: claudeProvider,
    exitCode: 0,
    events: [
      turn,
      ...said('I will write'),
      turn,
      doing('command', '$ echo hi > a.txt; cat a.txt'),
      doing('output', 'hi'),
      turn,
      doing('command', '$ ls missing'),
      doing('notice', 'Exit code 2 …'),
      turn,
      ...said('all done\nsecond line', 'all done …'),
      claudeUsage(300, 60, 0.003),
      {type: 'result', result: {ok: true, text: 'all done\nsecond line', turns: 3}},
    ],
    verdict: {outcome: 'succeeded', text: 'all done\nsecond line'},
  },
  {
    name: 'claude-resumed',
    provider: claudeProvider,
    kind: 'resume',
    exitCode: 0,
    events: [
      turn,
      ...said('resumed'),
      claudeUsage(100, 20, 0.001),
      {type: 'result', result: {ok: true, text: 'resumed', turns: 1}},
    ],
    verdict: {outcome: 'succeeded', text: 'resumed'},
  },
  {
    name: 'claude-tools',
    provider: claudeProvider,
    exitCode: 0,
    events: [
      turn,
      doing('read', 'read /project/f.txt'),
      turn,
      doing('edit', 'edit /project/f.txt +2 −1'),
      turn,
      doing('edit', 'edit /project/new.txt +2 −0'),
      turn,
      doing('tool', 'TaskCreate do it'),
      turn,
      doing('read', 'read /project/none.txt'),
      doing('notice', 'File does not exist. Note: your current working directory is /project.'),
      turn,
      doing('tool', 'Agent look around'),
      doing('command', '$ ls'),
      turn,
      ...said('done'),
      claudeUsage(700, 140, 0.009000000000000001),
      {type: 'result', result: {ok: true, text: 'done', turns: 7}},
    ],
    verdict: {outcome: 'succeeded', text: 'done'},
  },
  {
    name: 'claude-answer-schema',
    provider: claudeProvider,
    exitCode: 0,
    events: [
      turn,
      doing('tool', 'StructuredOutput'),
      claudeUsage(100, 20, 0.001),
      {type: 'result', result: {ok: true, text: '{"passed":true}', turns: 2}},
    ],
    verdict: {outcome: 'succeeded', text: '{"passed":true}'},
  },
  {
    name: 'claude-no-key',
    provider: claudeProvider,
    exitCode: 1,
    events: [
      {type: 'diagnosis', failure: {kind: 'auth', message: 'Not logged in · Please run /login'}},
      claudeUsage(0, 0, 0),
      claudeFailure('auth', 'Not logged in · Please run /login', 1),
    ],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'auth', message: 'Not logged in · Please run /login'},
      text: '',
    },
  },
  {
    name: 'claude-interrupted',
    provider: claudeProvider,
    exitCode: 1,
    events: [
      turn,
      doing('command', '$ sleep 30'),
      doing('notice', '[Request interrupted by user for tool use]'),
      claudeUsage(100, 20, 0.001),
      claudeFailure(
        'agent_error',
        '[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use',
        3,
      ),
    ],
    verdict: {
      outcome: 'failed',
      failure: {
        kind: 'agent_error',
        message: '[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use',
      },
      text: '',
    },
  },
  {
    name: 'claude-interrupted-early',
    provider: claudeProvider,
    exitCode: 0,
    events: [],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 0)'},
      text: '',
    },
  },
];

const codexRows: Row[] = [
  {
    name: 'codex-success',
    provider: codexProvider,
    exitCode: 0,
    events: [
      noMetadata,
      turn,
      ...said('I will write'),
      doing('command', '$ echo hi > a.txt; cat a.txt'),
      doing('output', 'hi'),
      doing('command', '$ ls missing'),
      doing('output', "ls: cannot access 'missing': No such file or directory"),
      doing('notice', 'exit 2'),
      ...said('all done\nsecond line', 'all done …'),
      codexUsage(300, 60),
      codexDone,
    ],
    verdict: {outcome: 'succeeded', text: 'all done\nsecond line'},
  },
  {
    name: 'codex-resumed',
    provider: codexProvider,
    kind: 'resume',
    exitCode: 0,
    // The same session as above: its 300 and 60 tokens are counted again.
    events: [noMetadata, turn, ...said('resumed'), codexUsage(400, 80), codexDone],
    verdict: {outcome: 'succeeded', text: 'resumed'},
  },
  {
    name: 'codex-patch',
    provider: codexProvider,
    exitCode: 0,
    events: [
      noMetadata,
      turn,
      doing('edit', 'edit /project/f.txt'),
      doing('edit', 'edit /project/n2.txt'),
      doing('edit', 'delete /project/new.txt'),
      ...said('done'),
      codexUsage(200, 40),
      codexDone,
    ],
    verdict: {outcome: 'succeeded', text: 'done'},
  },
  {
    name: 'codex-answer-schema',
    provider: codexProvider,
    exitCode: 0,
    events: [noMetadata, turn, ...said('{"passed":true}'), codexUsage(100, 20), codexDone],
    verdict: {outcome: 'succeeded', text: '{"passed":true}'},
  },
  {
    name: 'codex-no-key',
    provider: codexProvider,
    exitCode: 1,
    events: [
      noMetadata,
      turn,
      doing('notice', 'Missing environment variable: `BLACKBIRD_TEST_KEY`.'),
      {
        type: 'result',
        result: {
          ok: false,
          text: '',
          failure: {kind: 'auth', message: 'Missing environment variable: `BLACKBIRD_TEST_KEY`.'},
        },
      },
    ],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'auth', message: 'Missing environment variable: `BLACKBIRD_TEST_KEY`.'},
      text: '',
    },
  },
  {
    name: 'codex-interrupted',
    provider: codexProvider,
    exitCode: 1,
    events: [noMetadata, turn, doing('command', '$ sleep 30')],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 1)'},
      text: '',
    },
  },
  {
    name: 'codex-interrupted-early',
    provider: codexProvider,
    exitCode: 1,
    events: [noMetadata, turn],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 1)'},
      text: '',
    },
  },
];

const refusedRows: Row[] = [
  {
    name: 'claude-unknown-session',
    provider: claudeProvider,
    kind: 'resume',
    exitCode: 1,
    stderrTail: `No conversation found with session ID: ${unknownRef}\n`,
    events: [
      claudeUsage(0, 0, 0),
      claudeFailure('agent_error', `No conversation found with session ID: ${unknownRef}`, 0),
    ],
    verdict: {
      outcome: 'failed',
      failure: {kind: 'resume_rejected', message: `No conversation found with session ID: ${unknownRef}`},
      text: '',
    },
  },
  {
    name: 'codex-unknown-session',
    provider: codexProvider,
    kind: 'resume',
    exitCode: 1,
    stderrTail: `Error: thread/resume: thread/resume failed: no rollout found for thread id ${unknownRef} (code -32600)\n`,
    events: [],
    verdict: {
      outcome: 'failed',
      failure: {
        kind: 'resume_rejected',
        message: `thread/resume: thread/resume failed: no rollout found for thread id ${unknownRef} (code -32600)`,
      },
      text: '',
    },
  },
];

describe('a recorded run', () => {
  test.each([...claudeRows, ...codexRows])('$name', ({name, provider, events, verdict, ...end}) => {
    const [first, ...rest] = replay(name, provider);
    expect(first).toEqual({type: 'session', ref: expect.any(String)});
    expect(rest).toEqual(events);
    expect(judged(provider, rest, end)).toEqual(verdict);
  });

  test.each(refusedRows)('$name announces no session', ({name, provider, events, verdict, ...end}) => {
    const seen = replay(name, provider);
    expect(seen).toEqual(events);
    expect(judged(provider, seen, end)).toEqual(verdict);
  });
});

function replay(name: string, provider: Provider): AgentEvent[] {
  const lines = readFileSync(path.join(recordings, `${name}.jsonl`), 'utf8').split('\n');
  const events = lines.flatMap((line) => provider.parseLine(line));
  // The usage of each message is tested in `usage-sum.test.ts`.
  return events.filter(({type}) => type !== 'messageUsage');
}

function judged(
  provider: Provider,
  events: readonly AgentEvent[],
  {kind = 'start', exitCode, stderrTail = ''}: Pick<Row, 'kind' | 'exitCode' | 'stderrTail'>,
): AgentVerdict {
  const facts = gatherEndFacts();
  events.forEach(facts.take);
  return provider.judge({kind, ...facts.said, exitCode, signal: null, stderrTail});
}
