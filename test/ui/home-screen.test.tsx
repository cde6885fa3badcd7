import {describe, expect, test} from 'vitest';
import {pausedRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {tuiProject} from './tui-project.tsx';

const noAgent = {id: 'claude', source: 'none'} as const;

describe('home', () => {
  test('shows the state of the plan and what comes next', async () => {
    const {screen} = tuiProject({
      plan: planOf(task('a', {status: 'done'}), task('b'), task('c', {deps: ['b']})),
    });
    expect(screen()).toContain('33%  1 of 3 tasks done');
    expect(screen()).toContain('○ 1 ready');
    expect(screen()).toContain('⊘ 1 waiting for others');
    expect(screen()).toContain('e runs the ready tasks');
  });

  test('all of its keys are in the last line of 80 columns', () => {
    expect(
      tuiProject({plan: planOf(task('a'))})
        .lines()
        .at(-1),
    ).toBe(' e execute  P plan by agent  enter plan  , settings  S sessions  ? help  q quit');
  });

  test('a paused task comes first', () => {
    const {screen} = tuiProject({
      plan: planOf(task('a', {status: 'in_progress'}), task('b')),
      runs: [pausedRun()],
    });
    expect(screen()).toContain('A task is paused: enter, then u continues its session.');
  });

  test.each([
    {name: 'no plan', data: {plan: {type: 'none'} as const}, seen: 'c creates an empty plan'},
    {
      name: 'an unusable plan',
      data: {plan: {type: 'problem', lines: ['$.items["x"].status: invalid status "doing"']} as const},
      seen: 'invalid status "doing"',
    },
    {name: 'another process at work', data: {otherEngine: 4711}, seen: 'Process 4711 is working on the plan'},
    {
      name: 'no agent at all',
      data: {provider: noAgent},
      seen: 'claude  not installed, nor is any other agent: w shows what to install',
    },
    {
      name: 'no agent at all and a ready task',
      data: {provider: noAgent},
      seen: 'No agent is installed: w shows how to install one. Then e runs the tasks.',
    },
    {
      name: 'no agent at all and no plan',
      data: {provider: noAgent, plan: {type: 'none'} as const},
      seen: 'No agent is installed: w shows how to install one. c creates an empty plan.',
    },
    {
      name: 'no agent at all and an empty plan',
      data: {provider: noAgent, plan: {type: 'plan', plan: planOf()} as const},
      seen: 'No agent is installed: w shows how to install one. enter opens the plan, a',
    },
    {
      name: 'an unknown agent',
      data: {provider: {problem: 'unsupported agent'}},
      seen: 'unsupported agent',
    },
  ])('$name', ({data, seen}) => {
    expect(tuiProject({plan: planOf(task('a')), data}).screen()).toContain(seen);
  });
});
