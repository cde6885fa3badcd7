import {execFileSync} from 'node:child_process';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {ProviderId} from '../../src/services/contracts/agent.ts';
import {engineProject} from '../helpers/engine-project.ts';
import {type Reply, run as runInShell, say, startModelServer, tool} from '../helpers/model-server.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {createAgentHome, ensureAgents, type RealAgents} from '../helpers/real-agents.ts';

// The built Blackbird has the real codex and claude review, from npm, against a model on loopback.

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

const plan = planOf(
  task('late', {deps: ['p']}),
  family(
    task('p', {title: 'Refunds', acceptanceCriteria: ['canary-criteria']}),
    ...['a', 'b', 'c'].map((id) => task(id, {prompt: `canary-${id}`})),
  ),
);

const verdicts = {
  back: {
    passed: false,
    resumeTaskIds: ['b'],
    feedbackForResume: 'canary-feedback',
    reviewResults: [{taskId: 'b', status: 'failed', feedback: 'canary-own'}],
  },
  pass: {passed: true, resumeTaskIds: [], feedbackForResume: '', reviewResults: []},
};
/** How a model answers with a schema: Codex as text, Claude with a tool of that name. */
const answer = (agent: ProviderId, verdict: keyof typeof verdicts): Reply =>
  agent === 'claude' ? tool('StructuredOutput', verdicts[verdict]) : say(JSON.stringify(verdicts[verdict]));

async function setUp(agent: ProviderId) {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const project = engineProject(plan, {agent, env: home.env});
  execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
  const lastRequest = () => JSON.stringify(server.requests.at(-1)?.body);
  return {server, project, lastRequest};
}

describe.each<ProviderId>(['codex', 'claude'])('%s', (agent) => {
  test('sends one of three children back into its own session; the dependents wait for the second review', async () => {
    const {server, project, lastRequest} = await setUp(agent);
    server.script(
      ...([
        say('A is done.'),
        runInShell('echo canary-change > b.txt'),
        say('B is done.'),
        say('C is done.'),
      ] as const),
      answer(agent, 'back'),
    );
    const first = await project.run(['execute']);
    expect({code: first.code, err: first.err}).toEqual({code: 4, err: ''});
    expect(first.out).toContain(
      'parent review failed for p\nresume tasks: b\nfeedback: canary-feedback canary-own\nnext step: blackbird resume b\n',
    );
    // Criteria, answers and exact changes of the children reach the reviewer.
    for (const part of ['canary-criteria', 'canary-a', 'B is done.', '+canary-change'])
      expect(lastRequest()).toContain(part);
    const [review] = project.runs('p');
    expect(review).toMatchObject({run_type: 'review', state: 'succeeded', parent_review_passed: false});
    const argv = review?.segments[0]?.argv.join(' ');
    expect(argv).toContain(agent === 'codex' ? '--sandbox read-only' : '--tools Read,Grep,Glob');
    expect(argv).toContain(agent === 'codex' ? '--output-schema' : '--json-schema');
    expect(project.statuses()).toEqual({late: 'todo', p: 'todo', a: 'done', b: 'done', c: 'done'});
    expect((await project.run(['execute'])).code).toBe(4);
    expect(project.runs('late')).toEqual([]);

    const ref = project.latest('b')?.provider_session_ref;
    server.script(say('B is better.'), answer(agent, 'pass'), say('Late is done.'));
    const asked = server.requests.length;
    const second = await project.run(['resume', 'b', '--execute']);
    expect({code: second.code, err: second.err}).toEqual({code: 0, err: ''});
    const resumed = JSON.stringify(server.requests[asked]?.body);
    for (const part of ['canary-b', 'B is done.', 'canary-feedback', 'canary-own'])
      expect(resumed).toContain(part);
    expect(project.latest('b')).toMatchObject({
      attempt: 2,
      provider_session_ref: ref,
      result: 'B is better.',
    });
    expect(project.runs('p').map((run) => run.parent_review_passed)).toEqual([false, true]);
    expect(project.statuses()).toEqual({late: 'done', p: 'done', a: 'done', b: 'done', c: 'done'});
  });

  test('cannot change a file as a reviewer', async () => {
    const {server, project} = await setUp(agent);
    const write: Reply =
      agent === 'claude'
        ? tool('Write', {file_path: `${project.folder}/evil.txt`, content: 'x'})
        : runInShell('echo x > evil.txt');
    server.script(
      ...([say('A.'), say('B.'), say('C.')] as const),
      write,
      answer(agent, 'pass'),
      say('Late.'),
    );
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.text('evil.txt')).toBe('');
    expect(project.runs('p')).toMatchObject([{parent_review_passed: true}]);
  });

  test('that answers in prose reviews nothing; the next execute reviews again', async () => {
    const {server, project} = await setUp(agent);
    server.script(...([say('A.'), say('B.'), say('C.')] as const), say('Looks good to me!'));
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(3);
    expect(out).toContain(
      'the answer of the review cannot be used: it contains no JSON object with "passed"',
    );
    expect(project.statuses()).toMatchObject({p: 'todo', late: 'todo'});
    server.script(answer(agent, 'pass'), say('Late.'));
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.statuses()).toMatchObject({p: 'done', late: 'done'});
  });
});
