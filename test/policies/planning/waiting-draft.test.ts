import {describe, expect, test} from 'vitest';
import {
  answered,
  asked,
  newDraft,
  proposed,
  sentBack,
} from '../../../src/machines/policies/planning/plan-draft.ts';
import {draftNeeds, draftWait, planningTitle} from '../../../src/machines/policies/planning/waiting-draft.ts';
import {jobStatus} from '../../../src/machines/policies/report/job-status.ts';
import {reportLines} from '../../../src/machines/policies/report/report-words.ts';
import {nightFacts, nightReport} from '../../fakes/night.ts';
import {question, restingRun} from '../../fakes/runs.ts';
import {now, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

const draft = newDraft({kind: 'generate', text: 'Refunds\nand more', taskIds: []}, 'd1', now);
const asking = asked(draft, [{...question, prompt: 'Which bank?'}]);
const ready = proposed(draft, []);
const head = {task_id: 'plan:d1', title: 'planning: Refunds', command: 'blackbird plan drafts open d1'};
const asks = {...head, why: 'asks: Which bank?'};
const proposes = {...head, why: 'a proposal waits: save or drop it'};
const wrong = sentBack(draft, {type: 'problems', lines: ['"tasks" is empty']});
const unusable = {...head, why: "its planner's answer could not be used: continue or drop it"};
const rests = {...head, why: 'its planner has proposed nothing yet: continue or drop it'};

test.each([
  ['a job is at work, and its planner is not done', [draft], true, null, []],
  ['its planner has proposed nothing', [draft], false, null, [rests]],
  ['its planner gave an unusable answer', [wrong], false, null, [unusable]],
  ['it asks', [asking], false, 'answer', [asks]],
  ['it proposes', [ready], false, 'decision', [proposes]],
  ['it proposes while a job is at work', [ready], true, 'decision', [proposes]],
  ['it is saved or dropped', [], false, null, []],
] as const)('what a draft waits for: %s', (_, drafts, isJobAtWork, wait, needs) => {
  expect(draftWait('plan:d1', drafts)).toBe(wait);
  expect(draftNeeds(drafts, isJobAtWork)).toEqual(needs);
});

test.each([
  ['plan:d1', [draft], 'planning: Refunds'],
  ['plan:d1', [{...draft, text: ' '}], 'planning'],
  ['plan:gone', [draft], 'planning'],
  ['a', [draft], ''],
] as const)('the runs of %s are named after the request', (taskId, drafts, title) => {
  expect(planningTitle(taskId, drafts)).toBe(title);
});

describe('a waiting draft is shown', () => {
  test('by the status', () => {
    const plan = planOf(task('a'));
    const rest = {job: null, owner: 'dead', run: null, usage: null, others: []} as const;
    const status = jobStatus({plan, drafts: [asking], factsOf: factsIn(plan), ...rest});
    expect(status.needs_you).toEqual([asks]);
  });

  const run = restingRun({
    ...{
      state: 'succeeded',
      run_type: 'plan',
      task_id: 'plan:d1',
      run_id: 'p-1',
      job_id: nightFacts.jobs[0]?.jobId ?? '',
    },
  });
  test.each([
    [[asking], 'waiting_answer', asks],
    [[ready], 'decision', proposes],
    [[], 'done', undefined],
  ] as const)('by the report', (drafts, outcome, need) => {
    const {lines} = reportLines(nightReport({runs: [run], drafts}));
    expect(lines.map(({task: {title}}) => title)).toEqual([need ? need.title : 'planning']);
    expect(lines.map((line) => [line.task.outcome, line.need, line.isSettled])).toEqual([
      [outcome, need, need === undefined],
    ]);
  });

  test("with its planner's questions, answered or not", () => {
    const again = asked(answered(asking, [{id: question.id, value: 'Ours'}]), [
      {...question, prompt: 'Which currency?'},
    ]);
    const {tasks, totals} = nightReport({runs: [run], drafts: [again]});
    expect(tasks[0]?.questions).toEqual([
      {prompt: 'Which bank?', answer: 'Ours'},
      {prompt: 'Which currency?', answer: null},
    ]);
    expect(totals.questions).toBe(2);
  });
});
