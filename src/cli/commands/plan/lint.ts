import {Command} from 'commander';
import {resolveConfig, settingOf} from '../../../machines/policies/config-resolution.ts';
import {isBlocking, lintPlan} from '../../../machines/policies/plan/plan-lint.ts';
import type {Cli} from '../../cli.ts';
import {exitCodes} from '../../exit-codes.ts';
import {countsOf, findingLines} from '../../plan/finding-lines.ts';

export function lintCommand(cli: Cli): Command {
  return new Command('lint')
    .summary('find what an agent would have to guess, and how to fix it')
    .addHelpText(
      'after',
      `
Checks every leaf that is not done or skipped. Blocking means that an agent would have to guess: plan generate --yes does not save such a proposal, and lint ends with exit code 3. execute runs the task anyway.

Examples:
  $ blackbird plan lint
  $ blackbird plan lint --json`,
    )
    .action(async (_options, command: Command) => {
      const {plans, config} = await cli.project(command);
      const verify = settingOf(resolveConfig(await config.layers()), 'execution.verify');
      const findings = lintPlan(await plans.read(), {verify});
      const isBlocked = findings.some(isBlocking);
      cli.print(command, {findings, counts: countsOf(findings)}, () =>
        findings.length === 0
          ? 'OK'
          : [...findingLines(cli, findings), ...(isBlocked ? [blockingWords] : [])].join('\n'),
      );
      if (isBlocked) cli.exitCode = exitCodes.taskFailed;
    });
}

/** "Blocking" alone does not say what is blocked. */
const blockingWords =
  'Blocking: an agent would have to guess. execute runs these tasks anyway; --yes would not save them.';
