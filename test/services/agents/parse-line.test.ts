import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {customProvider} from '../../../src/services/agents/custom-command.ts';
import {providers} from '../../../src/services/agents/providers.ts';
import type {
  Activity,
  AgentEnd,
  AgentEvent,
  AgentVerdict,
  Provider,
} from '../../../src/services/contracts/agent.ts';
import fc from '../../helpers/fast-check.ts';
import {promptly} from '../../helpers/plans.ts';
import {providerLines} from '../../helpers/provider-lines.ts';

const vendors = Object.values(providers);
const everyProvider = [...vendors, customProvider('my-agent', null)];
const doing = (kind: Activity['kind'], text: string): AgentEvent => ({
  type: 'activity',
  activity: {kind, text},
});

type Row = {readonly name: string; readonly line: unknown; readonly events: readonly AgentEvent[]};

const item = (type: string, fields: Record<string, unknown>, event = 'item.completed') => ({
  type: event,
  item: {id: 'item_1', type, ...fields},
});

test.each<Row>([
  {
    name: 'a command in double quotes',
    line: item('command_execution', {command: `bash -lc "echo 'hi'"`}, 'item.started'),
    events: [doing('command', "$ echo 'hi'")],
  },
  {
    name: 'a command with the escapes of its quoting',
    line: item(
      'command_execution',
      {command: String.raw`/bin/bash -lc "printf \"a\\nb \$x\" > b.js"`},
      'item.started',
    ),
    events: [doing('command', String.raw`$ printf "a\nb $x" > b.js`)],
  },
  {
    name: 'a command in quotes of both kinds',
    line: item('command_execution', {command: `/bin/bash -lc "it's"' "so!"'`}, 'item.started'),
    events: [doing('command', `$ it's "so!"`)],
  },
  ...[
    {word: 'ls', shown: 'ls'},
    {word: String.raw`a\ b`, shown: 'a b'},
    {word: String.raw`'a\nb'`, shown: String.raw`a\nb`},
    {word: String.raw`"C:\dir"`, shown: String.raw`C:\dir`},
    {word: 'open\\', shown: 'open\\'},
  ].map(({word, shown}) => ({
    name: `the shell word ${word}`,
    line: item('command_execution', {command: `/bin/sh -c ${word}`}, 'item.started'),
    events: [doing('command', `$ ${shown}`)],
  })),
  {
    name: 'a shell with its own arguments',
    line: item('command_execution', {command: `bash -c 'echo $0' one`}, 'item.started'),
    events: [doing('command', `$ 'echo $0' one`)],
  },
  {
    name: 'a command without a shell',
    line: item('command_execution', {command: 'git push'}, 'item.started'),
    events: [doing('command', '$ git push')],
  },
  {
    name: 'a script of several lines',
    line: item('command_execution', {command: "/bin/sh -c 'set -e\nmake'"}, 'item.started'),
    events: [doing('command', '$ set -e …')],
  },
  {
    name: 'a command without output',
    line: item('command_execution', {command: 'true', aggregated_output: '\n', exit_code: 0}),
    events: [],
  },
  {
    name: "the last line of a command's output, and the number of lines above it",
    line: item('command_execution', {
      command: 'make',
      aggregated_output: 'one\n  two  \r\n\n',
      exit_code: null,
    }),
    events: [{type: 'activity', activity: {kind: 'output', text: 'two', above: 1}}],
  },
  {
    name: 'a tool server',
    line: item('mcp_tool_call', {server: 'docs', tool: 'search', status: 'in_progress'}, 'item.started'),
    events: [doing('tool', 'docs search')],
  },
  {
    name: 'a web search',
    line: item('web_search', {query: 'xstate'}),
    events: [doing('tool', 'search xstate')],
  },
  {
    name: 'a to-do list',
    line: item('todo_list', {items: [{text: 'a', completed: true}, {text: 'b'}]}),
    events: [doing('notice', 'plan 1/2')],
  },
  {
    name: 'a patch that failed',
    line: item('file_change', {changes: [{path: 'a', kind: 'add'}], status: 'failed'}),
    events: [doing('notice', 'a patch did not apply')],
  },
  {name: 'a reasoning item', line: item('reasoning', {text: 'hm'}), events: []},
  {
    name: 'a usage limit of the plan',
    line: {type: 'turn.failed', error: {message: "You've hit your usage limit."}},
    events: [
      {
        type: 'result',
        result: {ok: false, text: '', failure: {kind: 'rate_limit', message: "You've hit your usage limit."}},
      },
    ],
  },
  {
    name: 'a failed turn without a reason',
    line: {type: 'turn.failed'},
    events: [
      {
        type: 'result',
        result: {ok: false, text: '', failure: {kind: 'agent_error', message: 'the turn failed'}},
      },
    ],
  },
  {
    name: 'a completed turn without usage',
    line: {type: 'turn.completed'},
    events: [{type: 'result', result: {ok: true, text: ''}}],
  },
  {
    name: 'a session ref in an unknown format',
    line: {type: 'thread.started', thread_id: '--last'},
    events: [],
  },
  {name: 'an item of a later version', line: item('hologram', {text: 'x'}), events: []},
])('codex: $name', ({line, events}) => {
  expect(codexProvider.parseLine(JSON.stringify(line))).toEqual(events);
});

