import {describe, expect, test} from 'vitest';
import {machineNight} from '../../src/cli/simulate/machine-night.ts';
import {drawer, samplesAround} from '../../src/machines/policies/simulation/draws.ts';
import {endOf, nightBoard, playNight} from '../../src/machines/policies/simulation/night.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {family, planOf, promptly, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const start = new Date(2026, 0, 5, 12, 0).getTime();
const quiet = {parentReview: true, stopOnFailure: false, stopAfterEachTask: false, retries: 0, limit: null};

const sample = planOf(
  family(task('p'), task('a'), task('b', {deps: ['a']}), family(task('q'), task('c', {deps: ['d']}))),
  task('d'),
  task('e', {deps: ['p']}),
  task('f', {deps: ['q', 'b']}),
);

/** Families of ten, each waiting for something of the one before. */
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

describe('a night by the rules is a night of the machines', () => {
  test.each([
    {name: 'when all goes well', odds: {fail: 0, ask: 0}, settings: {}},
    {name: 'with failures', odds: {fail: 0.3, ask: 0}, settings: {}},
    {name: 'with questions', odds: {fail: 0, ask: 0.3}, settings: {}},
    {name: 'with both and retries', odds: {fail: 0.3, ask: 0.1}, settings: {retries: 2}},
    {name: 'that stops at the first failure', odds: {fail: 0.3, ask: 0}, settings: {stopOnFailure: true}},
    {name: 'that stops after each task', odds: {fail: 0.3, ask: 0}, settings: {stopAfterEachTask: true}},
    {name: 'without parent reviews', odds: {fail: 0.2, ask: 0}, settings: {parentReviewEnabled: false}},
  ])('$name', async ({odds, settings}) => {
    for (let number = 0; number < 6; number++) {
      const drawOf = drawer({...odds, samples: samplesAround(10, 1)}, 7, number);
      const {parentReviewEnabled = true, ...others} = settings as {parentReviewEnabled?: boolean};
      const rules = {...quiet, parentReview: parentReviewEnabled, ...others};
      const lived = await machineNight({
        plan: sample,
        settings: [{name: 'project', file: 'config.json', content: {execution: settings}}],
        agent: {id: 'demo', source: 'default'},
        limit: null,
        drawOf,
        start,
      });
      expect(lived).toEqual(playNight(nightBoard(sample), rules, drawOf, start));
    }
  });

  test('with a limit in the afternoon: the same tasks, and the rest is waited out', async () => {
    const limit = {fromMinute: 12 * 60 + 5, minutes: 120};
    const drawOf = drawer({fail: 0, ask: 0, samples: [{minutes: 10, costUsd: 0}]}, 1, 0);
    const lived = await machineNight({
      plan: sample,
      settings: [],
      agent: {id: 'demo', source: 'default'},
      limit,
      drawOf,
      start,
    });
    const played = playNight(nightBoard(sample), {...quiet, limit}, drawOf, start);
    expect([lived.order, lived.reason]).toEqual([played.order, played.reason]);
    expect(played.milliseconds).toBe((8 * 10 + 120) * 60_000);
    // The machines wait a little longer than they must.
    expect(lived.milliseconds - played.milliseconds).toBeGreaterThanOrEqual(0);
    expect(lived.milliseconds - played.milliseconds).toBeLessThan(10 * 60_000);
  });
});

test.each([
  {name: 'before the limit', from: 0, minutes: 10, expected: 10},
  {name: 'across it', from: 0, minutes: 100, expected: 220},
  {name: 'inside of it', from: 90, minutes: 10, expected: 190},
  {name: 'at its end', from: 180, minutes: 10, expected: 190},
])('work $name', ({from, minutes, expected}) => {
  const limit = {fromMinute: 13 * 60, minutes: 120};
  expect((endOf(start + from * 60_000, minutes * 60_000, limit) - start) / 60_000).toBe(expected);
});

test('a thousand nights of two hundred tasks take seconds', () => {
  const board = nightBoard(large(200));
  const nights = promptly(
    () =>
      Array.from({length: 1_000}, (_, number) =>
        playNight(board, quiet, drawer({fail: 0.1, ask: 0, samples: samplesAround(10, 1)}, 1, number), start),
      ),
    10_000,
  );
  expect(new Set(nights.map(({milliseconds}) => milliseconds)).size).toBeGreaterThan(500);
});

describe('simulate', () => {
  test('tells order, people, time and cost; the same seed tells the same', async () => {
    const project = cliProject(sample);
    const args = [
      'simulate',
      '--runs',
      '20',
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
    expect(data).toMatchObject({nights: 20, seed: 3, history: 0});
    // The first two, and one for each other way in which a night ended.
    const ends = data.each.map(({reason}) => reason);
    const others = new Set(ends.slice(2).filter((end) => !ends.slice(0, 2).includes(end)));
    expect([...new Set(ends)].sort()).toEqual(['completed', 'waiting_user']);
    expect(data.checked).toBe(2 + others.size);
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });

  test('draws for a terminal, and names what can never begin', async () => {
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
      out: 'The plan is empty. Plan with your agent: blackbird plan generate; or add a task: blackbird add\n',
    });
  });

  test('counts the nights in which all was done apart from those in which something failed', async () => {
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
