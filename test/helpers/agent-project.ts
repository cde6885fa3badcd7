import {execFileSync} from 'node:child_process';
import {onTestFinished} from 'vitest';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {type EngineProject, type Env, engineProject} from './engine-project.ts';
import {type ModelServer, startModelServer} from './model-server.ts';
import {planOf, task} from './plans.ts';
import {createAgentHome, type RealAgents} from './real-agents.ts';

export type AgentName = 'claude' | 'codex';

/** A repository with a real agent, whose model is a server on loopback. */
export async function agentProject(
  agents: RealAgents,
  agent: AgentName,
  {env = {}, plan = planOf(task('a', {prompt: 'canary-1'}), task('b')), config}: Options = {},
): Promise<{readonly server: ModelServer; readonly project: EngineProject}> {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const project = engineProject(plan, {
    agent,
    // One attempt each: what Claude Code does in its ten is recorded in the fixtures.
    env: {...home.env, CLAUDE_CODE_MAX_RETRIES: '0', ...env},
    ...(config && {config}),
  });
  execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
  return {server, project};
}

type Options = {
  readonly env?: Env;
  readonly plan?: Plan;
  readonly config?: NonNullable<Parameters<typeof engineProject>[1]>['config'];
};
