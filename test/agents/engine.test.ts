import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {ProviderId} from '../../src/services/contracts/agent.ts';
import {expectGone, processState} from '../helpers/agent-processes.ts';
import {type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {
  createHold,
  type Hold,
  holdUntil,
  type ModelServer,
  run as runInShell,
  say,
  startModelServer,
} from '../helpers/model-server.ts';
import {planOf, task} from '../helpers/plans.ts';
import {createAgentHome, ensureAgents, type RealAgents, transcriptOf} from '../helpers/real-agents.ts';

// The built Blackbird runs the real codex and claude, from npm, against a model on loopback.

const unknownRef = '9da519ae-64e4-42e4-85fc-7c3305f70aa3';
const plan = () => planOf(task('a', {title: '--version', prompt: '--help me with canary-1'}), task('b'));

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

type Bench = {readonly server: ModelServer; readonly project: EngineProject};

/** A repository with a plan, a home and a model for one test of one provider. */
async function setUp(agent: ProviderId): Promise<Bench> {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const project = engineProject(plan(), {agent, env: home.env});
  execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
  return {server, project};
}

const lastRequest = ({requests}: ModelServer) => JSON.stringify(requests.at(-1)?.body);
const told = (server: ModelServer) =>
  ['canary-1', 'canary-2', 'You were interrupted.'].filter((text) => lastRequest(server).includes(text));

/** Starts task `a`, lets the agent use a tool, and returns while the model is computing its answer. */
async function startAndThink({server, project}: Bench) {
  const hold: Hold = createHold();
  server.script(runInShell('echo canary-2'), holdUntil(hold));
  const running = project.start(['execute', 'a']);
  await hold.reached;
  await eventually(() => expect(project.latest('a')).toMatchObject({state: 'running', resumable: true}));
  return running;
}

/** The agents as a user writes them into BLACKBIRD_AGENT_CMD. */
const wrapped = {
  codex: 'codex exec --json --sandbox workspace-write',
  claude: 'claude -p --output-format stream-json --verbose --permission-mode bypassPermissions',
};

describe.each(['codex', 'claude'] as const)('%s', (agent) => {
  test('requested changes reach the same session, and the checkpoint comes again', async () => {
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo hi > made.txt'), say('All done.'));
    const first = await project.run(['execute', '--review', 'a']);
    expect({code: first.code, err: first.err}).toEqual({code: 4, err: ''});
    expect(first.out).toContain('Decide with: blackbird review a\n');
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});

    server.script(runInShell('echo tabs > made.txt'), say('Changed.'));
    const second = await project.run(['review', 'a', '--request-changes', 'canary-3: use tabs']);
    expect({code: second.code, err: second.err}).toEqual({code: 4, err: ''});
    expect(second.out).toContain(`▶ a  --version  (${agent}, resumed)\n`);
    // The model sees the whole conversation: the task, what was done, and the requested changes.
    for (const text of ['canary-1', 'All done.', 'canary-3: use tabs', '- made.txt'])
      expect(lastRequest(server)).toContain(text);
    const [one, two, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(one).toMatchObject({decision_state: 'changes_requested', decision_feedback: 'canary-3: use tabs'});
    expect(two).toMatchObject({
      decision_state: 'pending',
      resumed_from_run_id: one?.run_id,
      provider_session_ref: one?.provider_session_ref,
      review_summary: {files: ['made.txt']},
    });
    const {code, out} = await project.run(['review', '--approve-quit']);
    expect({code, out}).toEqual({code: 0, out: '✓ a  approved\na is done · 1 ready\n'});
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('completes a task: it is done, and session, result and usage are on the record', async () => {
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo hi > made.txt'), say('All done.'));
    const {code, out, err} = await project.run(['execute', 'a']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toMatch(
      new RegExp(`^▶ a  --version  \\(${agent}\\)\\n✓ a  done  .*tokens.*\\n1 done · 1 ready\\n$`),
    );
    expect(readFileSync(path.join(project.folder, 'made.txt'), 'utf8')).toBe('hi\n');
    expect(lastRequest(server)).toContain('--help me with canary-1');
    const [run, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      state: 'succeeded',
      provider: agent,
      provider_session_ref: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resumable: true,
      result: 'All done.',
      usage: {input_tokens: 200, output_tokens: 40},
      segments: [{exit_code: 0}],
    });
    expect(JSON.stringify(run?.segments)).not.toContain('canary-1');
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
    expect(project.agents()).toEqual([]);
  });

  test('asks, and continues with the answer in the same session', async () => {
    const {server, project} = await setUp(agent);
    const question = {blackbird: {questions: [{id: 'colour', prompt: 'Which colour?'}]}};
    server.script(say(`I need to know.\n\`\`\`json\n${JSON.stringify(question)}\n\`\`\``), say('Painted.'));
    expect((await project.run(['execute'])).code).toBe(4);
    const ref = project.latest('a')?.provider_session_ref;
    expect((await project.run(['resume', 'a', '--answer', 'colour=a warm red'])).code).toBe(0);
    expect(project.runs('a')).toMatchObject([
      {state: 'succeeded', provider_session_ref: ref, result: 'Painted.', segments: [{}, {}]},
    ]);
    for (const known of ['canary-1', 'I need to know.', 'a warm red'])
      expect(lastRequest(server)).toContain(known);
  });

  test('wrapped as a command while another agent is chosen: its own session continues, and no other can', async () => {
    const {server, project} = await setUp(agent === 'codex' ? 'claude' : 'codex');
    const custom = {BLACKBIRD_AGENT_CMD: wrapped[agent]};
    const hold = createHold();
    server.script(runInShell('echo canary-2'), holdUntil(hold));
    const running = project.start(['execute', 'a'], {env: custom});
    await hold.reached;
    await eventually(() => expect(project.latest('a')).toMatchObject({resumable: true}));
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const paused = project.latest('a');
    expect(paused).toMatchObject({
      state: 'paused',
      provider: 'custom',
      provider_dialect: agent,
      custom_command: wrapped[agent],
    });

    for (const env of [{}, {BLACKBIRD_AGENT_CMD: 'cat >/dev/null; echo ARGS'}]) {
      const {code, err} = await project.run(['resume', 'a'], {env});
      expect(code).toBe(1);
      expect(err).toContain('it belongs to another program');
    }
    expect((await project.run(['resume', 'a', '--agent', agent])).err).toContain(
      `but ${agent} was asked for`,
    );
    expect(project.latest('a')).toEqual(paused);

    server.script(say('Here I am again.'));
    expect(await project.run(['resume', 'a'], {env: custom})).toMatchObject({code: 0, err: ''});
    expect(project.runs('a')).toMatchObject([
      {state: 'succeeded', provider_session_ref: paused?.provider_session_ref, result: 'Here I am again.'},
    ]);
    expect(told(server)).toEqual(['canary-1', 'canary-2', 'You were interrupted.']);
  });

  test('paused in mid-turn: an unknown session is refused, its own continues with all it knew', async () => {
    const bench = await setUp(agent);
    const {server, project} = bench;
    const running = await startAndThink(bench);
    running.child.kill('SIGINT');
    const {code, out} = await running.ended;
    expect(code).toBe(130);
    expect(out).toContain('Paused. Resume with: blackbird resume a\n');
    const paused = project.latest('a');
    expect(paused).toMatchObject({state: 'paused', pause_reason: 'user_interrupt', resumable: true});
    expect(project.agents()).toEqual([]);

    project.changeLatest('a', {provider_session_ref: unknownRef});
    const asked = server.requests.length;
    const refused = await project.run(['resume', 'a']);
    expect(refused.code).toBe(1);
    for (const part of [paused?.run_id, agent, unknownRef, 'E_RESUME_REJECTED', 'blackbird restart a'])
      expect(refused.err).toContain(part);
    expect(project.latest('a')).toMatchObject({state: 'paused', failure: {kind: 'resume_rejected'}});
    expect(server.requests).toHaveLength(asked);

    const ref = paused?.provider_session_ref ?? '';
    project.changeLatest('a', {provider_session_ref: ref});
    server.script(say('Here I am again.'));
    expect(await project.run(['resume', 'a'])).toMatchObject({code: 0, err: ''});
    expect(told(server)).toEqual(['canary-1', 'canary-2', 'You were interrupted.']);
    const [run, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      run_id: paused?.run_id,
      state: 'succeeded',
      provider_session_ref: ref,
      result: 'Here I am again.',
    });
    expect(run).not.toHaveProperty('failure');
    expect(run?.segments.at(-1)?.argv).toContain(ref);
    expect(run?.segments.flatMap(({argv}) => argv)).not.toContain('--continue');
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('a tool that runs while it is paused ends with it', async () => {
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo x > started; sleep 600'));
    const running = project.start(['execute', 'a']);
    await eventually(() => expect(project.text('started')).toBe('x\n'));
    const processes = project.agents();
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(project.latest('a')).toMatchObject({state: 'paused', resumable: true});
    expect(processes.filter((pid) => processState(pid) !== null)).toEqual([]);
  });

  test('killed from outside: the run failed, nothing is left running, resume continues in its session', async () => {
    const bench = await setUp(agent);
    const {server, project} = bench;
    const running = await startAndThink(bench);
    const {segments: [segment] = [], provider_session_ref: ref = ''} = project.latest('a') ?? {};
    // Claude writes its transcript a moment after it prints.
    await eventually(() => expect(transcriptOf(project.env, ref)).toContain('canary-1'));
    process.kill(segment?.pid ?? 0, 'SIGKILL');
    expect((await running.ended).code).toBe(3);
    expect(project.latest('a')).toMatchObject({
      state: 'failed',
      failure: {kind: 'agent_error', message: expect.stringContaining('SIGKILL')},
    });
    expect(project.agents()).toEqual([]);
    expect(project.statuses()).toEqual({a: 'failed', b: 'todo'});

    server.script(say('Better now.'));
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    expect(project.latest('a')).toMatchObject({state: 'succeeded', provider_session_ref: ref, attempt: 2});
    // How much of the turn was on disk by then depends on the agent.
    expect(told(server)).toContain('canary-1');
    expect(lastRequest(server)).toContain('continue where it stopped');
  });

  test('Blackbird is killed while the model computes its first answer: nothing survives, resume continues', async () => {
    const {server, project} = await setUp(agent);
    const hold = createHold();
    server.script(holdUntil(hold));
    const running = project.start(['execute', 'a']);
    await hold.reached;
    await eventually(() => expect(project.latest('a')).toMatchObject({state: 'running', resumable: true}));
    const [processes, ref] = [project.agents(), project.latest('a')?.provider_session_ref];
    running.child.kill('SIGKILL');
    await running.ended;
    await expectGone(processes);
    server.script(say('Here I am again.'));
    const {code, out, err} = await project.run(['resume', 'a']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toContain('Ⅱ a was interrupted when Blackbird ended, and is paused: blackbird resume a\n');
    expect(told(server)).toEqual(['canary-1', 'You were interrupted.']);
    expect(project.runs('a')).toMatchObject([
      {
        state: 'succeeded',
        provider_session_ref: ref,
        segments: [{}, {exit_code: 0}],
      },
    ]);
  });

  test('paused before there is a session: resume refuses, restart works', async () => {
    const {server, project} = await setUp(agent);
    const pauseEarly = async () => {
      const before = project.runs('a').length;
      const running = project.start(['execute', 'a']);
      await eventually(() => expect(project.runs('a')[before]?.segments).toHaveLength(1));
      running.child.kill('SIGINT');
      return running.ended;
    };
    let {code, out} = await pauseEarly();
    // Before go, it is not a start.
    while (project.latest('a')?.state === 'canceled') ({code, out} = await pauseEarly());
    expect(code).toBe(130);
    expect(project.latest('a')).toMatchObject({state: 'paused', resumable: false});
    expect(out).toContain('Paused. The agent has no session to continue, so it cannot be resumed.\n');
    expect(server.requests).toEqual([]);

    const refused = await project.run(['resume', 'a']);
    expect(refused).toMatchObject({code: 1, out: ''});
    expect(refused.err).toContain('E_RESUME_REFUSED');
    expect(refused.err).toContain('blackbird restart a');

    server.script(say('Done.'));
    expect((await project.run(['restart', 'a'])).code).toBe(0);
    const [first, second] = project.runs('a').slice(-2);
    expect(first).toMatchObject({state: 'paused', superseded_by_run_id: second?.run_id});
    expect(second).toMatchObject({state: 'succeeded', restart_of_run_id: first?.run_id});
  });
});
