import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {demoAgentScript} from '../../src/services/agents/demo.ts';
import {shellWord} from '../../src/services/contracts/errors.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {
  demo,
  type EngineProject,
  engineProject,
  pauseInTheMiddle,
  untilAtWork,
} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

// What belongs to a custom command, and what does not.

const command = `'${process.execPath}' '${demoAgentScript()}'`;
const slow = demo('write started yes', 'sleep 60', 'write made.txt hi');
const plan = (prompt = slow) => planOf(task('a', {prompt}));
const custom = {BLACKBIRD_AGENT_CMD: command};

const facts = (project: EngineProject) => {
  const {state, provider, provider_dialect, custom_command, resumable} = project.latest('a') ?? {};
  return {state, provider, provider_dialect, custom_command, resumable};
};
const pausedFacts = {
  state: 'paused',
  provider: 'custom',
  provider_dialect: 'demo',
  custom_command: command,
  resumable: true,
};

test('its run is its own, with the dialect of the session line, and continues with it', async () => {
  // No agent was chosen: the default does not matter.
  const project = engineProject(plan(), {agent: null, env: custom});
  expect((await pauseInTheMiddle(project, 'a')).out).toContain('▶ a  Task a  (custom)\n');
  expect(facts(project)).toEqual(pausedFacts);

  const {code, out, err} = await project.run(['resume', 'a']);
  expect({code, err}).toEqual({code: 0, err: ''});
  expect(out).toContain('▶ a  Task a  (custom (demo), resumed)\n');
  expect(project.latest('a')?.segments.map(({argv}) => argv.at(-1))).toEqual([
    command,
    `${command} --resume '${project.latest('a')?.provider_session_ref}'`,
  ]);
  expect([project.text('made.txt'), project.statuses()]).toEqual(['hi\n', {a: 'done'}]);
});

describe('a session belongs to its program', () => {
  const refusal = (reason: string, run: RunRecord | undefined, next: string) => [
    `error: cannot resume a: it belongs to another program: ${reason}`,
    '  task      a  Task a',
    `  run       ${run?.run_id}  paused ${run?.paused_at}`,
    `  provider  ${run?.provider}`,
    `  session   ${run?.provider_session_ref}`,
    `  reason    it belongs to another program: ${reason}`,
    '  code      E_RESUME_REFUSED',
    `  next      ${next}  continue with the program that has its session`,
    `            ${'blackbird restart a'.padEnd(next.length)}  start again; the conversation is forgotten`,
    '',
  ];

  test('a command cannot take over the session of an agent', async () => {
    const project = engineProject(plan());
    await pauseInTheMiddle(project, 'a');
    const before = project.latest('a');
    const {code, err} = await project.run(['resume', 'a'], {
      env: {BLACKBIRD_AGENT_CMD: 'cat >/dev/null; echo ARGS'},
    });
    expect({code, err: err.split('\n')}).toEqual({
      code: 1,
      err: refusal(
        'it was started by demo, but BLACKBIRD_AGENT_CMD is set',
        before,
        'blackbird resume a --agent demo',
      ),
    });
    expect([project.latest('a'), project.statuses()]).toEqual([before, {a: 'in_progress'}]);

    // The named agent is the one that runs.
    expect(await project.run(['resume', 'a', '--agent', 'demo'], {env: custom})).toMatchObject({code: 0});
    expect([project.latest('a')?.provider, project.statuses()]).toEqual(['demo', {a: 'done'}]);
  });

  test.each([
    {
      name: 'no command',
      env: {},
      reason: 'it was started by a command of your own, and BLACKBIRD_AGENT_CMD is not set',
    },
    {
      name: 'another command',
      env: {BLACKBIRD_AGENT_CMD: `${command} --read-only`},
      reason: 'it was started by a command of your own, and BLACKBIRD_AGENT_CMD is a different one now',
    },
  ])('$name cannot take over the session of a command', async ({env, reason}) => {
    const project = engineProject(plan());
    const running = project.start(['execute', 'a'], {env: custom});
    await untilAtWork(project, 'a');
    running.child.kill('SIGINT');
    await running.ended;
    const before = project.latest('a');
    const {code, err} = await project.run(['resume', 'a'], {env});
    expect({code, err: err.split('\n')}).toEqual({
      code: 1,
      err: refusal(reason, before, `BLACKBIRD_AGENT_CMD=${shellWord(command)} blackbird resume a`),
    });
    expect(project.latest('a')).toEqual(before);
  });
});

test('lines of an agent without its result are no success, whatever the exit code', async () => {
  const line = JSON.stringify({type: 'thread.started', thread_id: '0195d27e-46c6-4b0f-bd54-657f920eee8d'});
  const project = engineProject(plan(), {env: {BLACKBIRD_AGENT_CMD: `cat >/dev/null; echo '${line}'`}});
  expect(await project.run(['execute', 'a'])).toMatchObject({code: 3});
  expect(project.latest('a')).toMatchObject({
    state: 'failed',
    provider_dialect: 'codex',
    failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 0)'},
  });
});

test('a missing agent is to be installed, not replaced', async () => {
  const project = engineProject(plan());
  project.write(path.join('.blackbird', 'agent.json'), '{"schemaVersion":1,"selectedAgent":"codex"}');
  const {code, err} = await project.run(['execute'], {env: {PATH: '/nowhere'}});
  expect({code, err: err.split('\n')}).toEqual({
    code: 1,
    err: [
      'error: the agent Codex cannot be used: codex is not on the PATH, nor is any other agent',
      '  provider  codex',
      '  code      E_AGENT_NOT_FOUND',
      '  next      npm install -g @openai/codex              or put codex on your PATH',
      '            npm install -g @anthropic-ai/claude-code  or use Claude Code instead',
      '            blackbird demo                            or watch the built-in demo agent: no account is needed',
      '            blackbird agents                          see what is installed',
      '',
    ],
  });
});

test('is listed with the agents, and in use', async () => {
  const project = engineProject(plan(), {env: {BLACKBIRD_AGENT_CMD: ' my agent\t--fast\n'}});
  const {code, out} = await project.run(['agents', '--json'], {env: {PATH: '/nowhere'}});
  expect(code).toBe(0);
  const {agents}: {agents: Array<{id: string; chosen: string | null}>} = JSON.parse(out);
  expect(agents.map(({id, chosen}) => [id, chosen])).toEqual([
    ['codex', null],
    ['claude', null],
    ['demo', null],
    ['custom', 'command'],
  ]);
  expect(agents.at(-1)).toMatchObject({installed: true, where: 'my agent\t--fast'});
});
