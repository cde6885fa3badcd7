import {describe, expect, test} from 'vitest';
import {commands, helpTable, keymaps} from '../../../src/ui/commands/command-table.ts';
import {canDo, notNow} from '../../../src/ui/keymap.ts';
import {pausedRun, restingRun, waitingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {keys, type TuiOptions, tuiProject} from '../tui-project.tsx';

const refusal = (id: string, options: TuiOptions) => {
  const {tui, press} = tuiProject(options);
  press(keys.enter);
  const command = commands.find((each) => each.id === id);
  if (!command?.refusal) throw new Error(`${id} is never refused`);
  return command.refusal(tui.facts(), tui.get());
};
const one = (status: Parameters<typeof task>[1], ...runs: NonNullable<TuiOptions['runs']>): TuiOptions => ({
  plan: planOf(task('a', status)),
  runs,
});

describe('a command and whether it is possible', () => {
  test.each<{command: string; options: TuiOptions; reason: string | null}>([
    {command: 'job.execute', options: one({}), reason: null},
    {command: 'job.execute', options: one({status: 'done'}), reason: 'no task is ready'},
    {command: 'job.execute', options: {plan: planOf()}, reason: 'no task is ready'},
    {
      command: 'job.execute',
      options: {...one({}), data: {otherEngine: 7}},
      reason: 'process 7 is working on this project',
    },
    {
      command: 'job.executeTask',
      options: one({status: 'done'}, restingRun({state: 'succeeded'})),
      reason: 'it is done: R restarts it',
    },
    ...['job.executeTask', 'job.restart'].map((command) => ({
      command,
      options: one({status: 'done'}),
      reason: 'it is done and never ran: s makes it todo',
    })),
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
    {
      command: 'job.stopAfter',
      options: {...one({}), data: {otherEngine: 7}},
      reason: 'process 7 is executing it: blackbird stop ends it after its task',
    },
    {command: 'plan.undo', options: one({}), reason: 'there is nothing to undo'},
    {command: 'plan.status', options: {plan: planOf()}, reason: 'no task is selected'},
    {command: 'tree.next', options: one({}), reason: 'nothing needs you'},
    {command: 'detail.raw', options: one({}), reason: 'raw output is in the tab Run'},
  ])('$command: $reason', ({command, options, reason}) => {
    expect(refusal(command, options)).toBe(reason);
  });
});

const situations: Readonly<Record<string, TuiOptions>> = {
  'a ready task': one({}),
  'a paused task': one({status: 'in_progress'}, pausedRun()),
  'a waiting task': one({status: 'waiting_user'}, waitingRun()),
  'a failed task': one({status: 'failed'}, restingRun({state: 'failed'})),
  'a task that is done': one({status: 'done'}, restingRun({state: 'succeeded'})),
  'no task': {plan: planOf()},
};

describe.each(Object.entries(situations))('with %s', (_name, options) => {
  test.each(Object.entries(keymaps))('no key of %s has two meanings at once', (_place, keymap) => {
    const {tui} = tuiProject(options);
    const active = keymap.filter((command) => canDo(command, tui.facts(), tui.get()));
    const idsOf = (key: string) => active.filter(({keys: each}) => each.includes(key)).map(({id}) => id);
    const shared = new Set(active.flatMap((command) => command.keys).filter((key) => idsOf(key).length > 1));
    expect([...shared].map((key) => [key, ...idsOf(key)])).toEqual([]);
  });
});

test('every command has its own id', () => {
  const ids = commands.map(({id}) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every command next to the plan is in the help, under one title', () => {
  const listed = helpTable.flatMap(([, section]) => section.map(({id}) => id));
  expect(keymaps.tree.map(({id}) => id).filter((id) => !listed.includes(id))).toEqual([]);
  expect(listed.filter((id, index) => listed.indexOf(id) !== index)).toEqual([]);
});

test('ctrl+c is never refused with a message', () => {
  const {tui} = tuiProject({plan: planOf(task('a'))});
  const reasons = commands
    .filter(({keys: each}) => each.includes('ctrl+c'))
    .map((command) => command.refusal?.(tui.facts(), tui.get()) ?? null);
  expect(new Set(reasons)).toEqual(new Set([null, notNow]));
});
