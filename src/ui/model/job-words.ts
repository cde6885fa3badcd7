import type {ReviewVerdict} from '../../machines/actors/settle-review.actor.ts';
import {remarksOf} from '../../machines/policies/review/review-remarks.ts';
import type {Notice} from './facts.ts';

/** Why the planner works. */
export const turnWords = {
  start: 'planning',
  answers: 'planning with your answers',
  problems: 'its answer could not be used: it tries again',
  findings: 'the quality gate sent it back: it corrects its plan',
  revision: 'revising the plan',
} as const;

/** The result of a parent review. */
export function verdictNotice(verdict: ReviewVerdict): Notice {
  const parent = verdict.run.task_id;
  switch (verdict.type) {
    case 'passed': {
      const remarks = remarksOf(verdict.run);
      const remark = remarks === '' ? '' : `; remarks: ${remarks}`;
      return {tone: 'good', text: `the review of ${parent} passed${remark}`};
    }
    case 'sentBack':
      return {tone: 'warning', text: `the review of ${parent} sends tasks back`};
    case 'broken':
      return {tone: 'bad', text: `the review of ${parent} had no result; the next execute tries again`};
  }
}
