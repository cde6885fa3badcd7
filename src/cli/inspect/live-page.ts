import type {Command} from 'commander';
import type {Cli} from '../cli.ts';
import {printableJson} from '../terminal/printable-json.ts';
import type {InspectChoice} from './inspect-option.ts';
import type {LivePage} from './inspect-page.ts';

/** A command that opens several engines, as `resume --execute` does, shows them on one page. */
const pages = new WeakMap<Cli, Promise<LivePage>>();

/** Starts serving the machines of this process and prints the address. */
export function livePage(cli: Cli, command: Command, choice: InspectChoice): Promise<LivePage> {
  const served = pages.get(cli) ?? serveLivePage(cli, command, choice);
  pages.set(cli, served);
  return served;
}

async function serveLivePage(cli: Cli, command: Command, choice: InspectChoice): Promise<LivePage> {
  const project = await cli.project(command);
  const {startLiveInspection} = await import('./inspect-page.ts');
  const {version, now, out, err} = cli.context;
  const page = await startLiveInspection({
    project,
    choice,
    what: command.parent ? command.name() : 'terminal UI',
    version,
    now,
  });
  if (cli.isJson(command)) out(printableJson({event: 'inspector.started', url: page.url}));
  else err(`Inspect: ${page.url}`);
  return page;
}
