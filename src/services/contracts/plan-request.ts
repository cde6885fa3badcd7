import * as z from 'zod';
import {planKinds} from './plan-answer.ts';
import {answerSchema} from './run.ts';

/** The longest request accepted; `--from` refuses larger files by their size. */
const longestWish = 1024 * 1024;

/** A request to a planner. */
const planWishSchema = z
  .object({
    kind: z.enum(planKinds),
    text: z.string().max(longestWish, 'the description is longer than 1 MiB'),
    /** The only tasks that may change; empty for the whole plan. */
    taskIds: z.array(z.string().min(1).max(256)).max(1_000, 'more than 1,000 tasks are named').readonly(),
  })
  .readonly()
  .refine(({kind, text}) => kind === 'deps' || text.trim() !== '', {
    message: 'say what the plan is to be about',
    params: {isMissing: true},
  });
export type PlanWish = z.infer<typeof planWishSchema>;

/** A new draft, or an existing one to continue. */
export const planRequestSchema = z.discriminatedUnion('type', [
  z.object({type: z.literal('new'), wish: planWishSchema}).readonly(),
  z
    .object({
      type: z.literal('open'),
      draftId: z.string().min(1).max(256),
      answers: z.array(answerSchema).readonly().exactOptional(),
    })
    .readonly(),
]);
export type PlanRequest = z.infer<typeof planRequestSchema>;