const assistant = (content: unknown, fields: Record<string, unknown> = {}) => ({
  type: 'assistant',
  message: {role: 'assistant', model: 'some-model', content},
  parent_tool_use_id: null,
  ...fields,
});

test.each<Row>([
  {
    name: 'a search',
    line: assistant([{type: 'tool_use', name: 'Grep', input: {pattern: 'TODO', path: 'src'}}]),
    events: [{type: 'turn'}, doing('tool', 'Grep TODO')],
  },
  {
    name: 'a tool without a subject',
    line: assistant([{type: 'tool_use', name: 'TaskList', input: {}}]),
    events: [{type: 'turn'}, doing('tool', 'TaskList')],
  },
  {
    name: 'thinking next to text',
    line: assistant([
      {type: 'thinking', thinking: 'hm'},
      {type: 'text', text: 'Yes.'},
    ]),
    events: [{type: 'turn'}, {type: 'message', text: 'Yes.'}, doing('message', 'Yes.')],
  },
  {
    name: 'text of a sub-agent, which is not an answer',
    line: assistant([{type: 'text', text: 'found it'}], {parent_tool_use_id: 'toolu_1'}),
    events: [doing('message', 'found it')],
  },
  {
    name: 'a compacted conversation',
    line: {type: 'system', subtype: 'compact_boundary'},
    events: [doing('notice', 'the conversation was compacted')],
  },
  {
    name: 'a lost connection',
    line: {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      error_status: null,
      error: 'unknown',
    },
    events: [
      {type: 'retrying', failure: {kind: 'outage', message: 'no connection to the model, retry 1 of 10'}},
    ],
  },
  {
    name: 'a used-up limit',
    line: {type: 'rate_limit_event', rate_limit_info: {status: 'rejected', resetsAt: 1_800_000_000}},
    events: [
      {
        type: 'diagnosis',
        failure: {
          kind: 'rate_limit',
          message: 'rate limit rejected, resets 2027-01-15T08:00:00.000Z',
          reset_at: '2027-01-15T08:00:00.000Z',
        },
      },
      doing('notice', 'rate limit rejected, resets 2027-01-15T08:00:00.000Z'),
    ],
  },
  {
    name: 'a limit that is near, with an impossible date',
    line: {type: 'rate_limit_event', rate_limit_info: {status: 'allowed_warning', resetsAt: 1e300}},
    events: [doing('notice', 'rate limit allowed_warning')],
  },
  {
    name: 'a limit that is far',
    line: {type: 'rate_limit_event', rate_limit_info: {status: 'allowed', resetsAt: 1_800_000_000}},
    events: [],
  },
  {
    name: 'cached input, which counts as input',
    line: {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'ok',
      usage: {
        input_tokens: 1,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: 300,
        output_tokens: 4,
      },
    },
    events: [
      {type: 'usage', usage: {input_tokens: 321, output_tokens: 4}},
      {type: 'result', result: {ok: true, text: 'ok'}},
    ],
  },
  {
    name: 'an answer that is only in the structured field',
    line: {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: '',
      structured_output: {passed: true},
    },
    events: [{type: 'result', result: {ok: true, text: '{"passed":true}'}}],
  },
  {
    name: 'an answer whose structured field has more than its text',
    line: {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'finished',
      structured_output: {passed: false},
    },
    events: [{type: 'result', result: {ok: true, text: '{"passed":false}'}}],
  },
  {
    name: 'a rate limit of an older version, which has no status',
    line: {type: 'result', subtype: 'success', is_error: true, result: 'API Error: 429 {"type":"error"}'},
    events: [
      {
        type: 'result',
        result: {
          ok: false,
          text: '',
          failure: {kind: 'rate_limit', message: 'API Error: 429 {"type":"error"}'},
        },
      },
    ],
  },
  {
    name: 'too many turns',
    line: {type: 'result', subtype: 'error_max_turns', is_error: false, num_turns: 9},
    events: [
      {
        type: 'result',
        result: {ok: false, text: '', failure: {kind: 'own_limit', message: 'error_max_turns'}, turns: 9},
      },
    ],
  },
  {
    name: 'a model that only talks about logging in',
    line: {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      result: 'I added the /login page',
      usage: {input_tokens: 1, output_tokens: 1},
    },
    events: [
      {type: 'usage', usage: {input_tokens: 1, output_tokens: 1}},
      {
        type: 'result',
        result: {ok: false, text: '', failure: {kind: 'agent_error', message: 'I added the /login page'}},
      },
    ],
  },
  {
    name: 'a session ref in an unknown format',
    line: {type: 'system', subtype: 'init', session_id: 'x'},
    events: [],
  },
])('claude: $name', ({line, events}) => {
  expect(claudeProvider.parseLine(JSON.stringify(line))).toEqual(events);
});

