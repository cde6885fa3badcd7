import {Argument, Command} from 'commander';
import {chosenBy, type ProviderChoice} from '../../services/contracts/project.ts';
import {providerNames, providerTable} from '../../services/contracts/provider-table.ts';
import {cutStart} from '../../ui/text/fit.ts';
import type {Cli} from '../cli.ts';
import {requireProviderId} from '../job/provider-choice.ts';
import {renderTable} from '../terminal/table.ts';

export function agentsCommand(cli: Cli): Command {
  const use = new Command('use')
    .summary('choose the agent of this project')
    .addArgument(new Argument('<provider>', providerNames))
    .action(async (text: string, _options, command: Command) => {
      const id = requireProviderId(text);
      const {folder} = await cli.project(command);
      const {createAgentSelection} = await import('../../services/agents/agent-selection.ts');
      const {ensureStateFolder} = await import('../../services/stores/project-folder.ts');
      await ensureStateFolder(folder);
      await createAgentSelection(folder.agentFile).save(id);
      cli.print(
        command,
        {provider: id},
        `${id} runs the tasks of this project from now on (kept in .blackbird/agent.json, which git ignores)`,
      );
      const {install} = providerTable[id];
      const {agentsOnPath} = await import('../../services/system/executables.ts');
      const isThere = install === null || agentsOnPath(cli.context.env.PATH ?? '').includes(id);
      if (!isThere) cli.context.err(`warning: ${id} is not installed: ${install}`);
    });

  return new Command('agents')
    .summary('which agents are installed, what they can do, and which one is used')
    .addCommand(use)
    .action(async (_options, command: Command) => {
      const {folder} = await cli.project(command);
      const {listAgents} = await import('../setup/agent-list.ts');
      const agents = await listAgents({folder, env: cli.context.env});
      cli.print(command, {agents}, () => {
        const table = renderTable(
          [
            {title: ''},
            {title: 'AGENT'},
            {title: 'VERSION'},
            {title: 'WHERE', shrinks: 'last', cut: cutStart},
            {title: 'CAN', shrinks: 'first'},
          ],
          agents.map(({chosen, id, installed, version, capabilities, where}) => [
            isUsed(chosen) ? '*' : ' ',
            id,
            {text: installed ? version : 'not installed', style: installed ? 'green' : 'dim'},
            where,
            capabilities.join(', '),
          ]),
          cli.context.stdout,
        );
        // Below the table, where no narrow terminal cuts them.
        const missing = agents.flatMap(({id, install}) =>
          install === null ? [] : [`Install ${id} with: ${install}`],
        );
        const used = agents.flatMap(({id, chosen}) =>
          isUsed(chosen) ? [`* ${id}: ${chosenText(chosen)}`] : [],
        );
        const isNone = agents.some(({chosen}) => chosen === 'none');
        const none = isNone ? ['No agent for real work is installed yet.'] : [];
        return [table, ...used, ...none, ...missing].join('\n');
      });
    });
}

/** `none`: the default, were it installed. */
function isUsed(
  chosen: ProviderChoice['source'] | null,
): chosen is Exclude<ProviderChoice['source'], 'none'> {
  return chosen !== null && chosen !== 'none';
}

function chosenText(chosen: ProviderChoice['source']): string {
  if (chosen === 'saved') return 'chosen in .blackbird/agent.json';
  return chosen === 'default' ? 'the default; choose with: blackbird agents use <agent>' : chosenBy[chosen];
}
