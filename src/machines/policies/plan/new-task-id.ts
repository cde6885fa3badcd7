import type {Plan} from '../../../services/contracts/plan.ts';
import {idMaker, slug} from '../exchange/new-ids.ts';

/** Longer ids are tedious to type. */
const longest = 32;

/** An id made of whole words of the title, with a number if it is taken, ignoring case. */
export const newTaskId = (plan: Plan, title: string): string =>
  idMaker(plan.items.keys())(slug(title, longest));
