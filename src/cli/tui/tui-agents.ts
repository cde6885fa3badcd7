import {createAgentSelection} from '../../services/agents/agent-selection.ts';
import {type LoginState, loginState} from '../../services/agents/login-state.ts';
import {type NativeProviderId, providerTable} from '../../services/contracts/provider-table.ts';
import {ensureStateFolder} from '../../services/stores/project-folder.ts';
import type {AgentRow, TuiPorts} from '../../ui/ports.ts';
import type {Project} from '../composition.ts';
import type {CliContext} from '../context.ts';
import {chooseAgent} from '../job/choose-agent.ts';
import {type ListedAgent, listAgents} from '../setup/agent-list.ts';

/** The TUI's agents: the list of `blackbird agents`, the choice of `blackbird agents use`. */
export function createAgentPorts(
  {folder}: Project,
  env: CliContext['env'],
): Pick<TuiPorts, 'agents' | 'chooseAgent'> {
  return {
    agents: async () => {
      const listed = await listAgents({folder, env});
      return Promise.all(
        listed.flatMap(({id, ...agent}) => (id === 'custom' ? [] : [rowOf(id, agent, env)])),
      );
    },
    chooseAgent: async (id) => {
      await ensureStateFolder(folder);
      await createAgentSelection(folder.agentFile).save(id);
      return chooseAgent({folder, env});
    },
  };
}

async function rowOf(
  id: NativeProviderId,
  {installed, version, where}: Omit<ListedAgent, 'id'>,
  env: CliContext['env'],
): Promise<AgentRow> {
  const {title, install} = providerTable[id];
  if (!installed) return {id, title, installed, state: `not installed: ${install ?? where}`};
  const login = loginText(id, await loginState(id, where, env));
  return {id, title, installed, state: [version, login].filter((part) => part !== '').join(' · ')};
}

function loginText(id: NativeProviderId, state: LoginState): string {
  const {login} = providerTable[id];
  if (login === null) return 'needs no account';
  if (state === 'loggedOut') return `not logged in: ${login}`;
  return state === 'loggedIn' ? 'logged in' : '';
}
