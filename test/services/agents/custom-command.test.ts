import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {customProvider} from '../../../src/services/agents/custom-command.ts';
import type {AgentVerdict, Dialect} from '../../../src/services/contracts/agent.ts';
import {providerLines, providerRef as ref} from '../../helpers/provider-lines.ts';
import {capabilities, request, runProvider} from '../../helpers/run-provider.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const line = (value: unknown) => JSON.stringify(value);

const everyDialect = Object.keys(providerLines) as Dialect[];

const lineOf = (commandLine: string, dialect: Dialect | null) =>
  customProvider(commandLine, dialect).command(request({kind: 'resume', sessionRef: ref}), capabilities());

describe('the command', () => {
  test('is run by the shell as it was written, with nothing added', () => {
    const asked = request({sessionRef: ref, access: 'read-only', answerSchema: {}, isGitRepository: false});
    expect(customProvider('my-agent --fast', null).command(asked, capabilities())).toEqual({
      file: 'sh',
      args: ['-c', 'my-agent --fast'],
      stdin: 'do it',
      env: {BLACKBIRD_SESSION_REF: ''},
    });
  });

  test.each<{dialect: Dialect | null; command: string; resumed: string}>([
    {dialect: 'claude', command: 'my-agent --fast', resumed: `my-agent --fast --resume '${ref}'`},
    {dialect: 'demo', command: 'my-agent --fast', resumed: `my-agent --fast --resume '${ref}'`},
    {dialect: 'codex', command: 'my-agent --fast', resumed: `my-agent --fast resume '${ref}' -`},
    {dialect: 'codex', command: 'codex exec --json -', resumed: `codex exec --json resume '${ref}' -`},
    {
      dialect: 'codex',
      command: 'my-agent "$BLACKBIRD_SESSION_REF" | tee log',
      resumed: 'my-agent "$BLACKBIRD_SESSION_REF" | tee log',
    },
  ])('continues a session of $dialect: $command', ({dialect, command, resumed}) => {
    expect(lineOf(command, dialect)).toEqual({
      file: 'sh',
      args: ['-c', resumed],
      stdin: 'do it',
      env: {BLACKBIRD_SESSION_REF: ref},
    });
  });

  test.each(['', '--last', "'; touch pwned; '"])('never contains the ref %j', (bad) => {
    const custom = customProvider('my-agent', 'claude');
    expect(custom.isSessionRef(bad)).toBe(false);
    expect(() => custom.command(request({kind: 'resume', sessionRef: bad}), capabilities())).toThrow(
      'not a session ref',
    );
  });

  test('has no capability that a command might lack', () => {
    const custom = customProvider('my-agent', null);
    expect(custom.capabilities({version: 'x', help: '--session-id --json-schema'})).toEqual({
      version: 'custom command',
      fullAuto: false,
      outputSchema: false,
      effort: false,
      chosenSession: false,
      costLimit: false,
    });
  });
});

describe('its lines', () => {
  test.each(everyDialect)('are read as %s from its session line on', (dialect) => {
    const custom = customProvider('my-agent', null);
    expect(custom.parseLine(providerLines[dialect].session)[0]).toEqual({type: 'session', ref, dialect});
    for (const other of everyDialect.filter((each) => each !== dialect))
      expect(custom.parseLine(providerLines[other].result), other).toEqual([]);
    expect(custom.parseLine(providerLines[dialect].result).at(-1)).toMatchObject({
      type: 'result',
      result: {ok: true},
    });
  });

  test.each(everyDialect)('are read as %s without a session line too', (dialect) => {
    const custom = customProvider('my-agent', null);
    expect(custom.parseLine(providerLines[dialect].progress)).toContainEqual({
      type: 'message',
      text: 'on it',
    });
    for (const other of everyDialect.filter((each) => each !== dialect))
      expect(custom.parseLine(providerLines[other].session), other).toEqual([]);
  });

  test('have no dialect while they could be any log', () => {
    const custom = customProvider('my-agent', null);
    custom.parseLine(line({type: 'error', message: 'no cache'}));
    expect(custom.parseLine(providerLines.claude.session)).toEqual([
      {type: 'session', ref, dialect: 'claude'},
    ]);
  });

  test('are read in the recorded dialect when it is resumed', () => {
    const custom = customProvider('my-agent', 'codex');
    expect(custom.parseLine(providerLines.claude.session)).toEqual([]);
    expect(custom.parseLine(providerLines.codex.session)).toEqual([{type: 'session', ref, dialect: 'codex'}]);
  });

  test.each([
    {line: 'Compiling…', events: [{type: 'activity', activity: {kind: 'output', text: 'Compiling…'}}]},
    {line: '{"progress": 0.5}', events: []},
    {line: '', events: []},
  ])('are shown when they are readable text: $line', ({line: text, events}) => {
    expect(customProvider('my-agent', null).parseLine(text)).toEqual(events);
  });
});

