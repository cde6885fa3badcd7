import * as z from 'zod';
import type {CommentedRun} from './comment.ts';
import {processIdentitySchema} from './process.ts';

const decisionSchema = z.discriminatedUnion('state', [
  z.object({state: z.literal('approved_continue')}),
  z.object({state: z.literal('approved_quit')}),
  z.object({state: z.literal('changes_requested'), feedback: z.string()}),
  z.object({state: z.literal('rejected'), why: z.string().optional()}),
]);

/** A decision from another terminal for the Blackbird that waits at a checkpoint. */
export const postedDecisionSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z.string().min(1),
  task_id: z.string().min(1),
  run_id: z.string().min(1),
  decision: decisionSchema,
  /** Who waits for the result; a decision that nobody waits for any more is not taken. */
  posted_by: processIdentitySchema.nullable(),
});
export type PostedDecision = z.infer<typeof postedDecisionSchema>;

/** `open`: not taken yet; `gone`: taken and finished. */
export type PostedState = 'open' | 'taken' | 'gone';

/** Where a Blackbird at a checkpoint finds decisions from other terminals. One decision at a time. */
export interface DecisionInbox {
  /** False if there is already one. */
  post(posted: PostedDecision): Promise<boolean>;
  look(posted: PostedDecision): PostedState;
  /** False if it was already taken. */
  retract(posted: PostedDecision): boolean;
  /** Its decision is on record. */
  forget(posted: PostedDecision): void;
  /** Discards what is posted; false if there is nothing. Nobody can have decided while an agent was working. */
  discard(run: CommentedRun): boolean;
  /** Takes what is posted, once. An earlier one that was taken without effect is discarded. */
  watch(run: CommentedRun, onTaken: (posted: PostedDecision) => void): () => void;
}
