import {describe, expect, test} from 'vitest';
import {type Command, keymaps} from '../../../src/ui/model/commands.ts';
import {whyNot} from '../../../src/ui/model/refusals.ts';
import {pausedRun, restingRun, waitingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {keys, type TuiOptions, tuiProject} from '../tui-project.tsx';

const refusal = (command: Command, options: TuiOptions) => {
  const {tui, press} = tuiProject(options);
  press(keys.enter);
  return whyNot(command, tui.facts(), tui.get());
};
const one = (status: Parameters<typeof task>[1], ...runs: NonNullable<TuiOptions['runs']>): TuiOptions => ({
  plan: planOf(task('a', status)),
  runs,
});

describe('a command and whether it can be given', () => {
  test.each<{command: Command; options: TuiOptions; reason: string | null}>([
    {command: 'job.execute', options: one({}), reason: null},
    {command: 'job.execute', options: one({status: 'done'}), reason: 'no task is ready'},
    {command: 'job.execute', options: {plan: planOf()}, reason: 'no task is ready'},
    {
      command: 'job.execute',
      options: {...one({}), data: {otherEngine: 7}},
      reason: 'process 7 works on this project',
    },
    {command: 'job.executeTask', options: one({status: 'done'}), reason: 'a is not ready'},
    {command: 'job.resume', options: one({status: 'in_progress'}, pausedRun()), reason: null},
    {command: 'job.resume', options: one({status: 'waiting_user'}, waitingRun()), reason: null},
    {command: 'job.resume', options: one({status: 'waiting_user'}), reason: 'there is nothing to resume'},
    {command: 'job.resume', options: one({}), reason: 'there is nothing to resume'},
    {command: 'job.restart', options: one({}), reason: 'it has no run yet: e executes it'},
    {command: 'job.restart', options: one({status: 'done'}, restingRun({state: 'succeeded'})), reason: null},
    {command: 'job.retry', options: one({status: 'failed'}), reason: null},
    {command: 'job.retry', options: one({status: 'blocked'}), reason: null},
    {command: 'job.retry', options: one({}), reason: 'it is neither failed nor blocked nor lost'},
    {command: 'job.stopAfter', options: one({}), reason: 'no plan is being executed'},
    {command: 'plan.undo', options: one({}), reason: 'there is nothing to undo'},
    {command: 'plan.status', options: {plan: planOf()}, reason: 'no task is selected'},
    {command: 'tree.next', options: one({}), reason: 'nothing needs you'},
    {command: 'detail.raw', options: one({}), reason: 'raw output is in the tab Run'},
  ])('$command: $reason', ({command, options, reason}) => {
    expect(refusal(command, options)).toBe(reason);
  });
});

test.each(Object.entries(keymaps))('no key of %s means two things at once', (_place, keymap) => {
  const {tui} = tuiProject({
    plan: planOf(task('a', {status: 'failed'})),
    runs: [restingRun({state: 'failed'})],
  });
  const active = keymap.filter(({command}) => whyNot(command, tui.facts(), tui.get()) === null);
  const meanings = new Map<string, Set<string>>();
  for (const {keys: each, command} of active) {
    for (const key of each) meanings.set(key, (meanings.get(key) ?? new Set()).add(command));
  }
  expect([...meanings].filter(([, commands]) => commands.size > 1).map(([key]) => key)).toEqual([]);
});
