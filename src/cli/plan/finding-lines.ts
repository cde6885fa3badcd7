import {type Finding, severities} from '../../machines/policies/plan/lint-finding.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Cli} from '../cli.ts';
import {folded} from '../terminal/fold.ts';
import {painter} from '../terminal/paint.ts';

export function countsOf(findings: readonly Finding[]) {
  return Object.fromEntries(
    severities.map((severity) => [severity, findings.filter((each) => each.severity === severity).length]),
  );
}

const styles = {blocking: 'red', warning: 'yellow', hint: 'dim'} as const;

/** Each task once, with its findings. */
export function findingLines(cli: Cli, findings: readonly Finding[]): string[] {
  const paint = painter(cli.context.stdout);
  const lines = findings.flatMap(({severity, code, taskId, message, suggestion}, index) => [
    ...(findings[index - 1]?.taskId === taskId ? [] : [displayLine(taskId)]),
    `  ${paint(styles[severity], severity)}  ${displayLine(message)}`,
    `    ${displayLine(suggestion)}  ${paint('dim', `(${code})`)}`,
  ]);
  const counts = Object.entries(countsOf(findings)).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}${count > 1 && name !== 'blocking' ? 's' : ''}`] : [],
  );
  return [...lines, counts.join(' · ')].map((line) => folded(line, cli.context.stdout.columns));
}
