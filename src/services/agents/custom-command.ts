import type {AgentEnd, AgentEvent, AgentVerdict, Dialect, Provider} from '../contracts/agent.ts';
import {providerIds} from '../contracts/provider-table.ts';
import {activity} from './json-lines.ts';
import {providers} from './providers.ts';
import {checkedRef, failed, isUuid} from './verdicts.ts';

/**
 * A command of the user's own. It may print the lines of one of the agents, its dialect, or plain text and
 * nothing else; then its exit code is all there is to judge by. Made for one process: it remembers the
 * dialect, which a resumed run knows from its record.
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
        // Empty for a start: one of ours that we were started with is none of the command's business.
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

    investigate: async (failure, scene) => {
      const {dialect: spoken} = reader;
      return spoken === null ? failure : ((await providers[spoken].investigate?.(failure, scene)) ?? failure);
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
 * Reads lines whose dialect is not known yet: the first line that only an agent prints decides for all that
 * follow. One for each process or log.
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

/** A mere notice or error may be the JSON of anything. */
const deciding: ReadonlySet<AgentEvent['type']> = new Set([
  'session',
  'turn',
  'message',
  'usage',
  'result',
] as const);

const refVariable = 'BLACKBIRD_SESSION_REF';

/** A command that asks for the session by its variable gets nothing else; any other gets arguments at its end. */
function resumeLine(commandLine: string, dialect: Dialect | null, ref: string): string {
  if (commandLine.includes(refVariable)) return commandLine;
  if (dialect === null) throw new Error('a session of no dialect cannot be resumed');
  return (withResume[dialect] ?? withOption)(commandLine, ref);
}

const withOption = (commandLine: string, ref: string) => `${commandLine} --resume '${ref}'`;
/** Whose command line wants it in another form. */
const withResume: Readonly<Partial<Record<Dialect, typeof withOption>>> = {
  // What stands behind `resume` is its own; `-`, the prompt, goes last.
  codex: (commandLine, ref) => `${commandLine.replace(/\s-$/, '')} resume '${ref}' -`,
};

function judgePlain(end: AgentEnd): AgentVerdict {
  if (end.exitCode !== 0) return failed(end, {refusal: never});
  return {outcome: 'succeeded', text: end.stdoutTail ?? ''};
}

/** As the agent itself is judged, and the command has to leave with 0 as well: it may do more than run an agent. */
function judgeDialect(
  dialect: Dialect,
  end: AgentEnd,
  {hasSession}: {readonly hasSession: boolean},
): AgentVerdict {
  const hasLeftWell = end.exitCode === 0 || end.signal !== null;
  if (end.result?.ok && !hasLeftWell) return failed(end, {refusal: never});
  const verdict = providers[dialect].judge(end);
  // Words alone prove nothing: whoever goes on with a session says which.
  if (verdict.outcome === 'succeeded' && end.kind === 'resume' && !hasSession) {
    const message = 'the command did not say that it went on with this session';
    return {outcome: 'failed', failure: {kind: 'resume_rejected', message}, text: verdict.text};
  }
  return verdict;
}

const never = /(?!)/;

/** Lines of JSON that nobody understands stay silent; what a person would read is shown. */
function plainText(line: string): readonly AgentEvent[] {
  return line.startsWith('{') ? [] : activity('output', line);
}
