import type {AgentRequest, Capabilities, Provider} from '../contracts/agent.ts';
import {providerTable} from '../contracts/provider-table.ts';
import {claudeEvents} from './claude-lines.ts';
import {checkedRef, checkedWord, failed, isUuid, succeeded} from './verdicts.ts';

/**
 * Claude Code, run as `claude -p`. Its result has the usage of this process alone; before that, each message has its
 * own.
 */
export const claudeProvider: Provider = {
  id: 'claude',
  title: providerTable.claude.title,
  executable: providerTable.claude.program,
  helpArgs: ['--help'],

  command(request, capabilities) {
    const schema = capabilities.outputSchema ? request.answerSchema : undefined;
    return {
      file: 'claude',
      args: [
        ...['-p', '--output-format', 'stream-json', '--verbose'],
        ...accessArgs(request),
        ...modelArgs(request, capabilities),
        ...limitArgs(request, capabilities),
        ...(schema === undefined ? [] : ['--json-schema', JSON.stringify(schema)]),
        ...sessionArgs(request, capabilities),
      ],
      stdin: request.prompt,
      env: {},
    };
  },

  parseLine: claudeEvents,

  judge(end) {
    // The exit code is not reliable: an interrupted agent exits with 0.
    return end.result?.ok ? succeeded(end) : failed(end, {refusal});
  },

  isSessionRef: isUuid,

  capabilities({version, help}) {
    return {
      version: /\d+\.\d+\.\d+\S*/.exec(version)?.[0] ?? version.trim(),
      fullAuto: false,
      outputSchema: /(?:^|\s)--json-schema\b/.test(help),
      effort: /(?:^|\s)--effort\b/.test(help),
      chosenSession: /(?:^|\s)--session-id\b/.test(help),
      costLimit: /(?:^|\s)--max-budget-usd\b/.test(help),
    };
  },
};

const refusal = /(?:No conversation found|Session ID \S+ is already in use)[^\r\n]*/;

/**
 * Allow rules in the user's or the project's settings override permission modes, even `plan`. A closed list of tools
 * cannot be overridden.
 */
function accessArgs({access}: AgentRequest): string[] {
  if (access === 'edit') return ['--permission-mode', 'bypassPermissions'];
  return ['--permission-mode', 'default', '--tools', 'Read,Grep,Glob', '--strict-mcp-config'];
}

/** Repeated with every resume: it forgets the effort. */
function modelArgs({model, effort}: AgentRequest, capabilities: Capabilities): string[] {
  return [
    ...(model === undefined ? [] : ['--model', checkedWord(model)]),
    ...(effort === undefined || !capabilities.effort ? [] : ['--effort', checkedWord(effort)]),
  ];
}

/** Both count this process alone. The help does not mention turns, but every version supports them. */
function limitArgs({maxCostUsd, maxTurns}: AgentRequest, {costLimit}: Capabilities): string[] {
  return [
    ...(maxCostUsd === undefined || !costLimit ? [] : ['--max-budget-usd', maxCostUsd.toFixed(6)]),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
  ];
}

function sessionArgs({kind, sessionRef}: AgentRequest, {chosenSession}: Capabilities): string[] {
  if (kind === 'resume') return ['--resume', checkedRef(sessionRef)];
  return sessionRef === null || !chosenSession ? [] : ['--session-id', checkedRef(sessionRef)];
}