describe('a long message', () => {
  test.each([
    {length: 300, shown: 'x'.repeat(300)},
    {length: 301, shown: `${'x'.repeat(298)} …`},
  ])('of $length characters is shown on one line and kept whole', ({length, shown}) => {
    const text = 'x'.repeat(length);
    expect(codexProvider.parseLine(JSON.stringify(item('agent_message', {text})))).toEqual([
      {type: 'message', text},
      doing('message', shown),
    ]);
  });
});

describe('the end', () => {
  const done: AgentEnd = {
    kind: 'start',
    result: {ok: true, text: 'yes'},
    exitCode: 0,
    signal: null,
    stderrTail: '',
  };
  const failure = (message: string): AgentVerdict => ({
    outcome: 'failed',
    failure: {kind: 'agent_error', message},
    text: 'yes',
  });

  test.each<{name: string; provider: Provider; end: AgentEnd; verdict: AgentVerdict}>([
    {
      name: 'codex that exits with an error after a completed turn',
      provider: codexProvider,
      end: {...done, exitCode: 1, stderrTail: 'first\ncould not write the rollout\n'},
      verdict: failure('the agent failed after its result (exit code 1): could not write the rollout'),
    },
    {
      name: 'codex that had to be killed after a completed turn',
      provider: codexProvider,
      end: {...done, exitCode: null, signal: 'SIGKILL'},
      verdict: {outcome: 'succeeded', text: 'yes'},
    },
    {
      name: 'claude that had to be killed after its result',
      provider: claudeProvider,
      end: {...done, exitCode: null, signal: 'SIGKILL'},
      verdict: {outcome: 'succeeded', text: 'yes'},
    },
    ...vendors.map((provider) => ({
      name: `${provider.id} with exit 0 and no result`,
      provider,
      end: {...done, result: null, lastMessage: 'yes'},
      verdict: failure('the agent gave no result (exit code 0)'),
    })),
    ...vendors.map((provider) => ({
      name: `${provider.id} that was killed`,
      provider,
      end: {...done, result: null, lastMessage: 'yes', exitCode: null, signal: 'SIGKILL'},
      verdict: failure('the agent gave no result (ended by SIGKILL)'),
    })),
    {
      name: 'claude that may not run as root',
      provider: claudeProvider,
      end: {
        ...done,
        kind: 'resume',
        result: null,
        lastMessage: 'yes',
        exitCode: 1,
        stderrTail: 'cannot be used with root/sudo privileges\n',
      },
      verdict: failure('the agent gave no result (exit code 1): cannot be used with root/sudo privileges'),
    },
    {
      name: 'claude whose session is in use',
      provider: claudeProvider,
      end: {
        ...done,
        kind: 'resume',
        result: null,
        exitCode: 1,
        stderrTail: 'Error: Session ID 0195d27e-46c6-4b0f-bd54-657f920eee8d is already in use.\n',
      },
      verdict: {
        outcome: 'failed',
        failure: {
          kind: 'resume_rejected',
          message: 'Session ID 0195d27e-46c6-4b0f-bd54-657f920eee8d is already in use.',
        },
        text: '',
      },
    },
    {
      name: 'a refusal in the stderr of a first start',
      provider: codexProvider,
      end: {...done, result: null, lastMessage: 'yes', exitCode: 1, stderrTail: 'no rollout found'},
      verdict: failure('the agent gave no result (exit code 1): no rollout found'),
    },
  ])('$name', ({provider, end, verdict}) => {
    expect(provider.judge(end)).toEqual(verdict);
  });
});

