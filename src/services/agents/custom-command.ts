import type {AgentEnd, AgentEvent, AgentVerdict, Dialect, Provider} from '../contracts/agent.ts';
import {providerIds} from '../contracts/provider-table.ts';
import {activity} from './json-lines.ts';
import {providers} from './providers.ts';
import {checkedRef, failed, isUuid} from './verdicts.ts';

/**
 * The user's own command. It prints the lines of one of the agents (its dialect) or plain text, in which case only its
 * exit code counts. Created per process: it remembers the dialect, which a resumed run has on record.
 */
export function customProvider(commandLine: string, dialect: Dialect | null): Provider {
  const reader = createDialectReader(dialect);
  let hasSession = false;
  return {
    id: 'custom',
    title: 'your own command',
    executable: 'sh',
    helpArgs: null,

    command({kind, prompt, sessionRef}) {
      const ref = kind === 'resume' ? checkedRef(sessionRef) : null;
      return {
        file: 'sh',
        args: ['-c', ref === null ? commandLine : resumeLine(commandLine, dialect, ref)],
        stdin: prompt,
        // Empty for a start: a variable that we inherited is not meant for the command.
        env: {[refVariable]: ref ?? ''},
      };
    },

    parseLine(line) {
      const events = reader.read(line);
      hasSession ||= events.some(({type}) => type === 'session');
      return events;
    },

    judge: (end) =>
      reader.dialect === null ? judgePlain(end) : judgeDialect(reader.dialect, end, {hasSession}),

    investigate: async (failure, context) => {
      const {dialect: spoken} = reader;
      return spoken === null
        ? failure
        : ((await providers[spoken].investigate?.(failure, context)) ?? failure);
    },

    isSessionRef: isUuid,

    capabilities: () => ({
      version: 'custom command',
      fullAuto: false,
      outputSchema: false,
      effort: false,
      chosenSession: false,
      costLimit: false,
    }),
  };
}

/**
 * Detects the dialect: the first line that only one agent prints decides for all that follow. One reader per process or
 * log.
 */
export function createDialectReader(known: Dialect | null) {
  let dialect = known;
  return {
    get dialect() {
      return dialect;
    },
    read(line: string): readonly AgentEvent[] {
      for (const id of dialect === null ? providerIds : [dialect]) {
        const events = providers[id].parseLine(line);
        if (events.length === 0) continue;
        if (events.some(({type}) => deciding.has(type))) dialect = id;
        return events.map((event) => (event.type === 'session' ? {...event, dialect: id} : event));
      }
      return plainText(line);
    },
  };
}

/** A mere notice or error may be JSON from anything. */
const deciding: ReadonlySet<AgentEvent['type']> = new Set([
  'session',
  'turn',
  'message',
  'usage',
  'result',
] as const);

const refVariable = 'BLACKBIRD_SESSION_REF';

/** A command that uses the session variable gets nothing else; any other gets arguments at its end. */
function resumeLine(commandLine: string, dialect: Dialect | null, ref: string): string {
  if (commandLine.includes(refVariable)) return commandLine;
  if (dialect === null) throw new Error('a session of no dialect cannot be resumed');
  return (withResume[dialect] ?? withOption)(commandLine, ref);
}

const withOption = (commandLine: string, ref: string) => `${commandLine} --resume '${ref}'`;
/** Dialects that need another form. */
const withResume: Readonly<Partial<Record<Dialect, typeof withOption>>> = {
  // Arguments after `resume` belong to it; `-`, the prompt, goes last.
  codex: (commandLine, ref) => `${commandLine.replace(/\s-$/, '')} resume '${ref}' -`,
};

function judgePlain(end: AgentEnd): AgentVerdict {
  if (end.exitCode !== 0) return failed(end, {refusal: never});
  return {outcome: 'succeeded', text: end.stdoutTail ?? ''};
}

/** Judged like the agent itself, but the command must also exit with 0: it may do more than run an agent. */
function judgeDialect(
  dialect: Dialect,
  end: AgentEnd,
  {hasSession}: {readonly hasSession: boolean},
): AgentVerdict {
  const hasLeftWell = end.exitCode === 0 || end.signal !== null;
  if (end.result?.ok && !hasLeftWell) return failed(end, {refusal: never});
  const verdict = providers[dialect].judge(end);
  // Text alone proves nothing: a resumed session must identify itself.
  if (verdict.outcome === 'succeeded' && end.kind === 'resume' && !hasSession) {
    const message = 'the command did not confirm that it continues this session';
    return {outcome: 'failed', failure: {kind: 'resume_rejected', message}, text: verdict.text};
  }
  return verdict;
}

const never = /(?!)/;

/** Unknown JSON lines are not shown; readable text is. */
function plainText(line: string): readonly AgentEvent[] {
  return line.startsWith('{') ? [] : activity('output', line);
}
