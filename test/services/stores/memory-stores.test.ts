import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {newDraft} from '../../../src/machines/policies/planning/plan-draft.ts';
import type {FeedbackStore} from '../../../src/services/contracts/feedback.ts';
import type {JobStore} from '../../../src/services/contracts/job.ts';
import type {LimitStore} from '../../../src/services/contracts/limits.ts';
import type {PlanDraftStore} from '../../../src/services/contracts/plan-draft.ts';
import {createLimitStore} from '../../../src/services/limits/limit-store.ts';
import * as memory from '../../../src/services/memory/memory-stores.ts';
import {createFeedbackStore} from '../../../src/services/stores/feedback-store.ts';
import {createJobStore} from '../../../src/services/stores/job-store.ts';
import {createPlanDraftStore} from '../../../src/services/stores/plan-draft-store.ts';
import {endedJob, jobRecord} from '../../fakes/jobs.ts';
import {createMemoryFeedbackStore, sentBackFeedback} from '../../fakes/memory-feedback-store.ts';
import {createMemoryJobStore} from '../../fakes/memory-job-store.ts';
import {createMemoryLimitStore} from '../../fakes/memory-limit-store.ts';
import {createMemoryPlanDrafts} from '../../fakes/memory-plan-drafts.ts';
import {now} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

// Whatever stands for a store keeps what the store on disk keeps; files, faults and locks are in the tests of each.

const folderOf = (name: string) => path.join(temporaryFolder(), name);
const later = new Date(Date.parse(now) + 1000).toISOString();

describe.each<[string, () => FeedbackStore]>([
  ['on disk', () => createFeedbackStore({folder: folderOf('feedback')})],
  ['of the tests', () => createMemoryFeedbackStore()],
  ['of simulations', () => memory.createMemoryFeedback()],
])('feedback %s', (_, create) => {
  test('is kept one for a task, replaced, listed in order and removed', async () => {
    const store = create();
    const [a, b] = [sentBackFeedback({childTaskId: 'a'}), sentBackFeedback({childTaskId: 'b'})];
    expect(await store.list()).toEqual({pending: [], broken: []});
    expect(await store.read('a')).toBeNull();
    await store.remove('a');
    await store.save(b);
    await store.save(a);
    expect(await store.list()).toEqual({pending: [a, b], broken: []});
    const changed = {...a, feedback: 'Test it again.', updatedAt: later};
    await store.save(changed);
    expect(await store.read('a')).toEqual(changed);
    await store.remove('b');
    expect(await store.list()).toEqual({pending: [changed], broken: []});
  });
});

describe.each<[string, () => PlanDraftStore]>([
  ['on disk', () => createPlanDraftStore({folder: folderOf('plan-drafts')})],
  ['of the tests', () => createMemoryPlanDrafts(() => {})],
  ['of simulations', () => memory.createMemoryPlanDrafts()],
])('drafts of plans %s', (_, create) => {
  test('are kept, replaced, listed oldest first and removed', async () => {
    const store = create();
    const draft = (draftId: string) => newDraft({kind: 'generate', text: 'Shop', taskIds: []}, draftId, now);
    const [first, second] = [draft('2026-1'), draft('2026-2')];
    expect(await store.read('2026-1')).toBeNull();
    await store.remove('2026-1');
    await store.save(second);
    await store.save(first);
    expect(await store.list()).toEqual({drafts: [first, second], broken: []});
    await store.save({...first, text: 'A shop'});
    expect(await store.read('2026-1')).toEqual({...first, text: 'A shop'});
    await store.remove('2026-1');
    expect(await store.list()).toEqual({drafts: [second], broken: []});
  });
});

describe.each<[string, () => LimitStore]>([
  [
    'on disk',
    () =>
      createLimitStore({
        file: folderOf('limits.json'),
        accountOf: () => 'account',
        onWarning: expect.unreachable,
      }),
  ],
  ['of the tests', () => createMemoryLimitStore()],
  ['of simulations', () => memory.createMemoryLimits()],
])('limits %s', (_, create) => {
  test('are kept one for a provider, and forgotten unless they were seen later', async () => {
    const store = create();
    const limit = {until: later, source: 'reported', seenAt: now} as const;
    expect(await store.read('claude')).toBeNull();
    await store.save('claude', {...limit, source: 'estimated'});
    await store.save('claude', limit);
    expect(await store.read('claude')).toEqual(limit);
    expect(await store.read('codex')).toBeNull();
    await store.clear('claude', new Date(Date.parse(now) - 1).toISOString());
    expect(await store.read('claude')).toEqual(limit);
    await store.clear('claude', now);
    expect(await store.read('claude')).toBeNull();
  });
});

describe.each<[string, boolean, () => JobStore]>([
  ['on disk', true, () => createJobStore({folder: folderOf('jobs')})],
  ['of the tests', true, () => createMemoryJobStore()],
  // Nobody reads the history of a simulated job.
  ['of simulations', false, () => memory.createMemoryJobs()],
])('jobs %s', (_, keepsNotes, create) => {
  test('are kept newest first, with what was noted, and closed as a whole', async () => {
    const store = create();
    const [first, second] = [jobRecord({jobId: '2026-1'}), jobRecord({jobId: '2026-2'})];
    expect([store.ids(), await store.read('2026-1')]).toEqual([[], null]);
    await store.create(first);
    await store.create(second);
    expect(store.ids()).toEqual(['2026-2', '2026-1']);
    const run = {taskId: 'a', runId: 'a-1', startedAt: now};
    await store.note('2026-1', {run});
    expect(await store.read('2026-1')).toEqual({...first, runs: keepsNotes ? [run] : []});
    const ended = endedJob({jobId: '2026-1', runs: [run]});
    await store.close(ended);
    expect(await store.read('2026-1')).toEqual(ended);
    expect(await store.read('2026-2')).toEqual(second);
  });
});
