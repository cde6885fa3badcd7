import * as z from 'zod';
import type {CommentedRun} from './comment.ts';
import {processIdentitySchema} from './process.ts';

const decisionSchema = z.discriminatedUnion('state', [
  z.object({state: z.literal('approved_continue')}),
  z.object({state: z.literal('approved_quit')}),
  z.object({state: z.literal('changes_requested'), feedback: z.string()}),
  z.object({state: z.literal('rejected'), why: z.string().optional()}),
]);

/** A decision for the Blackbird that waits at a checkpoint, made in another terminal. */
export const postedDecisionSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z.string().min(1),
  task_id: z.string().min(1),
  run_id: z.string().min(1),
  decision: decisionSchema,
  /** Who waits for what becomes of it; one that nobody waits for any more is not taken. */
  posted_by: processIdentitySchema.nullable(),
});
export type PostedDecision = z.infer<typeof postedDecisionSchema>;

/** `open`: nobody has taken it; `gone`: it was taken, and is done with. */
export type PostedState = 'open' | 'taken' | 'gone';

/** Where a Blackbird that waits at a checkpoint finds what another terminal decided. One decision at a time. */
export interface DecisionInbox {
  /** False where another one is in it. */
  post(posted: PostedDecision): Promise<boolean>;
  look(posted: PostedDecision): PostedState;
  /** False where it was taken before. */
  retract(posted: PostedDecision): boolean;
  /** Its decision is on record. */
  forget(posted: PostedDecision): void;
  /** Throws away what is posted; false where nothing is. Nobody can have decided while an agent was at work. */
  discard(run: CommentedRun): boolean;
  /** Takes what is posted, once. What was taken before and led to nothing is done with. */
  watch(run: CommentedRun, onTaken: (posted: PostedDecision) => void): () => void;
}