describe('the verdict', () => {
  const says = (...lines: readonly string[]) => lines.map((text) => `echo '${text}'; `).join('');
  const claudeFailed = line({
    type: 'result',
    subtype: 'success',
    is_error: true,
    api_error_status: 429,
    result: 'slow down',
  });
  const gaveNone: AgentVerdict = {
    outcome: 'failed',
    failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 0)'},
    text: 'on it',
  };

  async function verdictOf(script: string, {resumes}: {resumes?: Dialect} = {}): Promise<AgentVerdict> {
    const asked = resumes ? request({kind: 'resume', sessionRef: ref}) : request();
    // A comment would hide what a resume appends.
    const run = await runProvider(customProvider(`${script} #`, resumes ?? null), asked, {
      cwd: temporaryFolder(),
      env: process.env,
      capabilities: capabilities(),
    });
    return (await run.ended).verdict;
  }

  test.each([
    {
      name: 'exit 0 is success without any agent output',
      script: 'cat >/dev/null; echo plain',
      verdict: {outcome: 'succeeded', text: ''},
    },
    {
      name: 'any other exit code is failure',
      script: 'echo oops >&2; exit 3',
      verdict: {
        outcome: 'failed',
        failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 3): oops'},
        text: '',
      },
    },
    {
      name: 'a failure of the agent overrides exit 0',
      script: says(claudeFailed),
      verdict: {outcome: 'failed', failure: {kind: 'rate_limit', message: 'slow down'}, text: ''},
    },
    ...everyDialect.flatMap((dialect) => {
      const {session, progress, result} = providerLines[dialect];
      return [
        {
          name: `a result of ${dialect} and exit 0 is success`,
          script: says(session, progress, result),
          verdict: {outcome: 'succeeded', text: 'on it'},
        },
        {
          name: `a result of ${dialect} and another exit code is failure: more than the agent ran`,
          script: `${says(session, progress, result)}exit 3`,
          verdict: {
            outcome: 'failed',
            failure: {kind: 'agent_error', message: 'the agent failed after its result (exit code 3)'},
            text: 'on it',
          },
        },
        {
          name: `a session of ${dialect} without a result is failure, whatever the exit code`,
          script: says(session, progress),
          verdict: gaveNone,
        },
        {
          name: `so are lines of ${dialect} without session and result`,
          script: says(progress),
          verdict: gaveNone,
        },
      ];
    }),
  ])('$name', async ({script, verdict}) => {
    expect(await verdictOf(script)).toEqual(verdict);
  });

  test.each(everyDialect)('a resumed session of %s counts when the command names it', async (dialect) => {
    const {session, progress, result} = providerLines[dialect];
    expect(await verdictOf(says(session, progress, result), {resumes: dialect})).toEqual({
      outcome: 'succeeded',
      text: 'on it',
    });
    expect(await verdictOf(says(progress, result), {resumes: dialect})).toEqual({
      outcome: 'failed',
      failure: {
        kind: 'resume_rejected',
        message: 'the command did not confirm that it continues this session',
      },
      text: 'on it',
    });
    expect(await verdictOf('echo ARGS', {resumes: dialect})).toEqual({...gaveNone, text: ''});
  });

  test('plain output is the answer when there is no message', () => {
    const end = {kind: 'start', result: null, exitCode: 0, signal: null, stderrTail: ''} as const;
    expect(customProvider('my-agent', null).judge({...end, stdoutTail: 'all good\n'})).toEqual({
      outcome: 'succeeded',
      text: 'all good\n',
    });
  });
});

test('the prompt comes on stdin, byte for byte, and the ref as one word', async () => {
  const cwd = temporaryFolder();
  const prompt = `--help\n$(touch pwned) 'quoted' "\u{1f426}"`;
  const script = `sh -c 'cat >prompt; printf "%s\\n" "$@" >args' -`;
  const run = await runProvider(
    customProvider(script, 'claude'),
    request({kind: 'resume', sessionRef: ref, prompt}),
    {cwd, env: process.env, capabilities: capabilities()},
  );
  await run.ended;
  expect(readFileSync(path.join(cwd, 'prompt'), 'utf8')).toBe(prompt);
  expect(readFileSync(path.join(cwd, 'args'), 'utf8')).toBe(`--resume\n${ref}\n`);
  expect(readdirSync(cwd).sort()).toEqual(['args', 'prompt']);
});
