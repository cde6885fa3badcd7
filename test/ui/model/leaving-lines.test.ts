import {expect, test} from 'vitest';
import {leavingLines} from '../../../src/ui/model/leaving-lines.ts';
import {pausedRun, restingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {tuiProject} from '../tui-project.tsx';

const leaving = (options: Parameters<typeof tuiProject>[0]) => {
  const {tui} = tuiProject(options);
  return leavingLines(tui.get(), tui.facts());
};

test('what is paused, asks or is undecided is told with its command, one line each', () => {
  const open = {status: 'in_progress'} as const;
  expect(
    leaving({
      plan: planOf(
        task('a', {...open, title: 'Refund endpoint'}),
        task('b', {status: 'waiting_user', title: 'Dashboard'}),
        task('c c', {...open, title: 'Webhooks'}),
        task('d', {status: 'done'}),
        task('e'),
      ),
      runs: [
        pausedRun(),
        restingRun({
          ...{task_id: 'b', run_id: 'b-1', state: 'waiting', questions: [{id: 'q', prompt: 'Which?'}]},
        }),
        restingRun({
          ...{task_id: 'c c', run_id: 'c-1', state: 'succeeded'},
          ...{decision_required: true, decision_state: 'pending'},
        }),
      ],
    }),
  ).toEqual([
    'Ⅱ a  Refund endpoint  paused     blackbird resume a',
    '? b  Dashboard        asks       blackbird resume b',
    "! c c  Webhooks       undecided  blackbird review 'c c'",
  ]);
});

test('nothing is said where nothing is open, and a long list is cut', () => {
  expect(leaving({plan: planOf(task('a'))})).toEqual([]);
  const ids = Array.from({length: 12}, (_, index) => `t${index}`);
  const lines = leaving({
    plan: planOf(...ids.map((id) => task(id, {status: 'in_progress'}))),
    runs: ids.map((id) => pausedRun({task_id: id, run_id: `${id}-1`})),
  });
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('… and 2 more: blackbird list');
});
