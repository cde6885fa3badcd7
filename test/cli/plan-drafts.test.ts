import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {asked, newDraft, proposed} from '../../src/machines/policies/planning/plan-draft.ts';
import {question} from '../fakes/runs.ts';
import {now, planOf} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const draft = newDraft({kind: 'generate', text: 'Refunds', taskIds: []}, 'd1', now);

test.each([
  {kept: asked(draft, [question]), message: 'no question is called "size": it asks "color"'},
  {kept: proposed(draft, []), message: 'the draft d1 asks nothing'},
])('an answer to what was not asked: $message', async ({kept, message}) => {
  const project = cliProject(planOf());
  const folder = path.join(project.folder, '.blackbird/plan-drafts');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, 'd1.json'), JSON.stringify(kept));
  expect(await project.error(['plan', 'drafts', 'open', 'd1', '--answer', 'size=9'])).toMatchObject({
    code: 2,
    error: {code: 'E_USAGE', message, next: [{command: 'blackbird plan drafts open d1'}]},
  });
});

test('the list says in whole words what was asked for', async () => {
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
