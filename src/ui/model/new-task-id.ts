import type {Plan} from '../../services/contracts/plan.ts';
import {isPlainTaskId} from '../../services/contracts/task-id.ts';

const longest = 32;

/** An id that can be typed, made of the title; one that is taken, in whatever case, gets a number. */
export function newTaskId(plan: Plan, title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
  const base = words === '' || words === 'root' || !isPlainTaskId(words) ? 'task' : words;
  const taken = new Set([...plan.items.keys()].map((id) => id.toLowerCase()));
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}
