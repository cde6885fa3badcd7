import {Command, Option} from 'commander';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {renderTable} from '../terminal/table.ts';

type Format = 'mermaid' | 'ascii' | 'json';

export function machinesCommand(cli: Cli): Command {
  return new Command('machines')
    .summary('list the state machines inside, or draw one of them')
    .argument('[name]', 'one machine (default: all)')
    .addOption(new Option('--format <form>', 'how to draw').choices(['mermaid', 'ascii', 'json']))
    .action(async (name: string | undefined, options: {format?: Format}, command: Command) => {
      const {machines} = await import('../../machines/machines.ts');
      const {chartOf} = await import('../../machines/policies/inspect/chart.ts');
      const {asciiChart, chartSize, mermaidChart} = await import(
        '../../machines/policies/inspect/chart-text.ts'
      );
      const chosen = machines.filter((known) => name === undefined || known.name === name);
      if (chosen.length === 0) {
        const names = machines.map((known) => known.name).join(', ');
        throw new AppError('E_USAGE', `no machine is called ${JSON.stringify(name)}`, {
          details: [['machines', names]],
        });
      }
      const charts = chosen.map(({about, machine}) => ({about, ...chartOf(machine)}));
      const format = cli.isJson(command) ? 'json' : options.format;
      if (format === 'json')
        cli.context.out(printableJson(name === undefined ? {machines: charts} : charts[0], 2));
      else if (format === 'mermaid') cli.context.out(charts.map(mermaidChart).join('\n\n'));
      else if (format === 'ascii' || name !== undefined) cli.context.out(charts.map(asciiChart).join('\n\n'));
      else {
        const rows = charts.map((chart) => {
          const {states, transitions} = chartSize(chart);
          return [chart.id, String(states), String(transitions), {text: chart.about, style: 'dim'} as const];
        });
        const columns = [
          {title: 'MACHINE'},
          {title: 'STATES'},
          {title: 'TRANSITIONS'},
          {title: 'OWNS', shrinks: 'first'} as const,
        ];
        cli.context.out(renderTable(columns, rows, cli.context.stdout));
      }
    });
}
