import * as z from 'zod';
import type {AgentCommand, AgentEvent, AgentRequest, Capabilities, Provider} from '../contracts/agent.ts';
import {providerTable} from '../contracts/provider-table.ts';
import {isRetryMessage, messageFailure} from './codex-failures.ts';
import {investigateThread} from './codex-rollout.ts';
import {activity, message, outputOf, parseJsonLine} from './json-lines.ts';
import {checkedRef, checkedWord, failed, isUuid, succeeded} from './verdicts.ts';

/** Codex, run as `codex exec --json`. Its usage counts the whole session, including earlier processes. */
export const codexProvider: Provider = {
  id: 'codex',
  title: providerTable.codex.title,
  executable: providerTable.codex.program,
  helpArgs: ['exec', '--help'],

  command(request, capabilities) {
    const schema = capabilities.outputSchema ? request.answerSchema : undefined;
    return {
      file: 'codex',
      // `resume` has fewer options than `exec`, so all of them come before it.
      args: [
        'exec',
        ...sandboxArgs(request, capabilities),
        ...(request.isGitRepository ? [] : ['--skip-git-repo-check']),
        '--json',
        ...modelArgs(request),
        ...(schema === undefined ? [] : ['--output-schema', schemaFile]),
        ...(request.kind === 'resume' ? ['resume', checkedRef(request.sessionRef)] : []),
        '-',
      ],
      stdin: request.prompt,
      env: {},
      ...(schema === undefined ? {} : schemaFiles(schema)),
    };
  },

  parseLine(line) {
    const data = parseJsonLine(line, lineSchema, 'type');
    return data === undefined ? [] : eventsOf(data);
  },

  judge(end) {
    // A signal after the turn is ours: the agent stayed alive although it was done.
    const leftWell = end.exitCode === 0 || end.signal !== null;
    return end.result?.ok && leftWell ? succeeded(end) : failed(end, {refusal});
  },

  investigate: investigateThread,

  isSessionRef: isUuid,

  capabilities({version, help}) {
    return {
      version: /\d+\.\d+\.\d+\S*/.exec(version)?.[0] ?? version.trim(),
      fullAuto: /(?:^|\s)--full-auto\b/.test(help),
      outputSchema: /(?:^|\s)--output-schema\b/.test(help),
      effort: true,
      chosenSession: false,
      costLimit: false,
    };
  },
};

const schemaFile = '{answer-schema}';
const refusal = /(?:thread\/resume|no rollout found|active writer)[^\r\n]*/;

function sandboxArgs({access}: AgentRequest, {fullAuto}: Capabilities): string[] {
  if (access === 'read-only') return ['--sandbox', 'read-only'];
  return fullAuto ? ['--full-auto'] : ['--sandbox', 'workspace-write'];
}

/** Repeated with every resume, which otherwise falls back to the settings of Codex. */
function modelArgs({model, effort}: AgentRequest): string[] {
  return [
    ...(model === undefined ? [] : ['-m', checkedWord(model)]),
    ...(effort === undefined ? [] : ['-c', `model_reasoning_effort="${checkedWord(effort)}"`]),
  ];
}

function schemaFiles(schema: Readonly<Record<string, unknown>>): Pick<AgentCommand, 'files'> {
  return {files: [{placeholder: schemaFile, content: JSON.stringify(schema)}]};
}

const count = z.number().nonnegative().catch(0);

const itemSchema = z.discriminatedUnion('type', [
  z.object({type: z.literal('agent_message'), text: z.string()}),
  z.object({type: z.literal('reasoning'), text: z.string()}),
  z.object({
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().catch(''),
    exit_code: z.number().nullable().catch(null),
  }),
  z.object({
    type: z.literal('file_change'),
    changes: z.array(z.object({path: z.string(), kind: z.string().catch('update')})),
    status: z.string().catch(''),
  }),
  z.object({type: z.literal('mcp_tool_call'), server: z.string().catch('mcp'), tool: z.string()}),
  z.object({type: z.literal('web_search'), query: z.string()}),
  z.object({type: z.literal('todo_list'), items: z.array(z.object({completed: z.boolean().catch(false)}))}),
  z.object({type: z.literal('error'), message: z.string()}),
]);

