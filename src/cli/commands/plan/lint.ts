import {Command} from 'commander';
import {type Finding, isBlocking, lintPlan, severities} from '../../../machines/policies/plan/plan-lint.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import type {Cli} from '../../cli.ts';
import {exitCodes} from '../../exit-codes.ts';
import {painter} from '../../terminal/paint.ts';

export function lintCommand(cli: Cli): Command {
  return new Command('lint')
    .summary('find what would make an agent guess, and how to mend it')
    .addHelpText(
      'after',
      `
Looks at every leaf that is not done or skipped. Exit code 3 while something is blocking.

Examples:
  blackbird plan lint
  blackbird plan lint --json`,
    )
    .action(async (_options, command: Command) => {
      const {plans} = await cli.project(command);
      const findings = lintPlan(await plans.read());
      cli.print(command, {findings, counts: countsOf(findings)}, () => linesOf(cli, findings).join('\n'));
      if (findings.some(isBlocking)) cli.exitCode = exitCodes.taskFailed;
    });
}

function countsOf(findings: readonly Finding[]) {
  return Object.fromEntries(
    severities.map((severity) => [severity, findings.filter((each) => each.severity === severity).length]),
  );
}

const styles = {blocking: 'red', warning: 'yellow', hint: 'dim'} as const;

/** Each task once, with what was found in it. */
function linesOf(cli: Cli, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['OK'];
  const paint = painter(cli.context.stdout);
  const lines = findings.flatMap(({severity, code, taskId, message, suggestion}, index) => [
    ...(findings[index - 1]?.taskId === taskId ? [] : [displayLine(taskId)]),
    `  ${paint(styles[severity], severity)}  ${displayLine(message)}  ${paint('dim', code)}`,
    `    ${displayLine(suggestion)}`,
  ]);
  const counts = Object.entries(countsOf(findings)).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}`] : [],
  );
  return [...lines, counts.join(' · ')];
}
