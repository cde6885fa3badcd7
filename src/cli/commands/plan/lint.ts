import {Command} from 'commander';
import {resolveConfig, settingOf} from '../../../machines/policies/config-resolution.ts';
import {isBlocking, lintPlan} from '../../../machines/policies/plan/plan-lint.ts';
import type {Cli} from '../../cli.ts';
import {exitCodes} from '../../exit-codes.ts';
import {countsOf, findingLines} from '../../plan/finding-lines.ts';

export function lintCommand(cli: Cli): Command {
  return new Command('lint')
    .summary('find what would make an agent guess, and how to fix it')
    .addHelpText(
      'after',
      `
Looks at every leaf that is not done or skipped. Exit code 3 while something is blocking.

Examples:
  $ blackbird plan lint
  $ blackbird plan lint --json`,
    )
    .action(async (_options, command: Command) => {
      const {plans, config} = await cli.project(command);
      const verify = settingOf(resolveConfig(await config.layers()), 'execution.verify');
      const findings = lintPlan(await plans.read(), {verify});
      cli.print(command, {findings, counts: countsOf(findings)}, () =>
        findings.length === 0 ? 'OK' : findingLines(cli, findings).join('\n'),
      );
      if (findings.some(isBlocking)) cli.exitCode = exitCodes.taskFailed;
    });
}
