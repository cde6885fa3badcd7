import type {AgentEvent, Provider, ProviderId} from '../contracts/agent.ts';
import {claudeProvider} from './claude.ts';
import {codexProvider} from './codex.ts';
import {demoProvider} from './demo.ts';
import {activity} from './json-lines.ts';
import {checkedRef, succeeded} from './verdicts.ts';

/**
 * A command of the user's own in the place of `base`. It may print either vendor's JSON lines, or plain
 * text and nothing else; then its exit code is all there is to judge by.
 */
export function customProvider(base: Provider, commandLine: string): Provider {
  return {
    id: base.id,
    title: `${base.title} (custom command)`,
    executable: 'sh',
    helpArgs: null,

    command(request) {
      const resume = request.kind === 'resume' ? resumeArgs[base.id](checkedRef(request.sessionRef)) : [];
      return {
        file: 'sh',
        args: ['-c', [commandLine, ...resume.map(shellQuote)].join(' ')],
        stdin: request.prompt,
        env: {},
      };
    },

    parseLine(line) {
      for (const {parseLine} of dialects) {
        const events = parseLine(line);
        if (events.length > 0) return events;
      }
      return plainText(line);
    },

    judge(end) {
      if (end.result?.ok) return succeeded(end);
      if (end.result !== null || end.exitCode !== 0) return base.judge(end);
      return {outcome: 'succeeded', text: end.lastMessage ?? end.stdoutTail ?? ''};
    },

    isSessionRef: base.isSessionRef,

    capabilities: () => ({
      version: 'custom command',
      fullAuto: false,
      outputSchema: false,
      chosenSession: false,
    }),
  };
}

const dialects = [claudeProvider, codexProvider, demoProvider] as const;

const resumeArgs: Readonly<Record<ProviderId, (ref: string) => readonly string[]>> = {
  claude: (ref) => ['--resume', ref],
  codex: (ref) => ['resume', ref],
  demo: (ref) => ['--resume', ref],
};

/** Lines of JSON that nobody understands stay silent; what a person would read is shown. */
function plainText(line: string): readonly AgentEvent[] {
  return line.startsWith('{') ? [] : activity('output', line);
}

function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
