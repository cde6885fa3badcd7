import {existsSync} from 'node:fs';
import {probeProvider} from '../../services/agents/probe.ts';
import {createProbeCache} from '../../services/agents/probe-cache.ts';
import {findProvider} from '../../services/agents/providers.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import {
  customCommandIn,
  type ProviderId,
  providerIds,
  providerTable,
} from '../../services/contracts/provider-table.ts';
import {ensureStateFolder, type ProjectFolder} from '../../services/stores/project-folder.ts';
import type {CliContext} from '../context.ts';
import {chooseAgent} from '../job/choose-agent.ts';

export type ListedAgent = {
  readonly id: ProviderId;
  readonly installed: boolean;
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly where: string;
  /** The command that installs it; null if it is installed. */
  readonly install: string | null;
  /** Why it is the one in use; null for the others. */
  readonly chosen: ProviderChoice['source'] | null;
};

export async function listAgents({
  folder,
  env,
}: {
  folder: ProjectFolder;
  env: CliContext['env'];
}): Promise<ListedAgent[]> {
  const choice = await chooseAgent({folder, env});
  // Looking must not make a project of a folder. In one that is there, a link is refused before anything is written.
  const isProject = existsSync(folder.stateFolder);
  if (isProject) await ensureStateFolder(folder);
  const cache = isProject ? {cache: createProbeCache(folder.agentCacheFile)} : {};
  const agents: ListedAgent[] = [];
  for (const id of providerIds) {
    const probe = await probeProvider(findProvider(id), {env, ...cache});
    const chosen = choice.id === id ? choice.source : null;
    if (!probe.installed) {
      const {install} = providerTable[id];
      agents.push({
        id,
        installed: false,
        version: '',
        capabilities: [],
        where: probe.reason,
        install,
        chosen,
      });
      continue;
    }
    const {version, fullAuto, outputSchema, chosenSession} = probe.capabilities;
    const capabilities = [
      'resume',
      ...(outputSchema ? ['structured answers'] : []),
      ...(chosenSession ? ['chosen session'] : []),
      ...(fullAuto ? ['full-auto'] : []),
    ];
    agents.push({id, installed: true, version, capabilities, where: probe.path, install: null, chosen});
  }
  const customCommand = customCommandIn(env);
  if (customCommand !== null) {
    const custom = {id: 'custom', installed: true, version: '-', capabilities: []} as const;
    agents.push({...custom, where: customCommand, install: null, chosen: choice.source});
  }
  return agents;
}
