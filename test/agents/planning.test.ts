import {execFileSync} from 'node:child_process';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {ProviderId} from '../../src/services/contracts/agent.ts';
import {engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {
  createHold,
  holdUntil,
  type Reply,
  run as runInShell,
  say,
  startModelServer,
  tool,
} from '../helpers/model-server.ts';
import {draftsIn, turnsOf} from '../helpers/plan-drafts.ts';
import {planOf, task} from '../helpers/plans.ts';
import {createAgentHome, ensureAgents, type RealAgents} from '../helpers/real-agents.ts';

// The built Blackbird has the real codex and claude plan, from npm, against a model on loopback.

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

async function setUp(agent: ProviderId) {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const project = engineProject(planOf(task('old', {status: 'failed'})), {agent, env: home.env});
  execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
  /** How a model answers with a schema: Codex as text, Claude with a tool of that name. */
  const answer = (value: Readonly<Record<string, unknown>>): Reply =>
    agent === 'claude' ? tool('StructuredOutput', value) : say(JSON.stringify(value));
  const request = (place: number) => JSON.stringify(server.requests.at(place)?.body);
  return {server, project, answer, request};
}

const refunds = {
  id: 'refunds',
  parentId: null,
  title: 'Refund endpoint',
  description: 'POST /refunds gives the money of an order back, once and not twice.',
  acceptanceCriteria: ['`npm test` passes', 'POST /refunds returns 201'],
  prompt: 'Add POST /refunds in src/refunds.ts and verify it with npm test.',
  deps: [] as string[],
};
const question = {id: 'currency', prompt: 'canary-question', options: ['EUR', 'USD']};
const tasks = (...list: object[]) => ({questions: [], tasks: list});

describe.each<ProviderId>(['codex', 'claude'])('%s', (agent) => {
  test('asks, is corrected and refined in one session, and the plan is saved', async () => {
    const {server, project, answer, request} = await setUp(agent);
    server.script(answer({questions: [question], tasks: []}));
    const first = await project.run(['plan', 'generate', 'canary-wish']);
    expect({code: first.code, err: first.err}).toEqual({code: 4, err: ''});
    expect(request(-1)).toContain('canary-wish');
    const [draft] = draftsIn(project);
    expect(draft).toMatchObject({questions: [question], operations: null});

    server.script(
      // Well-formed but wrong: it names an unknown task.
      answer(tasks({...refunds, deps: ['canary-nobody']})),
      // An agent would have to guess.
      answer(tasks({...refunds, description: '', prompt: ''})),
      answer(tasks(refunds)),
    );
    const asked = server.requests.length;
    const open = [
      'plan',
      'drafts',
      'open',
      draft?.draftId ?? '',
      '--answer',
      'currency=canary-answer',
      '--yes',
    ];
    const second = await project.run(open);
    expect({code: second.code, err: second.err}).toEqual({code: 0, err: ''});
    expect(second.out).toContain('+ refunds  Refund endpoint');
    const said = server.requests.slice(asked).map(({body}) => JSON.stringify(body));
    expect(said[0]).toContain('canary-answer');
    // The session knows all of it.
    expect(said[0]).toContain('canary-wish');
    expect(said.some((text) => text.includes('unknown dep id') && text.includes('canary-nobody'))).toBe(true);
    expect(request(-1)).toContain('Problems found in your plan');

    const turns = turnsOf(project, draft?.draftId ?? '');
    expect(turns.map(({state}) => state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
    expect(new Set(turns.map(({provider_session_ref}) => provider_session_ref)).size).toBe(1);
    const argv = turns[0]?.segments[0]?.argv.join(' ');
    expect(argv).toContain(agent === 'codex' ? '--sandbox read-only' : '--tools Read,Grep,Glob');
    expect(argv).toContain(agent === 'codex' ? '--output-schema' : '--json-schema');
    expect(project.statuses()).toEqual({old: 'failed', refunds: 'todo'});
    expect(draftsIn(project)).toEqual([]);
    expect(project.agents()).toEqual([]);
  });

  test('refines by operations; a task that failed stays so', async () => {
    const {server, project, answer} = await setUp(agent);
    const edit = {
      op: 'edit',
      id: 'old',
      title: 'Renamed',
      description: null,
      acceptanceCriteria: null,
      prompt: null,
    };
    server.script(answer({questions: [], operations: [edit, {op: 'add', task: refunds, index: 0}]}));
    const {code, err, out} = await project.run(['plan', 'refine', 'rename it']);
    // The old task has findings, so the user decides.
    expect({code, err}).toEqual({code: 4, err: ''});
    expect(out).toContain('~ old  Renamed');
    expect(project.statuses()).toEqual({old: 'failed'});
  });

  test('cannot change a file, and answers in text', async () => {
    const {server, project} = await setUp(agent);
    const write: Reply =
      agent === 'claude'
        ? tool('Write', {file_path: `${project.folder}/evil.txt`, content: 'x'})
        : runInShell('echo x > evil.txt');
    server.script(write, say(`Here is my plan:\n\`\`\`json\n${JSON.stringify(tasks(refunds))}\n\`\`\``));
    const {code} = await project.run(['plan', 'generate', 'canary-wish', '--yes']);
    expect(code).toBe(0);
    expect(project.text('evil.txt')).toBe('');
    expect(project.statuses()).toEqual({old: 'failed', refunds: 'todo'});
  });

  test('is paused by Ctrl+C with nothing left running, and continues in the same session', async () => {
    const {server, project, answer} = await setUp(agent);
    const hold = createHold();
    server.script(runInShell('true'), holdUntil(hold));
    const planning = project.start(['plan', 'generate', 'canary-wish']);
    await eventually(() => expect(server.requests.length).toBeGreaterThan(1));
    const [draft] = draftsIn(project);
    await eventually(() => expect(turnsOf(project, draft?.draftId ?? '')).toMatchObject([{resumable: true}]));
    process.kill(planning.pid, 'SIGINT');
    const ended = await planning.ended;
    hold.release();
    expect(ended.code).toBe(130);
    expect(ended.out).toContain(`Continue with: blackbird plan drafts open ${draft?.draftId}`);
    expect(project.agents()).toEqual([]);
    expect(turnsOf(project, draft?.draftId ?? '')).toMatchObject([{state: 'paused', resumable: true}]);

    server.script(answer(tasks(refunds)));
    expect((await project.run(['plan', 'drafts', 'open', draft?.draftId ?? '', '--yes'])).code).toBe(0);
    const [before, after] = turnsOf(project, draft?.draftId ?? '');
    expect(after).toMatchObject({
      state: 'succeeded',
      provider_session_ref: before?.provider_session_ref,
      resumed_from_run_id: before?.run_id,
    });
    expect(project.statuses()).toEqual({old: 'failed', refunds: 'todo'});
  });
});
