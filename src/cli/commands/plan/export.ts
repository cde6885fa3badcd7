import path from 'node:path';
import {Command, Option} from 'commander';
import {counted} from '../../../machines/policies/text/counted.ts';
import {displayLine, displayText} from '../../../machines/policies/text/display-text.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {Cli} from '../../cli.ts';
import {printableJson} from '../../terminal/printable-json.ts';

const exporters = {
  md: async (plan: Plan) =>
    (await import('../../../machines/policies/exchange/markdown-plan.ts')).markdownPlan(plan),
  mermaid: async (plan: Plan) =>
    (await import('../../../machines/policies/exchange/mermaid-plan.ts')).mermaidPlan(plan),
  json: async ({items, ...root}: Plan) => printableJson({...root, items: Object.fromEntries(items)}, 2),
  csv: async (plan: Plan) => (await import('../../../machines/policies/exchange/csv-plan.ts')).csvPlan(plan),
} as const;

type Options = {format: keyof typeof exporters; output?: string; force?: true};

export function exportCommand(cli: Cli): Command {
  return new Command('export')
    .summary('print the plan as Markdown, a Mermaid chart, JSON or CSV')
    .addOption(
      new Option('--format <format>', 'the format')
        .choices(Object.keys(exporters))
        .default('md' satisfies Options['format']),
    )
    .option('--output <file>', 'write to this file instead of printing')
    .option('--force', 'replace the file')
    .addHelpText(
      'after',
      `
\`plan import\` reads md and csv back: existing tasks are updated, their statuses stay.

Examples:
  $ blackbird plan export > PLAN.md
  $ blackbird plan export --format mermaid --output plan.mmd
  $ blackbird plan export --format csv --output plan.csv --force`,
    )
    .action(async ({format, output, force}: Options, command: Command) => {
      const {plans} = await cli.project(command);
      const plan = await plans.read();
      const text = await exporters[format](plan);
      if (output === undefined) {
        if (cli.isJson(command) && format !== 'json') cli.print(command, {format, text}, '');
        else cli.context.out(format === 'json' ? text : displayText(text));
        return;
      }
      const file = path.resolve(cli.folder(command), output);
      const {writeExport} = await import('../../../services/stores/export-file.ts');
      await writeExport(file, `${text}\n`, {force: force === true});
      const data = {format, file, tasks: plan.items.size};
      cli.print(command, data, () => `wrote ${displayLine(file)}: ${counted(plan.items.size, 'task')}`);
    });
}
