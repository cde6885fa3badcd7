import * as z from 'zod';
import type {AgentEvent, AgentResult} from '../contracts/agent.ts';
import {isFatalRetry, kindOfError, kindOfResult, limitFailure, retryFailure} from './claude-failures.ts';
import {activity, changedLines, firstLine, message, outputOf, parseJsonLine} from './json-lines.ts';
import {isUuid} from './verdicts.ts';

/** The events of a line of `claude -p --output-format stream-json`; none if it is unknown. */
export function claudeEvents(line: string): readonly AgentEvent[] {
  const data = parseJsonLine(line, lineSchema, 'type');
  return data === undefined ? [] : eventsOf(data);
}

const count = z.number().nonnegative().catch(0);
const optionalText = z.string().optional().catch(undefined);
const blocks = z.array(z.unknown()).catch([]);
/** Null for the agent itself, the id of a tool call for its sub-agents. */
const parent = z.string().nullable().catch(null);

const usageSchema = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
});

const lineSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: optionalText,
    attempt: count,
    max_retries: count,
    error_status: z.number().nullable().catch(null),
    error: optionalText,
  }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({
      id: optionalText,
      model: optionalText,
      content: blocks,
      usage: usageSchema.optional().catch(undefined),
    }),
    error: optionalText,
    parent_tool_use_id: parent,
  }),
  z.object({
    type: z.literal('user'),
    message: z.object({content: blocks}),
    tool_use_result: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({
      status: z.string(),
      resetsAt: z.number().optional().catch(undefined),
      rateLimitType: optionalText,
      overageDisabledReason: optionalText,
    }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    api_error_status: z.number().nullable().catch(null),
    terminal_reason: optionalText,
    result: z.string().catch(''),
    structured_output: z.unknown().optional(),
    errors: z.array(z.string()).catch([]),
    num_turns: z.number().optional().catch(undefined),
    total_cost_usd: z.number().optional().catch(undefined),
    usage: usageSchema.optional().catch(undefined),
  }),
]);

type Line = z.infer<typeof lineSchema>;
type LineOf<T extends Line['type']> = Extract<Line, {type: T}>;

const spokenBlock = z.discriminatedUnion('type', [
  z.object({type: z.literal('text'), text: z.string()}),
  z.object({
    type: z.literal('tool_use'),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).catch({}),
  }),
]);

const resultBlock = z.discriminatedUnion('type', [
  z.object({type: z.literal('text'), text: z.string()}),
  z.object({
    type: z.literal('tool_result'),
    is_error: z.boolean().catch(false),
    content: z.unknown().optional(),
  }),
]);

const editResult = z.object({
  filePath: z.string(),
  structuredPatch: z.array(z.object({lines: z.array(z.string())})),
  content: optionalText,
});

const shellResult = z.object({stdout: z.string(), stderr: z.string().catch('')});

function eventsOf(line: Line): readonly AgentEvent[] {
  switch (line.type) {
    case 'system':
      return systemEvents(line);
    case 'assistant':
      return assistantEvents(line);
    case 'user':
      return toolEvents(line);
    case 'rate_limit_event':
      return limitEvents(line);
    case 'result':
      return resultEvents(line);
  }
}

function systemEvents(line: LineOf<'system'>): readonly AgentEvent[] {
  switch (line.subtype) {
    case 'init':
      return line.session_id !== undefined && isUuid(line.session_id)
        ? [{type: 'session', ref: line.session_id}]
        : [];
    case 'api_retry': {
      const failure = retryFailure(line);
      const fatal = isFatalRetry(failure, line) ? ({isFatal: true} as const) : {};
      return [{type: 'retrying', failure, ...fatal}];
    }
    case 'compact_boundary':
      return activity('notice', 'the conversation was compacted');
    default:
      return [];
  }
}

function assistantEvents({
  message: said,
  error,
  parent_tool_use_id,
}: LineOf<'assistant'>): readonly AgentEvent[] {
  const isOwn = parent_tool_use_id === null;
  // Claude Code itself speaks through a synthetic model: the result repeats the text, but not the `error`.
  if (said.model === '<synthetic>') return isOwn ? diagnosisOf(error, said.content) : [];
  const events = said.content.flatMap((block): readonly AgentEvent[] => {
    const {data} = spokenBlock.safeParse(block);
    if (data === undefined) return [];
    if (data.type === 'tool_use') return toolCall(data.name, data.input);
    return isOwn ? message(data.text) : activity('message', data.text);
  });
  const used = messageUsage(said);
  return isOwn ? [{type: 'turn'}, ...used, ...events] : [...used, ...events];
}