describe('any text', () => {
  const folder = path.resolve(import.meta.dirname, '../../fixtures/agents/recordings');
  const recorded = [
    ...readdirSync(folder).flatMap((file) =>
      readFileSync(path.join(folder, file), 'utf8').split('\n').filter(Boolean),
    ),
    ...Object.values(providerLines).flatMap(({session, progress, result}) => [session, progress, result]),
  ];
  const shapes = [
    'system',
    'assistant',
    'user',
    'result',
    'error',
    'turn.completed',
    'item.started',
    'item.completed',
  ];

  const junk = fc.oneof(
    fc.string({unit: 'binary'}),
    fc.json(),
    fc.json().map((text) => `{"type":"item.completed","item":${text}}`),
    fc
      .record({
        type: fc.constantFrom(...shapes),
        message: fc.jsonValue(),
        item: fc.jsonValue(),
        subtype: fc.jsonValue(),
      })
      .map((value) => JSON.stringify(value)),
  );
  const mutated = fc
    .tuple(fc.constantFrom(...recorded), fc.nat(), fc.nat(20), fc.string())
    .map(([line, at, cut, put]) => {
      const start = at % line.length;
      return line.slice(0, start) + put + line.slice(start + cut);
    });

  test.each(everyProvider)('$title never throws', (provider) => {
    fc.assert(
      fc.property(fc.oneof(junk, mutated), (line) => {
        for (const event of provider.parseLine(line)) {
          if (event.type === 'session') expect(provider.isSessionRef(event.ref)).toBe(true);
          if (event.type === 'activity') expect(event.activity.text).not.toMatch(/[\r\n]/);
        }
      }),
      {numRuns: 2000},
    );
  });

  test.each(everyProvider)('$title is not slowed down by a megabyte of it', (provider) => {
    const lines = [
      '{'.repeat(1_000_000),
      `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      `{"type":"result","subtype":"success","is_error":false,"structured_output":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      JSON.stringify(item('agent_message', {text: ' \n'.repeat(500_000)})),
      JSON.stringify(item('command_execution', {command: 'sh -c '.repeat(150_000)}, 'item.started')),
      JSON.stringify(assistant(Array.from({length: 20_000}, () => ({type: 'text', text: 'x'})))),
      'x'.repeat(1_000_000),
    ];
    for (const line of lines) {
      promptly(() => provider.parseLine(line), 3_000);
    }
  });
});
