import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {demoAgentScript, demoProvider} from '../../../src/services/agents/demo.ts';
import type {AgentRequest, Capabilities} from '../../../src/services/contracts/agent.ts';
import {capabilities, request} from '../../helpers/run-provider.ts';

const ref = '0195d27e-46c6-4b0f-bd54-657f920eee8d';
const answerSchema = {type: 'object', required: ['passed'], properties: {passed: {type: 'boolean'}}};

type Row = {
  readonly name: string;
  readonly asked: Partial<AgentRequest>;
  readonly can?: Partial<Capabilities>;
  readonly args: readonly string[];
};

describe('codex', () => {
  test.each<Row>([
    {
      name: 'edits in the workspace sandbox',
      asked: {},
      args: ['exec', '--sandbox', 'workspace-write', '--json', '-'],
    },
    {
      name: 'edits with --full-auto when the version supports it',
      asked: {},
      can: {fullAuto: true},
      args: ['exec', '--full-auto', '--json', '-'],
    },
    {
      name: 'reads only, --full-auto or not',
      asked: {access: 'read-only'},
      can: {fullAuto: true},
      args: ['exec', '--sandbox', 'read-only', '--json', '-'],
    },
    {
      name: 'works outside a repository',
      asked: {isGitRepository: false},
      args: ['exec', '--sandbox', 'workspace-write', '--skip-git-repo-check', '--json', '-'],
    },
    {
      name: 'resumes with every option before the subcommand',
      asked: {kind: 'resume', sessionRef: ref, isGitRepository: false},
      args: ['exec', '--sandbox', 'workspace-write', '--skip-git-repo-check', '--json', 'resume', ref, '-'],
    },
    {
      name: 'passes model and effort, before the subcommand too',
      asked: {kind: 'resume', sessionRef: ref, model: 'gpt-5.2-codex', effort: 'high'},
      args: [
        ...['exec', '--sandbox', 'workspace-write', '--json'],
        ...['-m', 'gpt-5.2-codex', '-c', 'model_reasoning_effort="high"', 'resume', ref, '-'],
      ],
    },
    {
      name: 'resumes in an old version',
      asked: {kind: 'resume', sessionRef: ref},
      can: {fullAuto: true},
      args: ['exec', '--full-auto', '--json', 'resume', ref, '-'],
    },
    {
      name: 'cannot choose its session',
      asked: {sessionRef: ref},
      can: {chosenSession: false},
      args: ['exec', '--sandbox', 'workspace-write', '--json', '-'],
    },
    {
      name: 'leaves the schema out when the version does not support it',
      asked: {answerSchema},
      can: {outputSchema: false},
      args: ['exec', '--sandbox', 'workspace-write', '--json', '-'],
    },
  ])('$name', ({asked, can, args}) => {
    expect(codexProvider.command(request({prompt: '--help', ...asked}), capabilities(can))).toEqual({
      file: 'codex',
      args,
      stdin: '--help',
      env: {},
    });
  });

  test('passes an answer schema as a file', () => {
    expect(
      codexProvider.command(request({kind: 'resume', sessionRef: ref, answerSchema}), capabilities()),
    ).toEqual({
      file: 'codex',
      args: [
        'exec',
        '--sandbox',
        'workspace-write',
        '--json',
        '--output-schema',
        '{answer-schema}',
        'resume',
        ref,
        '-',
      ],
      stdin: 'do it',
      env: {},
      files: [{placeholder: '{answer-schema}', content: JSON.stringify(answerSchema)}],
    });
  });

  test.each([
    {
      name: 'a new version',
      version: 'codex-cli 0.166.0\n',
      help: '  -s, --sandbox <SANDBOX_MODE>\n      --output-schema <FILE>\n      --json\n',
      can: {
        version: '0.166.0',
        fullAuto: false,
        outputSchema: true,
        effort: true,
        chosenSession: false,
        costLimit: false,
      },
    },
    {
      name: 'an old version',
      version: 'codex-cli 0.21.0-alpha.2',
      help: '      --full-auto\n          Low-friction sandboxed automatic execution\n      --json\n',
      can: {
        version: '0.21.0-alpha.2',
        fullAuto: true,
        outputSchema: false,
        effort: true,
        chosenSession: false,
        costLimit: false,
      },
    },
    {
      name: 'something else',
      version: ' weird ',
      help: '--full-automatic --not--output-schema',
      can: {
        version: 'weird',
        fullAuto: false,
        outputSchema: false,
        effort: true,
        chosenSession: false,
        costLimit: false,
      },
    },
  ])('recognises $name by its help', ({version, help, can}) => {
    expect(codexProvider.capabilities({version, help})).toEqual(can);
  });
});

