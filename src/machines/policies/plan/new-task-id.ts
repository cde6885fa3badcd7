import type {Plan} from '../../../services/contracts/plan.ts';
import {idMaker, slug} from '../exchange/new-ids.ts';

/** An id that can be typed, made of the title; one that is taken, in whatever case, gets a number. */
export const newTaskId = (plan: Plan, title: string): string => idMaker(plan.items.keys())(slug(title));
