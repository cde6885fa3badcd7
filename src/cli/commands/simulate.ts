import {Command, InvalidArgumentError} from 'commander';
import {emptyPlanText} from '../../machines/policies/plan/empty-plan.ts';
import type {LimitWindow} from '../../machines/policies/simulation/quota.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {type Cli, countingNumber, wholeNumber} from '../cli.ts';

type Options = {
  seed: number;
  fail: number;
  ask: number;
  limit?: LimitWindow;
  runs: number;
  minutes?: number;
  cost?: number;
};

export function simulateCommand(cli: Cli): Command {
  return new Command('simulate')
    .summary('simulate running the plan overnight, without starting an agent')
    .option('--seed <n>', 'the same seed gives the same nights', wholeNumber, 1)
    .option('--fail <percent>', 'how many tasks fail, such as 10%', percent, 0)
    .option('--ask <percent>', 'how many tasks ask a question, such as 5%', percent, 0)
    .option('--limit <time+length>', 'a daily window without quota, such as 14:00+2h', limitWindow)
    .option('--runs <n>', 'how many nights', nightCount, 100)
    .option('--minutes <n>', 'how long a task takes (default: taken from the runs of this project)', amount)
    .option('--cost <dollars>', 'what a task costs (default: taken from the runs of this project)', amount)
    .addHelpText(
      'after',
      `
Plays the plan with the state machines of "execute", scripted agents and a clock that never waits. Shows the order, where a person is needed, how long it takes and what it costs. Nothing is started or written.

Examples:
  $ blackbird simulate
  $ blackbird simulate --fail 10% --ask 5% --runs 1000
  $ blackbird simulate --limit 14:00+2h --minutes 12 --cost 0.40 --json`,
    )
    .action(async ({seed, fail, ask, limit, runs, minutes, cost}: Options, command: Command) => {
      const project = await cli.project(command);
      const {runSimulation} = await import('../simulate/run-simulation.ts');
      const {simulationLines} = await import('../../machines/policies/simulation/summary.ts');
      const {withProgress} = await import('../terminal/with-progress.ts');
      let progress = 'simulating …';
      const {isPlanEmpty, simulation, nights, history} = await withProgress(
        cli.context,
        () => progress,
        () =>
          runSimulation(project, {
            seed,
            fail,
            ask,
            limit: limit ?? null,
            nights: runs,
            now: cli.context.now(),
            onProgress: (started, total) => {
              progress = `simulating: ${started} of ${counted(total, 'agent')}`;
            },
            ...(minutes === undefined ? {} : {minutes}),
            ...(cost === undefined ? {} : {cost}),
          }),
      );
      const source =
        history > 0
          ? `${counted(history, 'run')} of this project`
          : minutes === undefined
            ? 'a guess of 10 minutes a task'
            : 'what you gave';
      const data = {...simulation, seed, history, each: nights.map(({order: _order, ...night}) => night)};
      const lines = () => [
        ...simulationLines(simulation, nights, cli.context.stdout.columns),
        '',
        `${counted(simulation.nights, 'night')} (seed ${seed}), ${simulation.checked} played by the machines themselves; times from ${source}.`,
      ];
      cli.print(command, data, () => (isPlanEmpty ? emptyPlanText : lines().join('\n')));
    });
}

function percent(text: string): number {
  const number = /^\d{1,3}(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (!(number <= 100)) throw new InvalidArgumentError('It must be from 0% to 100%.');
  return number / 100;
}

function amount(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

function nightCount(text: string): number {
  const number = countingNumber(text);
  if (number > 10_000) throw new InvalidArgumentError('It must be at most 10000.');
  return number;
}

function limitWindow(text: string): LimitWindow {
  const [, hour, minute, length, unit] = /^(\d{1,2}):(\d{2})\+(\d{1,4})(h|m)$/.exec(text) ?? [];
  const minutes = Number(length) * (unit === 'h' ? 60 : 1);
  const isTime = Number(hour) < 24 && Number(minute) < 60;
  if (!isTime || !(minutes > 0 && minutes < 24 * 60)) {
    throw new InvalidArgumentError('It must be a time and a length of less than a day, such as 14:00+2h.');
  }
  return {fromMinute: Number(hour) * 60 + Number(minute), minutes};
}