/** Counted when the message begins: its final output is only in the totals of the result. */
function messageUsage({id, usage}: LineOf<'assistant'>['message']): readonly AgentEvent[] {
  return id === undefined || usage === undefined
    ? []
    : [{type: 'messageUsage', messageId: id, usage: totalsOf(usage)}];
}

function totalsOf(usage: z.infer<typeof usageSchema>) {
  const input_tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  return {input_tokens, output_tokens: usage.output_tokens};
}

function diagnosisOf(error: string | undefined, content: readonly unknown[]): readonly AgentEvent[] {
  const kind = kindOfError(error, null);
  if (kind === 'agent_error') return [];
  const text = spokenBlock.safeParse(content[0]).data;
  return [{type: 'diagnosis', failure: {kind, message: text?.type === 'text' ? text.text : (error ?? '')}}];
}

function toolCall(name: string, input: Readonly<Record<string, unknown>>): readonly AgentEvent[] {
  switch (name) {
    case 'Bash':
      return activity('command', `$ ${textOf(input.command)}`);
    case 'Read':
      return activity('read', `read ${textOf(input.file_path)}`);
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
      // Shown with their results, which know what really changed.
      return [];
    default: {
      const subject = ['pattern', 'query', 'url', 'notebook_path', 'description', 'subject', 'skill']
        .map((key) => textOf(input[key]))
        .find((text) => text !== '');
      return activity('tool', subject === undefined ? name : `${name} ${firstLine(subject)}`);
    }
  }
}

function toolEvents(line: LineOf<'user'>): readonly AgentEvent[] {
  const edit = editResult.safeParse(line.tool_use_result).data;
  if (edit !== undefined) return activity('edit', `edit ${edit.filePath} ${editSize(edit)}`);
  const shell = shellResult.safeParse(line.tool_use_result).data;
  if (shell !== undefined) return outputOf(shell.stdout.trim() === '' ? shell.stderr : shell.stdout);
  // An interruption, reported by the next line.
  if (line.tool_use_result === 'User rejected tool use') return [];
  return line.message.content.flatMap((block): readonly AgentEvent[] => {
    const {data} = resultBlock.safeParse(block);
    if (data === undefined) return [];
    if (data.type === 'text') {
      return data.text.startsWith('[Request interrupted') ? activity('notice', data.text) : [];
    }
    return data.is_error
      ? activity('notice', textOf(data.content).replaceAll(/<\/?tool_use_error>/g, ''))
      : [];
  });
}

function editSize({structuredPatch, content}: z.infer<typeof editResult>): string {
  // A new file has no patch, only its content.
  if (structuredPatch.length === 0) return changedLines(lineCount(content ?? ''), 0);
  const lines = structuredPatch.flatMap((hunk) => hunk.lines);
  const starting = (sign: string) => lines.filter((text) => text.startsWith(sign)).length;
  return changedLines(starting('+'), starting('-'));
}

function limitEvents({rate_limit_info: info}: LineOf<'rate_limit_event'>): readonly AgentEvent[] {
  if (info.status === 'allowed') return [];
  const failure = limitFailure(info);
  const notice = activity('notice', failure.message);
  return info.status === 'rejected' ? [{type: 'diagnosis', failure}, ...notice] : notice;
}

function resultEvents(line: LineOf<'result'>): readonly AgentEvent[] {
  const {usage, total_cost_usd: cost_usd} = line;
  const result: AgentEvent = {type: 'result', result: resultOf(line)};
  if (usage === undefined) return [result];
  const totals = totalsOf(usage);
  return [{type: 'usage', usage: cost_usd === undefined ? totals : {...totals, cost_usd}}, result];
}

function resultOf(line: LineOf<'result'>): AgentResult {
  const turns = line.num_turns === undefined ? {} : {turns: line.num_turns};
  // "Not logged in" arrives as a successful result that is an error.
  if (line.subtype === 'success' && !line.is_error) {
    return {ok: true, text: jsonOf(line.structured_output) || line.result, ...turns};
  }
  const reason = [line.result, line.errors.join('; '), line.subtype].find((words) => words !== '');
  const failure = {kind: kindOfResult(line), message: reason ?? 'the turn failed'};
  return {ok: false, text: '', failure, ...turns};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested too deeply to be an answer.
    return '';
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
