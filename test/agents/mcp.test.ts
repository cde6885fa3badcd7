import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {beforeAll, expect, onTestFinished, test} from 'vitest';
import {engineProject} from '../helpers/engine-project.ts';
import {say, startModelServer, tool} from '../helpers/model-server.ts';
import {planOf, task} from '../helpers/plans.ts';
import {createAgentHome, ensureAgents, type RealAgents} from '../helpers/real-agents.ts';

// The real codex and claude, from npm, against a model on loopback, connected by the lines that `mcp --help` shows.

const execute = promisify(execFile);

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

const title = 'canary "$(title)"';
const input = {id: 'new', title, parentId: 'old'};

// Neither waits for a slow server unless it is told to.
test.each([
  {
    agent: 'claude',
    env: {MCP_CONNECTION_NONBLOCKING: '0', MCP_CONNECT_TIMEOUT_MS: '60000'},
    ask: "claude --print --allowedTools mcp__blackbird -- 'add a task'",
    call: tool('mcp__blackbird__add_task', input),
  },
  // Codex does not ask here: it accepts a tool that declares it only adds.
  {
    agent: 'codex',
    env: {},
    ask: [
      'codex exec --skip-git-repo-check',
      '-c mcp_servers.blackbird.required=true -c mcp_servers.blackbird.startup_timeout_sec=60',
      "'add a task'",
    ].join(' '),
    call: {...tool('add_task', input), namespace: 'mcp__blackbird'},
  },
])('$agent adds a task to the plan of the folder', async ({agent, env, ask, call}) => {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const project = engineProject(planOf(task('old')), {agent: null, env: home.env});
  const {out: help} = await project.run(['mcp', '--help']);
  const [, connect] = help.match(new RegExp(`^ +\\$ (${agent} mcp add .*)$`, 'm')) ?? [];
  expect(connect).toBeDefined();
  server.script(call, say('done'));
  const options = {cwd: project.folder, env: {...project.env, ...env}};
  await execute('bash', ['-ec', `${connect}\n${ask} < /dev/null`], options);

  const {items} = JSON.parse(project.planText());
  expect(items).toMatchObject({old: {childIds: ['new']}, new: {title, parentId: 'old', status: 'todo'}});
  // It got the output of the command.
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('\\"id\\": \\"new\\"');
});
