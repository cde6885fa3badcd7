import {describe, expect, test} from 'vitest';
import {openProject} from '../../src/cli/composition.ts';
import {runSimulation} from '../../src/cli/simulate/run-simulation.ts';
import {resolveConfig} from '../../src/machines/policies/config-resolution.ts';
import {drawer, samplesAround} from '../../src/machines/policies/simulation/draws.ts';
import {nightRules, playNight} from '../../src/machines/policies/simulation/night.ts';
import {nightBoard} from '../../src/machines/policies/simulation/night-board.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {family, planOf, promptly, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const start = new Date(2026, 0, 5, 12, 0).getTime();

const sample = planOf(
  family(task('p'), task('a'), task('b', {deps: ['a']}), family(task('q'), task('c', {deps: ['d']}))),
  task('d'),
  task('e', {deps: ['p']}),
  task('f', {deps: ['q', 'b']}),
);

/** Families of ten, each depending on something in the previous one. */
const large = (size: number): Plan =>
  planOf(
    ...Array.from({length: size / 10}, (_, group) =>
      family(
        task(`g${group}`),
        ...Array.from({length: 10}, (_, index) =>
          task(`g${group}-${index}`, {deps: group > 0 && index % 3 === 0 ? [`g${group - 1}-${index}`] : []}),
        ),
      ),
    ),
  );

test('a thousand nights of two hundred tasks take seconds', () => {
  const board = nightBoard(large(200));
  const rules = nightRules(resolveConfig([]), null);
  const nights = promptly(
    () =>
      Array.from({length: 1_000}, (_, number) =>
        playNight(board, rules, drawer({fail: 0.1, ask: 0, samples: samplesAround(10, 1)}, 1, number), start),
      ),
    10_000,
  );
  expect(new Set(nights.map(({milliseconds}) => milliseconds)).size).toBeGreaterThan(500);
});

test.each([
  {name: 'the chosen nights', limit: null},
  {name: 'every night, if only the machines know the rules', limit: {fromMinute: 13 * 60, minutes: 60}},
])('progress counts the agents of $name', async ({limit}) => {
  const {folder: root, home} = cliProject(sample);
  const told: Array<readonly [number, number]> = [];
  const {nights, simulation} = await runSimulation(openProject({root, home, env: {}}), {
    seed: 1,
    fail: 0.3,
    ask: 0,
    nights: 4,
    limit,
    minutes: 30,
    now: new Date(start).toISOString(),
    onProgress: (started, total) => told.push([started, total]),
  });
  const agents = nights.reduce((sum, {order}) => sum + order.length, 0);
  expect(simulation.checked).toBe(4);
  expect(told.map(([started]) => started)).toEqual(Array.from({length: agents}, (_, index) => index + 1));
  expect(told.at(-1)).toEqual([agents, agents]);
});

describe('simulate', () => {
  test('reports order, people, time and cost; the same seed gives the same', async () => {
    const project = cliProject(sample);
    const args = [
      'simulate',
      '--runs',
      '8',
      '--ask',
      '20%',
      '--minutes',
      '10',
      '--cost',
      '0.5',
      '--seed',
      '3',
    ];
    type Data = {readonly each: ReadonlyArray<{readonly reason: string}>; readonly checked: number};
    const data = (await project.json(args)) as Data;
    expect(await project.json(args)).toEqual(data);
    expect(data).toMatchObject({nights: 8, seed: 3, history: 0});
    const ends = data.each.map(({reason}) => reason);
    expect([...new Set(ends)].sort()).toEqual(['completed', 'waiting_user']);
    // With this few tasks the machines run every night.
    expect(data.checked).toBe(8);
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });

  test('draws for a terminal, and names what can never start', async () => {
    const project = cliProject(planOf(task('a'), task('b', {deps: ['x']}), task('x', {status: 'blocked'})));
    const {code, out, err} = await project.run(['simulate', '--runs', '5', '--minutes', '10'], {
      terminal: true,
    });
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out.split('\n').slice(0, 6)).toEqual([
      'The first night:',
      '    1  a',
      '',
      'Critical path: x → b, about 20m00s',
      'All done: 0 of 5 nights',
      'Never begun: b, x',
    ]);
  });

  test('says that a plan is empty', async () => {
    const {code, out} = await cliProject(planOf()).run(['simulate', '--runs', '3']);
    expect({code, out}).toEqual({
      code: 0,
      out: 'The plan is empty. Fill it with: blackbird plan generate, or blackbird add\n',
    });
  });

  test('counts the nights in which all was done apart from those with a failure', async () => {
    const project = cliProject(planOf(task('a'), task('s', {status: 'skipped'})));
    const nights = async (fail: string) =>
      project.json(['simulate', '--runs', '3', '--minutes', '10', '--fail', fail]);
    expect(await nights('0%')).toMatchObject({completed: 3, failed: 0, reasons: {completed: 3}});
    expect(await nights('100%')).toMatchObject({completed: 0, failed: 3, reasons: {completed: 3}});
    const {out} = await project.run(['simulate', '--runs', '3', '--minutes', '10', '--fail', '100%']);
    expect(out).toContain('All done: 0 of 3 nights\nSomething failed: 3 of 3\n');
  });

  test('of tasks that wait for each other is never a night with all done', async () => {
    const circle = planOf(family(task('p'), task('r', {deps: ['q']})), task('q', {deps: ['p']}));
    expect(await cliProject(circle).json(['simulate', '--runs', '3'])).toMatchObject({
      completed: 0,
      neverBegun: ['r', 'q'],
    });
  });

  test.each([
    ['--fail', '120%'],
    ['--limit', '25:00+2h'],
    ['--limit', '14:00'],
    ['--runs', '0'],
    ['--minutes', '-1'],
  ])('refuses %s %s', async (flag, value) => {
    const {code, error} = await cliProject(sample).error(['simulate', flag, value]);
    expect({code, error}).toMatchObject({code: 2, error: {code: 'E_USAGE'}});
  });
});
