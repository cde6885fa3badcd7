import type * as z from 'zod';
import type {Activity, AgentEvent} from '../contracts/agent.ts';

const maxActivityLength = 300;

/**
 * Parses a line of agent output by `schema`, whose kinds differ by `key`. Other lines are rejected cheaply: agents
 * print millions of them, and a failing schema is slow.
 */
export function parseJsonLine<T>(line: string, schema: z.ZodType<T>, key: string): T | undefined {
  if (!line.startsWith('{') || !line.includes(`"${key}"`)) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** An activity event with its text on one line; empty if no text is left. */
export function activity(kind: Activity['kind'], text: string): AgentEvent[] {
  const line = firstLine(text);
  return line === '' ? [] : [{type: 'activity', activity: {kind, text: line}}];
}

/** A command's output: its last line, and the number of lines above it. */
export function outputOf(text: string): AgentEvent[] {
  const above = text.trim().split(/\r?\n|\r/).length - 1;
  return activity('output', lastLine(text)).map((event) =>
    event.type === 'activity' && above > 0 ? {...event, activity: {...event.activity, above}} : event,
  );
}

/** An agent's message: all of it for the record, its first line for the screen. */
export function message(text: string): AgentEvent[] {
  return text.trim() === '' ? [] : [{type: 'message', text}, ...activity('message', text)];
}

/** The first non-empty line; a mark shows that there is more. */
export function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.search(/[\r\n]/);
  const line = end === -1 ? trimmed : `${trimmed.slice(0, end).trimEnd()} …`;
  return line.length > maxActivityLength ? `${line.slice(0, maxActivityLength - 2).trimEnd()} …` : line;
}

/** The last non-empty line. */
function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return firstLine(trimmed.slice(Math.max(trimmed.lastIndexOf('\n'), trimmed.lastIndexOf('\r')) + 1));
}

/** `+3 −1`, as a diff counts. */
export function changedLines(added: number, removed: number): string {
  return `+${added} −${removed}`;
}
