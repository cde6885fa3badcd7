import {execFileSync} from 'node:child_process';
import {beforeAll, expect, onTestFinished, test} from 'vitest';
import {engineProject} from '../helpers/engine-project.ts';
import {run as runInShell, say, startModelServer} from '../helpers/model-server.ts';
import {planOf, task} from '../helpers/plans.ts';
import {createAgentHome, ensureAgents, type RealAgents} from '../helpers/real-agents.ts';

// What the model receives proves in which session the real agents hear of a failed check.

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

test.each(['codex', 'claude'] as const)(
  '%s is told of a failed check in its own session, fixes it, and the same run succeeds',
  async (agent) => {
    const server = await startModelServer();
    const home = await createAgentHome(server, agents);
    onTestFinished(async () => {
      await server.close();
      await home.remove();
    });
    const verify = ['echo canary-2; test -f out.txt'];
    const project = engineProject(planOf(task('a', {prompt: 'Do canary-1', verify})), {agent, env: home.env});
    execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
    server.script(say('All done, canary-3.'), runInShell('echo good >out.txt'), say('Mended.'));

    const {code, err} = await project.run(['execute']);
    expect({code, err}).toEqual({code: 0, err: ''});
    const [run, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(run).toMatchObject({state: 'succeeded', result: 'Mended.', resumable: true});
    expect(run?.verifications?.map(({round, exit_code, tail}) => [round, exit_code, tail])).toEqual([
      [1, 1, 'canary-2\n'],
      [2, 0, 'canary-2\n'],
    ]);
    expect(run?.segments[1]?.argv.join(' ')).toContain(run?.provider_session_ref);

    const [first, second] = server.requests.map(({body}) => JSON.stringify(body));
    const words = ['canary-1', 'canary-3', '# A check failed', '> canary-2'];
    const heard = (request = '') => words.filter((word) => request.includes(word));
    expect(heard(first)).toEqual(['canary-1']);
    expect(heard(second)).toEqual(words);
  },
  120_000,
);