const lineSchema = z.discriminatedUnion('type', [
  z.object({type: z.literal('thread.started'), thread_id: z.string()}),
  z.object({type: z.literal('turn.started')}),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({input_tokens: count, output_tokens: count}).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('turn.failed'),
    error: z.object({message: z.string()}).catch({message: 'the turn failed'}),
  }),
  z.object({type: z.literal('error'), message: z.string()}),
  z.object({type: z.literal('item.started'), item: itemSchema}),
  z.object({type: z.literal('item.completed'), item: itemSchema}),
]);

type Line = z.infer<typeof lineSchema>;
type Item = z.infer<typeof itemSchema>;

function eventsOf(line: Line): readonly AgentEvent[] {
  switch (line.type) {
    case 'thread.started':
      return isUuid(line.thread_id) ? [{type: 'session', ref: line.thread_id}] : [];
    case 'turn.started':
      return [{type: 'turn'}];
    case 'turn.completed':
      return [
        ...(line.usage === undefined
          ? []
          : [{type: 'usage', usage: line.usage, wholeSession: true} as const]),
        {type: 'result', result: {ok: true, text: ''}},
      ];
    case 'turn.failed': {
      const failure = messageFailure(line.error.message);
      return [{type: 'result', result: {ok: false, text: '', failure}}];
    }
    case 'error': {
      // Whatever ends the turn is reported again as `turn.failed`.
      const failure = messageFailure(line.message);
      return isRetryMessage(line.message) ? [{type: 'retrying', failure}] : activity('notice', line.message);
    }
    case 'item.started':
      return startOf(line.item);
    case 'item.completed':
      return endOf(line.item);
  }
}

function startOf(item: Item): readonly AgentEvent[] {
  switch (item.type) {
    case 'command_execution':
      return activity('command', `$ ${withoutShell(item.command)}`);
    case 'mcp_tool_call':
      return activity('tool', `${item.server} ${item.tool}`);
    default:
      return [];
  }
}

function endOf(item: Item): readonly AgentEvent[] {
  switch (item.type) {
    case 'agent_message':
      return message(item.text);
    case 'reasoning':
    case 'mcp_tool_call':
      return [];
    case 'command_execution':
      return [
        ...outputOf(item.aggregated_output),
        ...(item.exit_code ? activity('notice', `exit ${item.exit_code}`) : []),
      ];
    case 'file_change':
      if (item.status === 'failed') return activity('notice', 'a patch did not apply');
      return item.changes.flatMap(({path, kind}) =>
        activity('edit', `${kind === 'delete' ? 'delete' : 'edit'} ${path}`),
      );
    case 'web_search':
      return activity('tool', `search ${item.query}`);
    case 'todo_list':
      return activity(
        'notice',
        `plan ${item.items.filter(({completed}) => completed).length}/${item.items.length}`,
      );
    case 'error':
      return activity('notice', item.message);
  }
}

/** Extracts the command from the `/bin/bash -lc '…'` that Codex reports. */
function withoutShell(command: string): string {
  const script = /^\S*sh -l?c (.+)$/s.exec(command)?.[1];
  if (script === undefined) return command;
  return unquoted(script) ?? script;
}

/** Unquotes one shell word: Codex uses both kinds of quotes, and escapes. Null for several words. */
function unquoted(word: string): string | null {
  let text = '';
  let quote = '';
  for (let at = 0; at < word.length; at++) {
    const [char = '', next] = [word[at], word[at + 1]];
    if (char === quote) quote = '';
    else if (char === '\\' && quote !== "'") {
      if (next === undefined) return null;
      text += quote === '"' && !escapedInQuotes.has(next) ? `\\${next}` : next;
      at++;
    } else if (quote === '' && (char === "'" || char === '"')) quote = char;
    else if (quote === '' && /\s/.test(char)) return null;
    else text += char;
  }
  return quote === '' ? text : null;
}

const escapedInQuotes: ReadonlySet<string> = new Set(['"', '\\', '$', '`', '\n']);
