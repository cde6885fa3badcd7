import {createAgentSelection} from '../../services/agents/agent-selection.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import {customCommandIn} from '../../services/contracts/provider-table.ts';
import type {ProjectFolder} from '../../services/stores/project-folder.ts';
import {agentsOnPath} from '../../services/system/executables.ts';
import type {CliContext} from '../context.ts';
import {chooseProvider} from './provider-choice.ts';

/** The provider for the next job. A broken saved choice does not matter if an agent is named explicitly. */
export async function chooseAgent({
  folder,
  env,
  agent,
}: {
  readonly folder: ProjectFolder;
  readonly env: CliContext['env'];
  readonly agent?: string | undefined;
}): Promise<ProviderChoice> {
  const {BLACKBIRD_AGENT_PROVIDER: environment} = env;
  const customCommand = customCommandIn(env);
  const isNamed = agent !== undefined || customCommand !== null || Boolean(environment);
  const saved = isNamed ? null : await createAgentSelection(folder.agentFile).read();
  const installed = () => agentsOnPath(env.PATH ?? '');
  return chooseProvider({option: agent, customCommand, environment, saved, installed});
}
