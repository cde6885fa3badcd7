import {expect, test} from 'vitest';
import {applyPatch, type PatchOperation} from '../../../src/machines/policies/plan/plan-patch.ts';
import {previewOf} from '../../../src/machines/policies/planning/check-proposal.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {now, planOf, task} from '../../helpers/plans.ts';

/** The findings of the quality gate on a proposal, as `task.field code`. */
function found(plan: Plan, ...operations: readonly PatchOperation[]): string[] {
  const patched = applyPatch(plan, operations, now);
  if ('problems' in patched) throw new Error(JSON.stringify(patched.problems));
  return previewOf(plan, patched.plan, {}).findings.map(
    ({taskId, field, code}) => `${taskId}.${field} ${code}`,
  );
}

const waits = (taskId: string, ...deps: readonly string[]): PatchOperation => ({type: 'deps', taskId, deps});

test('an inferred dependency between tasks without text has no findings: whoever infers it cannot describe them', () => {
  const plan = planOf(task('api'), task('e2e'));
  expect(found(plan, waits('e2e', 'api'))).toEqual([]);
  const reasoned = {type: 'deps', taskId: 'e2e', deps: ['api'], depRationale: {api: 'it calls it'}} as const;
  expect(found(plan, reasoned)).toEqual([]);
});

test('a dependency that can never be done is a finding, unless it was there before', () => {
  const plan = planOf(task('s', {status: 'skipped'}), task('a', {deps: ['s']}), task('b'));
  expect(found(plan, waits('a', 's', 'b'))).toEqual([]);
  expect(found(plan, waits('b', 's'))).toEqual(['b.deps dependency_never_done']);
});

test('an added or rewritten task is linted as a whole', () => {
  const plan = planOf(task('a'), task('b'));
  const all = found(plan, {type: 'edit', taskId: 'b', fields: {title: 'x'}}, waits('b', 'a'));
  expect(all).toContain('b.description leaf_description_missing_or_placeholder');
});
