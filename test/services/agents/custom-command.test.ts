import {execFileSync} from 'node:child_process';
import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {customProvider} from '../../../src/services/agents/custom-command.ts';
import {demoProvider} from '../../../src/services/agents/demo.ts';
import {capabilities, request, runProvider} from '../../helpers/run-provider.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const ref = '0195d27e-46c6-4b0f-bd54-657f920eee8d';
const custom = customProvider(claudeProvider, 'my-agent --fast');

describe('the command', () => {
  test('is run by the shell as it was written, and nothing is added', () => {
    const asked = request({sessionRef: ref, access: 'read-only', answerSchema: {}, isGitRepository: false});
    expect(custom.command(asked, capabilities())).toEqual({
      file: 'sh',
      args: ['-c', 'my-agent --fast'],
      stdin: 'do it',
      env: {},
    });
  });

  test.each([
    {base: claudeProvider, line: `my-agent --fast '--resume' '${ref}'`},
    {base: codexProvider, line: `my-agent --fast 'resume' '${ref}'`},
    {base: demoProvider, line: `my-agent --fast '--resume' '${ref}'`},
  ])('resumes in the words of $base.id', ({base, line}) => {
    const asked = request({kind: 'resume', sessionRef: ref});
    expect(customProvider(base, 'my-agent --fast').command(asked, capabilities()).args).toEqual(['-c', line]);
  });

  test.each(['', '--last', "'; touch pwned; '"])('never carries the ref %j', (bad) => {
    expect(custom.isSessionRef(bad)).toBe(false);
    expect(() => custom.command(request({kind: 'resume', sessionRef: bad}), capabilities())).toThrow(
      'not a session ref',
    );
  });

  test('can do nothing that a command might not know', () => {
    expect(custom.capabilities({version: 'x', help: '--session-id --json-schema'})).toEqual({
      version: 'custom command',
      fullAuto: false,
      outputSchema: false,
      chosenSession: false,
    });
  });
});

describe('its lines', () => {
  test.each([
    {vendor: 'claude', line: {type: 'system', subtype: 'init', session_id: ref}},
    {vendor: 'codex', line: {type: 'thread.started', thread_id: ref}},
  ])('are understood in the form of $vendor', ({line}) => {
    expect(custom.parseLine(JSON.stringify(line))).toEqual([{type: 'session', ref}]);
  });

  test.each([
    {line: 'Compiling…', events: [{type: 'activity', activity: {kind: 'output', text: 'Compiling…'}}]},
    {line: '{"progress": 0.5}', events: []},
    {line: '', events: []},
  ])('are shown when a person can read them: $line', ({line, events}) => {
    expect(custom.parseLine(line)).toEqual(events);
  });
});

describe('the verdict', () => {
  const claudeDone = '{"type":"result","subtype":"success","is_error":false,"result":"done"}';
  const claudeFailed =
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"slow down"}';

  test.each([
    {
      name: 'exit 0 is success when nothing else is said',
      script: 'cat >/dev/null; echo plain',
      verdict: {outcome: 'succeeded', text: ''},
    },
    {
      name: 'another exit code is failure',
      script: 'echo oops >&2; exit 3',
      verdict: {
        outcome: 'failed',
        failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 3): oops'},
        text: '',
      },
    },
    {
      name: 'a structured success wins over the exit code',
      script: `echo '${claudeDone}'; exit 3`,
      verdict: {outcome: 'succeeded', text: 'done'},
    },
    {
      name: 'a structured failure wins over exit 0',
      script: `echo '${claudeFailed}'`,
      verdict: {outcome: 'failed', failure: {kind: 'rate_limit', message: 'slow down'}, text: ''},
    },
    {
      name: 'a completed turn of codex carries its last message',
      script: `echo '{"type":"item.completed","item":{"type":"agent_message","text":"made it"}}'; echo '{"type":"turn.completed"}'`,
      verdict: {outcome: 'succeeded', text: 'made it'},
    },
  ])('$name', async ({script, verdict}) => {
    const run = await runProvider(customProvider(codexProvider, script), request(), {
      cwd: temporaryFolder(),
      env: process.env,
      capabilities: capabilities(),
    });
    expect((await run.ended).verdict).toEqual(verdict);
  });

  test('plain output is the answer when there is no message', () => {
    const end = {kind: 'start', result: null, exitCode: 0, signal: null, stderrTail: ''} as const;
    expect(custom.judge({...end, stdoutTail: 'all good\n'})).toEqual({
      outcome: 'succeeded',
      text: 'all good\n',
    });
    expect(custom.judge({...end, stdoutTail: 'all good\n', lastMessage: 'fine'})).toEqual({
      outcome: 'succeeded',
      text: 'fine',
    });
  });
});

test('the prompt comes on stdin, byte for byte, and the ref as one word', async () => {
  const cwd = temporaryFolder();
  const prompt = `--help\n$(touch pwned) 'quoted' "\u{1f426}"`;
  const script = `sh -c 'cat >prompt; printf "%s\\n" "$@" >args' -`;
  const run = await runProvider(
    customProvider(codexProvider, script),
    request({kind: 'resume', sessionRef: ref, prompt}),
    {cwd, env: process.env, capabilities: capabilities()},
  );
  expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: ''});
  expect(execFileSync('cat', ['prompt'], {cwd, encoding: 'utf8'})).toBe(prompt);
  expect(execFileSync('cat', ['args'], {cwd, encoding: 'utf8'})).toBe(`resume\n${ref}\n`);
  expect(execFileSync('ls', {cwd, encoding: 'utf8'})).toBe('args\nprompt\n');
});
