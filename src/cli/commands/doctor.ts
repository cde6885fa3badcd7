import {Command} from 'commander';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Cli} from '../cli.ts';
import {exitCodes} from '../exit-codes.ts';
import type {Check} from '../setup/check.ts';
import {type Paint, painter} from '../terminal/paint.ts';

export function doctorCommand(cli: Cli): Command {
  return new Command('doctor')
    .summary('see what is installed, what is wrong and how to fix it')
    .action(async (_options, command: Command) => {
      const {runChecks} = await import('../setup/doctor-checks.ts');
      const checks = await runChecks({
        project: await cli.project(command),
        env: cli.context.env,
        home: await cli.home(),
      });
      cli.print(command, {ok: !checks.some(({state}) => state === 'wrong'), checks}, () =>
        renderChecks(checks, painter(cli.context.stdout)),
      );
      if (checks.some(({state}) => state === 'wrong')) cli.exitCode = exitCodes.error;
    });
}

const marks = {
  good: ['green', '✓ ok   '],
  missing: ['yellow', '○ none '],
  wrong: ['red', '✗ wrong'],
} as const satisfies Record<Check['state'], readonly [string, string]>;

export function renderChecks(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(...checks.map(({name}) => name.length));
  return checks
    .flatMap(({name, state, found, advice}) => {
      const [style, mark] = marks[state];
      const line = `${paint(style, mark)}  ${name.padEnd(width)}  ${displayLine(found)}`;
      return advice === undefined
        ? [line]
        : [line, `${' '.repeat(width + 11)}${paint('dim', displayLine(advice))}`];
    })
    .join('\n');
}
