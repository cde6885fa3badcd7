import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {asked, newDraft, proposed} from '../../src/machines/policies/planning/plan-draft.ts';
import type {Task} from '../../src/services/contracts/plan.ts';
import type {PlanDraft} from '../../src/services/contracts/plan-draft.ts';
import {question} from '../fakes/runs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const draft = newDraft({kind: 'generate', text: 'Refunds', taskIds: []}, 'd1', now);

test.each([
  {kept: asked(draft, [question]), message: 'no question is called "size": it asks "color"'},
  {kept: proposed(draft, []), message: 'the draft d1 asks nothing'},
])('an answer to a question that was not asked: $message', async ({kept, message}) => {
  const project = cliProject(planOf());
  const folder = path.join(project.folder, '.blackbird/plan-drafts');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, 'd1.json'), JSON.stringify(kept));
  expect(await project.error(['plan', 'drafts', 'open', 'd1', '--answer', 'size=9'])).toMatchObject({
    code: 2,
    error: {code: 'E_USAGE', message, next: [{command: 'blackbird plan drafts open d1'}]},
  });
});

test('a proposal that changes nothing is not offered for saving', async () => {
  const project = cliProject(planOf(task('a')));
  const folder = path.join(project.folder, '.blackbird/plan-drafts');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, 'd1.json'), JSON.stringify(proposed({...draft, kind: 'refine'}, [])));
  const {out, err} = await project.run(['plan', 'drafts', 'open', 'd1'], {
    env: {BLACKBIRD_AGENT_PROVIDER: 'demo'},
    terminal: true,
    answers: ['d'],
  });
  expect(out).toContain('Nothing would change.\n');
  expect(err).toBe('Nothing to save. [r]evise, [d]rop, [l]ater: \n');
});

test('the list shows the request in whole words', async () => {
  const project = cliProject(planOf());
  const folder = path.join(project.folder, '.blackbird/plan-drafts');
  mkdirSync(folder, {recursive: true});
  const text = `${'an endpoint for refunds '.repeat(6)}\nand its tests`;
  const {draftId, ...rest} = newDraft({kind: 'generate', text, taskIds: []}, 'd1', now);
  writeFileSync(path.join(folder, `${draftId}.json`), JSON.stringify({draftId, ...rest}));
  const {out} = await project.run(['plan', 'drafts']);
  expect(out.trimEnd().split('\n').at(-1)).toMatch(/ an endpoint for refunds an .*endpoint for refunds an…$/);
  const shown = await project.run(['plan', 'drafts'], {terminal: true});
  expect(shown.out.trimEnd().split('\n').at(-1)).toMatch(/ an endpoint for refunds an endpoint…$/);
});

const withDraft = (kept: PlanDraft, ...tasks: readonly Task[]) => {
  const project = cliProject(planOf(...tasks));
  const folder = path.join(project.folder, '.blackbird/plan-drafts');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, 'd1.json'), JSON.stringify(kept));
  return project;
};

const store = {
  id: 'store',
  title: 'Store refunds',
  description: 'Refunds are kept in the table refunds.\nOne row each.',
  acceptanceCriteria: ['`npm test` passes', 'a refund has one row'],
  prompt: `Add the table and verify it with a test.${'\nOne more line.'.repeat(40)}`,
  parentId: null,
  deps: ['old'],
  depRationale: {old: 'it has the connection'},
};

describe('show', () => {
  test('prints every task of the proposal in full, and how to continue', async () => {
    const project = withDraft(proposed(draft, [{type: 'add', task: store}]), task('old'));
    expect(await project.run(['plan', 'drafts', 'show', 'd1'])).toEqual({
      code: 0,
      err: '',
      out: lines(
        'd1  generate, proposed',
        '',
        'What was asked for',
        'Refunds',
        '',
        'store  Store refunds',
        '',
        '  Description',
        '  Refunds are kept in the table refunds.',
        '  One row each.',
        '',
        '  Acceptance criteria',
        '  - `npm test` passes',
        '  - a refund has one row',
        '',
        '  Prompt',
        '  Add the table and verify it with a test.',
        ...Array.from({length: 40}, () => '  One more line.'),
        '',
        '  Waits for',
        '  - old: it has the connection',
        '',
        'Continue with: blackbird plan drafts open d1',
      ),
    });
    expect(await project.json(['plan', 'drafts', 'show', 'd1'])).toMatchObject({
      draft: {id: 'd1', phase: 'proposed', proposal: {tasks: [{id: 'store', prompt: store.prompt}]}},
    });
  });

  test('a proposal that no longer fits the plan says why', async () => {
    const project = withDraft(proposed(draft, [{type: 'add', task: store}]));
    const {out} = await project.run(['plan', 'drafts', 'show', 'd1']);
    expect(out).toContain('It does not fit the plan as it is now\n');
    expect(out).toContain('old');
    expect(await project.json(['plan', 'drafts', 'show', 'd1'])).toMatchObject({
      draft: {
        proposal: null,
        problems: expect.arrayContaining([expect.stringContaining('unknown dep id "old"')]),
      },
    });
  });

  test('questions are named with the command to answer them', async () => {
    const project = withDraft(asked(draft, [question]));
    const {out} = await project.run(['plan', 'drafts', 'show', 'd1']);
    expect(out).toContain(`${question.id}: ${question.prompt}`);
    expect(out).toContain("Continue with: blackbird plan drafts open d1 --answer 'color=…'");
  });

  test('a draft that does not exist is refused', async () => {
    const {code, error} = await cliProject(planOf()).error(['plan', 'drafts', 'show', 'd2']);
    expect([code, error]).toMatchObject([1, {code: 'E_DRAFT_NOT_FOUND'}]);
  });
});
