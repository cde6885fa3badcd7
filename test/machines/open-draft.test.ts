import {expect, test} from 'vitest';
import {createActor, toPromise} from 'xstate';
import {defineOpenDraftActor} from '../../src/machines/actors/plan-draft.actor.ts';
import {draftTaskId} from '../../src/machines/policies/planning/draft-task.ts';
import {proposed} from '../../src/machines/policies/planning/plan-draft.ts';
import {runRecord} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {planOf} from '../helpers/plans.ts';

const wish = {kind: 'generate', text: 'A shop', taskIds: []} as const;

function opening() {
  const {services} = createFakeServices({plan: planOf()});
  let suffix = 0;
  const logic = defineOpenDraftActor({...services, newJobSuffix: () => `00000${++suffix}`});
  const open = async (text = 'A shop') => {
    const input = {request: {type: 'new', wish: {...wish, text}}} as const;
    return (await toPromise(createActor(logic, {input}).start())).draftId;
  };
  return {services, open};
}

test('a request that no planner could start on continues its draft when it is repeated', async () => {
  const {services, open} = opening();
  const first = await open();
  expect(await open()).toBe(first);
  expect(await open('Another shop')).not.toBe(first);
  expect((await services.planDrafts.list()).drafts).toHaveLength(2);
});

test('a draft that a planner has started on is continued only when it is named', async () => {
  const {services, open} = opening();
  const first = await open();
  await services.runs.insert(runRecord({task_id: draftTaskId(first), run_id: 'p-1', state: 'paused'}));
  expect(await open()).not.toBe(first);
});

test('so is one that has a proposal', async () => {
  const {services, open} = opening();
  const first = await open();
  const draft = await services.planDrafts.read(first);
  if (draft) await services.planDrafts.save(proposed(draft, []));
  expect(await open()).not.toBe(first);
});
