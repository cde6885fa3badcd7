import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {newDraft} from '../../../src/machines/policies/planning/plan-draft.ts';
import type {FeedbackStore} from '../../../src/services/contracts/feedback.ts';
import type {JobStore} from '../../../src/services/contracts/job.ts';
import type {LimitStore} from '../../../src/services/contracts/limits.ts';
import type {PlanDraftStore} from '../../../src/services/contracts/plan-draft.ts';
import type {PlanStore} from '../../../src/services/contracts/stores.ts';
import {createLimitStore} from '../../../src/services/limits/limit-store.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import * as memory from '../../../src/services/memory/memory-stores.ts';
import {createFeedbackStore} from '../../../src/services/stores/feedback-store.ts';
import {createJobStore} from '../../../src/services/stores/job-store.ts';
import {createPlanDraftStore} from '../../../src/services/stores/plan-draft-store.ts';
import {createPlanStore} from '../../../src/services/stores/plan-store.ts';
import {endedJob, jobRecord} from '../../fakes/jobs.ts';
import {createMemoryFeedbackStore, sentBackFeedback} from '../../fakes/memory-feedback-store.ts';
import {createMemoryJobStore} from '../../fakes/memory-job-store.ts';
import {createMemoryLimitStore} from '../../fakes/memory-limit-store.ts';
import {createMemoryPlanDrafts} from '../../fakes/memory-plan-drafts.ts';
import {createMemoryPlanStore} from '../../fakes/memory-plan-store.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {now, planOf, statuses, task} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

// Every stand-in for a store keeps what the store on disk keeps; files, faults and locks are in the tests of each.

const folderOf = (name: string) => path.join(temporaryFolder(), name);
const later = new Date(Date.parse(now) + 1000).toISOString();

const rules = {check: checkRawPlan, checkChange: checkPlanChange};
const plan = planOf(task('a'), task('b', {deps: ['a']}));

describe.each<[string, () => PlanStore]>([
  [
    'on disk',
    () => {
      const folder = temporaryFolder();
      const file = path.join(folder, 'blackbird.plan.json');
      writeFileSync(file, JSON.stringify({schemaVersion: 1, items: Object.fromEntries(plan.items)}));
      const lock = async () => createProcessLock(path.join(folder, 'plan.lock'));
      return createPlanStore({file, lock, rules});
    },
  ],
  ['of the tests', () => createMemoryPlanStore(plan)],
  ['of simulations', () => memory.createMemoryPlans(plan, rules)],
])('plans %s', (_, create) => {
  test('are read and changed by a function, one change after another', async () => {
    const store = create();
    expect(await store.create()).toBe(false);
    expect(await store.read()).toEqual(plan);
    expect(await store.inspect()).toEqual({plan});
    const watched = await store.watch();
    const done = (id: string) => store.update((before) => setStatus(before, id, 'done', now));
    const [first, second] = await Promise.all([done('a'), done('b')]);
    expect(statuses(first.before)).toEqual({a: 'todo', b: 'todo'});
    expect(statuses(first.after)).toEqual({a: 'done', b: 'todo'});
    expect(second.before).toEqual(first.after);
    expect(await store.read()).toEqual(second.after);
    expect(await watched.edit()).toBeNull();
  });

  test('stay as they are when a change is empty, refused or throws', async () => {
    const store = create();
    const same = await store.update((before) => before);
    expect(same.after).toBe(same.before);
    const strange = store.update((before) => ({
      ...before,
      items: new Map(before.items).set('c', task('c', {deps: ['nobody']})),
    }));
    expect((await rejectionOf(strange)).code).toBe('E_PLAN_EDIT');
    const thrown = store.update(() => {
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    expect(await store.read()).toEqual(plan);
  });
});

describe.each<[string, () => FeedbackStore]>([
  ['on disk', () => createFeedbackStore({folder: folderOf('feedback')})],
  ['of the tests', () => createMemoryFeedbackStore()],
  ['of simulations', () => memory.createMemoryFeedback()],
])('feedback %s', (_, create) => {
  test('is kept once for each task, replaced, listed in order and removed', async () => {
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
  test('are kept once for each provider, and forgotten unless they were seen later', async () => {
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
  // The history of a simulated job is never read.
  ['of simulations', false, () => memory.createMemoryJobs()],
])('jobs %s', (_, keepsNotes, create) => {
  test('are kept newest first, with their notes, and closed as a whole', async () => {
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
