import type {Plan} from '../../../services/contracts/plan.ts';
import {idMaker, slug} from '../exchange/new-ids.ts';

/** Longer ones are no fun to type. */
const longest = 32;

/** An id made of whole words of the title; one that is taken, in whatever case, gets a number. */
export const newTaskId = (plan: Plan, title: string): string =>
  idMaker(plan.items.keys())(slug(title, longest));
