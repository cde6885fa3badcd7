import type * as z from 'zod';
import type {Activity, AgentEvent} from '../contracts/agent.ts';

const maxActivityLength = 300;

/**
 * A line of agent output that has the form of `schema`, whose kinds differ by `key`. Any other line is
 * told by a glance: agents print millions of them, and a schema that says no takes its time.
 */
export function parseJsonLine<T>(line: string, schema: z.ZodType<T>, key: string): T | undefined {
  if (!line.startsWith('{') || !line.includes(`"${key}"`)) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** An activity event with its text brought down to one line; nothing where no text is left. */
export function activity(kind: Activity['kind'], text: string): AgentEvent[] {
  const line = firstLine(text);
  return line === '' ? [] : [{type: 'activity', activity: {kind, text: line}}];
}

/** What a command printed: its last line, and how many stood above it. */
export function outputOf(text: string): AgentEvent[] {
  const above = text.trim().split(/\r?\n|\r/).length - 1;
  return activity('output', lastLine(text)).map((event) =>
    event.type === 'activity' && above > 0 ? {...event, activity: {...event.activity, above}} : event,
  );
}

/** What the agent said: the whole of it for the record, its first line for the screen. */
export function message(text: string): AgentEvent[] {
  return text.trim() === '' ? [] : [{type: 'message', text}, ...activity('message', text)];
}

/** The first line that says something; a mark tells that more was said. */
export function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.search(/[\r\n]/);
  const line = end === -1 ? trimmed : `${trimmed.slice(0, end).trimEnd()} …`;
  return line.length > maxActivityLength ? `${line.slice(0, maxActivityLength - 2).trimEnd()} …` : line;
}

/** The last line that says something. */
export function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return firstLine(trimmed.slice(Math.max(trimmed.lastIndexOf('\n'), trimmed.lastIndexOf('\r')) + 1));
}

/** `+3 −1`, as a diff counts. */
export function changedLines(added: number, removed: number): string {
  return `+${added} −${removed}`;
}
