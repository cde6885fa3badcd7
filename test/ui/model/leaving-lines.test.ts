import {expect, test} from 'vitest';
import {newDraft} from '../../../src/machines/policies/planning/plan-draft.ts';
import {leavingLines} from '../../../src/ui/model/leaving-lines.ts';
import {pausedRun, restingRun} from '../../fakes/runs.ts';
import {now, planOf, task} from '../../helpers/plans.ts';
import {tuiProject} from '../tui-project.tsx';

const leaving = (options: Parameters<typeof tuiProject>[0]) => {
  const {tui} = tuiProject(options);
  return leavingLines(tui.get(), tui.facts(), []);
};

test('paused, waiting and undecided tasks are listed with their commands, one line each', () => {
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
          task_id: 'b',
          run_id: 'b-1',
          state: 'waiting',
          questions: [{id: 'q', prompt: 'Which?'}],
        }),
        restingRun({
          task_id: 'c c',
          run_id: 'c-1',
          state: 'succeeded',
          decision_required: true,
          decision_state: 'pending',
        }),
      ],
    }),
  ).toEqual([
    'Ⅱ a  Refund endpoint  paused     blackbird resume a',
    '? b  Dashboard        asks       blackbird resume b',
    "! c c  Webhooks       undecided  blackbird review 'c c'",
  ]);
});

test('a plan that an agent did not finish, asks about or proposes is listed too', () => {
  const draft = newDraft({kind: 'generate', text: 'A shop\nwith refunds', taskIds: []}, 'd-1', now);
  const drafts = [
    draft,
    {...draft, draftId: 'd-2', questions: [{id: 'q', prompt: 'Which?'}]},
    {...draft, draftId: 'd-3', saying: null},
  ];
  const {tui} = tuiProject({
    plan: planOf(task('a', {status: 'in_progress', title: 'Refund endpoint'})),
    runs: [pausedRun()],
  });
  expect(leavingLines(tui.get(), tui.facts(), drafts)).toEqual([
    'Ⅱ a  Refund endpoint  paused     blackbird resume a',
    'Ⅱ planning: A shop    paused     blackbird plan drafts open d-1',
    '? planning: A shop    asks       blackbird plan drafts open d-2',
    '! planning: A shop    undecided  blackbird plan drafts open d-3',
  ]);
});

test('a planner of another process is not listed as paused', () => {
  const draft = newDraft({kind: 'generate', text: 'A shop', taskIds: []}, 'd-1', now);
  const {tui} = tuiProject({plan: planOf(task('a')), data: {otherEngine: 4711}});
  expect(leavingLines(tui.get(), tui.facts(), [draft])).toEqual([]);
});

test('nothing is printed when nothing is open, and a long list is cut', () => {
  expect(leaving({plan: planOf(task('a'))})).toEqual([]);
  const ids = Array.from({length: 12}, (_, index) => `t${index}`);
  const lines = leaving({
    plan: planOf(...ids.map((id) => task(id, {status: 'in_progress'}))),
    runs: ids.map((id) => pausedRun({task_id: id, run_id: `${id}-1`})),
  });
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('… and 2 more: blackbird list');
});
