import {Command} from 'commander';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Cli} from '../cli.ts';
import type {Surface} from '../context.ts';
import {exitCodes} from '../exit-codes.ts';
import type {Check} from '../setup/check.ts';
import {folded} from '../terminal/fold.ts';
import {painter} from '../terminal/paint.ts';

export function doctorCommand(cli: Cli): Command {
  return new Command('doctor')
    .summary('see what is installed, what is wrong and how to fix it')
    .action(async (_options, command: Command) => {
      const {runChecks} = await import('../setup/doctor-checks.ts');
      const {stdout, out, env} = cli.context;
      const checks: Check[] = [];
      const running = runChecks({project: await cli.project(command), env, home: await cli.home()});
      for await (const check of running) {
        checks.push(check);
        if (!cli.isJson(command)) out(renderChecks([check], stdout, widestName));
      }
      const ok = !checks.some(({state}) => state === 'wrong');
      cli.print(command, {ok, checks}, '');
      if (!ok) cli.exitCode = exitCodes.error;
    });
}

const widestName = 'repository'.length;

const marks = {
  good: ['green', '✓ ok   '],
  missing: ['yellow', '○ none '],
  wrong: ['red', '✗ wrong'],
} as const satisfies Record<Check['state'], readonly [string, string]>;

export function renderChecks(
  checks: readonly Check[],
  surface: Surface,
  width = Math.max(...checks.map(({name}) => name.length)),
): string {
  const paint = painter(surface);
  const before = width + 11;
  const fitted = (text: string) => folded(displayLine(text), surface.columns - before);
  return checks
    .flatMap(({name, state, found, advice}) => {
      const [style, mark] = marks[state];
      const [first = '', ...more] = fitted(found).split('\n');
      const below = advice === undefined ? [] : fitted(advice).split('\n');
      return [
        `${paint(style, mark)}  ${name.padEnd(width)}  ${first}`,
        ...more.map((line) => `${' '.repeat(before)}${line}`),
        ...below.map((line) => `${' '.repeat(before)}${paint('dim', line)}`),
      ];
    })
    .join('\n');
}
