import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {loginState} from '../../services/agents/login-state.ts';
import {rootRefusal} from '../../services/agents/root-refusal.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import {type NativeProviderId, providerIds, providerTable} from '../../services/contracts/provider-table.ts';
import {findOnPath} from '../../services/system/executables.ts';
import type {CliContext} from '../context.ts';
import {chooseAgent} from '../job/choose-agent.ts';
import type {Check, Surroundings} from './check.ts';

/** The agents, and the one that would be used. */
export async function checkAgents(surroundings: Surroundings): Promise<Check[]> {
  const {env} = surroundings;
  const agents = (await Promise.all(providerIds.map((id) => checkAgent(id, env)))).flat();
  try {
    const choice = await chooseAgent({folder: surroundings.project.folder, env});
    return [...agents, checkChoice(choice, agents)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.next[0]?.command ?? 'blackbird agents';
    return [...agents, {name: 'provider', state: 'wrong', found: error.message, advice}];
  }
}

async function checkAgent(id: NativeProviderId, env: CliContext['env']): Promise<Check[]> {
  const {program, install, login: loginCommand} = providerTable[id];
  if (program === null) return [];
  const file = findOnPath(program, env.PATH ?? '');
  const [check, login] = await Promise.all([
    checkTool(program, ['--version'], install, env),
    file === null ? null : loginState(id, file, env),
  ]);
  if (check.state !== 'good') return [check];
  const isLoggedOut = login === 'loggedOut';
  const obstacles = [
    isLoggedOut ? {found: 'not logged in', advice: loginCommand} : null,
    rootObstacle(id, env),
  ];
  const met = obstacles.filter((each) => each !== null);
  if (met.length === 0) return [check];
  const found = `${check.found}  ${met.map((each) => each.found).join(', and ')}`;
  return [{...check, state: 'missing', found, advice: met.map(({advice}) => advice).join('; and ')}];
}

/** Some agents refuse to work unattended as root, unless told that the machine is a sandbox. */
function rootObstacle(
  id: NativeProviderId,
  env: CliContext['env'],
): Required<Pick<Check, 'found' | 'advice'>> | null {
  const variable = rootRefusal(id, env);
  if (variable === null) return null;
  return {
    found: 'refuses to edit files for root',
    advice: `work as another user, or in a container: export ${variable}=1`,
  };
}

/** Without a working agent no task can be done: that is wrong, not just missing. */
function checkChoice({id, source}: ProviderChoice, agents: readonly Check[]): Check {
  const name = 'provider';
  if (source === 'none') {
    const advice = 'install one, or look around with the built-in one: blackbird demo';
    return {name, state: 'wrong', found: 'none is installed', advice};
  }
  // A check is named after the program.
  const programOf = (each: ProviderChoice['id']) => (each === 'custom' ? null : providerTable[each].program);
  const own = agents.find((agent) => agent.name === programOf(id));
  if (own && own.state !== 'good') {
    const [other] = providerIds.filter((each) =>
      agents.some((agent) => agent.name === programOf(each) && agent.state === 'good'),
    );
    const instead = other
      ? `blackbird agents use ${other}`
      : 'look around with the built-in agent: blackbird demo';
    const found = `${id} would be used but cannot work yet`;
    return {name, state: 'wrong', found, advice: `see ${own.name} above; or ${instead}`};
  }
  if (source !== 'default') return {name, state: 'good', found: id};
  const installed = agents.filter(({found}) => found !== 'not installed').map((agent) => agent.name);
  const advice = `blackbird agents use ${installed.filter((each) => each !== id).join(' | ')}`;
  return {name, state: 'good', found: `${id}, by default: ${installed.join(' and ')} are installed`, advice};
}

/** What prevents this job's agent from working, as far as that can be known without starting it. */
export async function agentObstacle(id: ProviderChoice['id'], env: CliContext['env']): Promise<Check | null> {
  if (id === 'custom') return null;
  const [check] = await checkAgent(id, env);
  return check === undefined || check.state === 'good' ? null : check;
}

export async function checkTool(
  name: string,
  args: readonly string[],
  advice: string,
  env: CliContext['env'],
): Promise<Check> {
  const file = findOnPath(name, env.PATH ?? '');
  if (file === null) return {name, state: 'missing', found: 'not installed', advice};
  try {
    const {stdout} = await promisify(execFile)(file, args, {timeout: 10_000, env: {...env}});
    return {name, state: 'good', found: `${stdout.trim().split('\n')[0] ?? ''}  ${file}`};
  } catch (error) {
    return {name, state: 'wrong', found: `${file} does not run: ${messageOf(error).split('\n')[0]}`, advice};
  }
}
