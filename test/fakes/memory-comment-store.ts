import type {LineComment} from '../../src/services/contracts/comment.ts';
import {now} from '../helpers/plans.ts';

/** A comment on line 3 of a file, written for run a-1. */
export const lineComment = (fields: Partial<LineComment> = {}): LineComment => ({
  schema_version: 1,
  id: 'c1',
  task_id: 'a',
  run_id: 'a-1',
  file: 'src/a.ts',
  side: 'new',
  line: 3,
  text: 'Why twice?',
  created_at: now,
  updated_at: now,
  ...fields,
});
