import * as z from 'zod';

/** The usage an agent reports. */
export const usageSchema = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Reported by some agents only. */
  cost_usd: z.number().optional(),
});

/** What budgets count. An unreported cost counts as none. */
export const spentSchema = z.looseObject({
  tokens: z.number(),
  cost_usd: z.number(),
  milliseconds: z.number(),
});
export type Spent = Readonly<Pick<z.infer<typeof spentSchema>, 'tokens' | 'cost_usd' | 'milliseconds'>>;
