import {Command, Option} from 'commander';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';

const formats = ['text', 'md', 'html', 'json'] as const;
type Format = (typeof formats)[number];
type Options = {since?: string; job?: string; format?: Format};

export function reportCommand(cli: Cli): Command {
  return new Command('report')
    .summary('what happened while you were away, and what needs you now')
    .option('--since <time>', 'all jobs since then: 22:00, 8h, 2d, 2026-01-10, 2026-01-10T22:00')
    .addOption(new Option('--job <jobId>', 'this job; the beginning of its id is enough').conflicts('since'))
    .addOption(new Option('--format <format>', 'the format (default: text)').choices(formats))
    .addHelpText(
      'after',
      `
Without --since or --job it covers the last stretch of work: the newest job, and the jobs before it that were followed within an hour or were cut off (Blackbird was killed, a limit was too long to wait for), at most a day back. The exit code is 0 whenever the report could be made.

Examples:
  $ blackbird report                            the morning after
  $ blackbird report --since 22:00
  $ blackbird report --format html > night.html  one file, with the timeline
  $ blackbird report --format md | gh pr comment --body-file -
  $ blackbird report --json | jq -r '.needs_you[].command'`,
    )
    .action(async ({since, job, format: wish}: Options, command: Command) => {
      const isJson = cli.isJson(command);
      if (isJson && wish !== undefined && wish !== 'json') {
        throw new AppError('E_USAGE', `--json and --format ${wish} cannot be combined`);
      }
      const format = isJson ? 'json' : (wish ?? 'text');
      const now = cli.context.now();
      const [{readReport}, {sinceTime}] = await Promise.all([
        import('../report/report-data.ts'),
        import('../../machines/policies/report/job-choice.ts'),
      ]);
      const choice =
        job !== undefined
          ? ({type: 'job', jobId: job} as const)
          : since !== undefined
            ? ({type: 'since', since: sinceTime(since, now)} as const)
            : ({type: 'latest'} as const);
      const report = await readReport(await cli.project(command), choice, now);
      const {renderReport} = await import('../report/render-report.ts');
      cli.context.out(renderReport(report, format, now, cli.context.stdout));
    });
}
