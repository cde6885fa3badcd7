import type {CommentStore, LineComment} from '../../src/services/contracts/comment.ts';
import {now} from '../helpers/plans.ts';

export function createMemoryCommentStore(): CommentStore {
  const entries = new Map<string, LineComment>();
  const nameOf = ({task_id, run_id, id}: Pick<LineComment, 'task_id' | 'run_id' | 'id'>) =>
    JSON.stringify([task_id, run_id, id]);
  const placeOf = ({file, line, created_at, id}: LineComment) =>
    [file, String(line).padStart(10), created_at, id].join('\0');
  return {
    list: async ({task_id, run_id}) =>
      [...entries.values()]
        .filter((each) => each.task_id === task_id && each.run_id === run_id)
        .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
    save: async (comment) => void entries.set(nameOf(comment), structuredClone(comment)),
    remove: async (run, id) => entries.delete(nameOf({...run, id})),
  };
}

/** A comment on line 3 of a file, written at run a-1. */
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