describe('claude', () => {
  const headless = ['-p', '--output-format', 'stream-json', '--verbose'];
  const editing = ['--permission-mode', 'bypassPermissions'];
  const reading = ['--permission-mode', 'default', '--tools', 'Read,Grep,Glob', '--strict-mcp-config'];

  test.each<Row>([
    {name: 'edits without asking', asked: {}, args: [...headless, ...editing]},
    {
      name: 'reads only, with a closed list of tools',
      asked: {access: 'read-only'},
      args: [...headless, ...reading],
    },
    {
      name: 'stops by itself at a budget',
      asked: {maxCostUsd: 1.5, maxTurns: 7},
      args: [...headless, ...editing, '--max-budget-usd', '1.500000', '--max-turns', '7'],
    },
    {
      name: 'gets no cost limit when the version does not support it',
      asked: {maxCostUsd: 1.5},
      can: {costLimit: false},
      args: [...headless, ...editing],
    },
    {
      name: 'starts a chosen session',
      asked: {sessionRef: ref},
      args: [...headless, ...editing, '--session-id', ref],
    },
    {
      name: 'lets the agent choose when the version cannot be told',
      asked: {sessionRef: ref},
      can: {chosenSession: false},
      args: [...headless, ...editing],
    },
    {
      name: 'resumes that session and no other',
      asked: {kind: 'resume', sessionRef: ref},
      can: {chosenSession: false},
      args: [...headless, ...editing, '--resume', ref],
    },
    {
      name: 'passes model and effort at the start',
      asked: {model: 'opus[1m]', effort: 'max'},
      args: [...headless, ...editing, '--model', 'opus[1m]', '--effort', 'max'],
    },
    {
      name: 'passes model and effort with every resume',
      asked: {kind: 'resume', sessionRef: ref, model: 'opus', effort: 'low'},
      args: [...headless, ...editing, '--model', 'opus', '--effort', 'low', '--resume', ref],
    },
    {
      name: 'leaves the effort out when the version does not support it',
      asked: {model: 'opus', effort: 'low'},
      can: {effort: false},
      args: [...headless, ...editing, '--model', 'opus'],
    },
    {
      name: 'passes an answer schema',
      asked: {answerSchema, access: 'read-only'},
      args: [...headless, ...reading, '--json-schema', JSON.stringify(answerSchema)],
    },
    {
      name: 'leaves the schema out when the version does not support it',
      asked: {answerSchema},
      can: {outputSchema: false},
      args: [...headless, ...editing],
    },
  ])('$name', ({asked, can, args}) => {
    expect(claudeProvider.command(request({prompt: '--version', ...asked}), capabilities(can))).toEqual({
      file: 'claude',
      args,
      stdin: '--version',
      env: {},
    });
  });

  test.each([
    {
      version: '2.1.197 (Claude Code)\n',
      help: '  --effort <level>   …\n  --json-schema <schema>   …\n  --session-id <uuid>   …\n  --max-budget-usd <amount>   …\n',
      can: {
        version: '2.1.197',
        fullAuto: false,
        outputSchema: true,
        effort: true,
        chosenSession: true,
        costLimit: true,
      },
    },
    {
      version: '',
      help: '',
      can: {
        version: '',
        fullAuto: false,
        outputSchema: false,
        effort: false,
        chosenSession: false,
        costLimit: false,
      },
    },
  ])('recognises $can.version by its help', ({version, help, can}) => {
    expect(claudeProvider.capabilities({version, help})).toEqual(can);
  });
});

describe('demo', () => {
  test.each<Row>([
    {name: 'starts', asked: {}, args: []},
    {name: 'starts a chosen session', asked: {sessionRef: ref}, args: ['--session-id', ref]},
    {name: 'resumes', asked: {kind: 'resume', sessionRef: ref}, args: ['--resume', ref]},
    {
      name: 'accepts a model',
      asked: {model: 'm', effort: 'high'},
      args: ['--model', 'm', '--effort', 'high'],
    },
    {
      name: 'reads only and answers with a schema',
      asked: {access: 'read-only', answerSchema},
      args: ['--read-only', '--answer-schema', JSON.stringify(answerSchema)],
    },
  ])('$name', ({asked, args}) => {
    expect(demoProvider.command(request(asked), capabilities())).toEqual({
      file: process.execPath,
      args: [demoAgentScript(), ...args],
      stdin: 'do it',
      env: {},
    });
  });
});
