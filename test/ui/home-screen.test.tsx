import {describe, expect, test} from 'vitest';
import {newDraft} from '../../src/machines/policies/planning/plan-draft.ts';
import {pausedRun} from '../fakes/runs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {tuiProject} from './tui-project.tsx';

const noAgent = {provider: {id: 'claude', source: 'none'}, isAgentInstalled: false} as const;
const goneAgent = {provider: {id: 'codex', source: 'saved'}, isAgentInstalled: false} as const;

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
      data: noAgent,
      seen: / no agent · 0\/1 done/,
    },
    {
      name: 'no agent at all and a ready task',
      data: noAgent,
      seen: 'No agent is installed: w shows how to install one. Then e runs the tasks.',
    },
    {
      name: 'no agent at all and no plan',
      data: {...noAgent, plan: {type: 'none'} as const},
      seen: 'No agent is installed: w shows how to install one. c creates an empty plan.',
    },
    {
      name: 'no agent at all and an empty plan',
      data: {...noAgent, plan: {type: 'plan', plan: planOf()} as const},
      seen: 'No agent is installed: w shows how to install one. enter opens the plan, a',
    },
    {name: 'a chosen agent that is gone', data: goneAgent, seen: 'Agent  codex  not installed'},
    {
      name: 'a chosen agent that is gone and a ready task',
      data: goneAgent,
      seen: 'Codex is not installed: w shows how to install it, and what else there is.',
    },
    {
      name: 'an unknown agent',
      data: {provider: {problem: 'unsupported agent'}},
      seen: 'unsupported agent',
    },
  ])('$name', ({data, seen}) => {
    expect(tuiProject({plan: planOf(task('a')), data}).screen()).toMatch(seen);
  });

  test.each([
    {name: 'no agent', data: noAgent, why: 'P: no agent is installed: w shows how to install one'},
    {
      name: 'an agent that is gone',
      data: goneAgent,
      why: 'P: codex is not installed: w shows how to install',
    },
  ])('$name: planning is refused before anything is typed, and w leads', async ({data, why}) => {
    const {press, sees, screen, lines} = tuiProject({plan: planOf(task('a')), data});
    expect(lines().at(-1)).toMatch(/w install an agent/);
    expect(screen()).not.toContain('plan with your agent');
    press('P');
    await sees(why);
    press('w');
    await sees(/❯ claude +Claude Code +2\.1\.0/);
  });

  test('without an agent, a proposal that was left can still be read', async () => {
    const {press, sees, tui, services} = tuiProject({plan: planOf(task('a')), data: noAgent});
    const draft = newDraft({kind: 'generate', text: 'A page that greets', taskIds: []}, 'd1', now);
    await services.planDrafts.save(draft);
    // The first reading of the drafts, which found none, is over.
    await new Promise(setImmediate);
    tui.patch({planDrafts: [draft]});
    press('P');
    await sees(/Something new +no agent is installed: w shows how to install one/);
    await sees('❯ Continue: A page that greets');
  });
});
