import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import * as z from 'zod';
import type {AgentEvent, Provider} from '../contracts/agent.ts';
import {providerTable} from '../contracts/provider-table.ts';
import {activity, changedLines, message, parseJsonLine} from './json-lines.ts';
import {checkedRef, checkedWord, failed, isUuid, succeeded} from './verdicts.ts';

/** The built-in agent: it needs no account and obeys `demo:` directives in its prompt. */
export const demoProvider: Provider = {
  id: 'demo',
  title: providerTable.demo.title,
  executable: process.execPath,
  get helpArgs() {
    return [demoAgentScript(), '--help'];
  },

  command({kind, prompt, sessionRef, access, answerSchema, model, effort}) {
    const session = kind === 'resume' ? ['--resume', checkedRef(sessionRef)] : [];
    const chosen = kind === 'start' && sessionRef !== null ? ['--session-id', checkedRef(sessionRef)] : [];
    return {
      file: process.execPath,
      args: [
        demoAgentScript(),
        ...session,
        ...chosen,
        ...(access === 'read-only' ? ['--read-only'] : []),
        ...(model === undefined ? [] : ['--model', checkedWord(model)]),
        ...(effort === undefined ? [] : ['--effort', checkedWord(effort)]),
        ...(answerSchema === undefined ? [] : ['--answer-schema', JSON.stringify(answerSchema)]),
      ],
      stdin: prompt,
      env: {},
    };
  },

  parseLine(line) {
    const data = parseJsonLine(line, lineSchema, 'demo');
    return data === undefined ? [] : eventsOf(data);
  },

  judge(end) {
    return end.result?.ok ? succeeded(end) : failed(end, {refusal: /no demo session[^\r\n]*/});
  },

  isSessionRef: isUuid,

  capabilities: () => ({
    version: 'built in',
    fullAuto: false,
    outputSchema: true,
    effort: true,
    chosenSession: true,
    costLimit: false,
  }),
};

/** The built program, from `dist`, from `dist/chunks` and from the sources. */
export function demoAgentScript(): string {
  const places = ['./demo-agent.js', '../demo-agent.js', '../../../dist/demo-agent.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place)) ?? places[0] ?? '';
}

// Keyed by `demo`, so that no line can be mistaken for one of Codex or Claude.
const lineSchema = z.discriminatedUnion('demo', [
  z.object({demo: z.literal('session'), id: z.string()}),
  z.object({demo: z.literal('message'), text: z.string()}),
  z.object({demo: z.literal('command'), command: z.string()}),
  z.object({demo: z.literal('output'), text: z.string()}),
  z.object({demo: z.literal('edit'), path: z.string(), added: z.number(), removed: z.number()}),
  z.object({demo: z.literal('usage'), input_tokens: z.number(), output_tokens: z.number()}),
  z.object({
    demo: z.literal('result'),
    ok: z.boolean(),
    text: z.string(),
    kind: z.enum(['agent_error', 'rate_limit', 'outage']).optional(),
    reset_at: z.string().optional(),
  }),
]);

/** A line of the demo agent's output. */
export type DemoLine = z.infer<typeof lineSchema>;

function eventsOf(line: DemoLine): readonly AgentEvent[] {
  switch (line.demo) {
    case 'session':
      return isUuid(line.id) ? [{type: 'session', ref: line.id}, {type: 'turn'}] : [];
    case 'message':
      return message(line.text);
    case 'command':
      return activity('command', `$ ${line.command}`);
    case 'output':
      return activity('output', line.text);
    case 'edit':
      return activity('edit', `edit ${line.path} ${changedLines(line.added, line.removed)}`);
    case 'usage':
      return [{type: 'usage', usage: {input_tokens: line.input_tokens, output_tokens: line.output_tokens}}];
    case 'result':
      return [{type: 'result', result: resultOf(line)}];
  }
}

function resultOf({ok, text, kind = 'agent_error', reset_at}: Extract<DemoLine, {demo: 'result'}>) {
  if (ok) return {ok, text};
  return {ok, text: '', failure: {kind, message: text, ...(reset_at === undefined ? {} : {reset_at})}};
}
