import * as z from 'zod';

/** What an agent says that it used. */
export const usageSchema = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Only some agents tell it. */
  cost_usd: z.number().optional(),
});

/** What budgets count. A cost that nobody told is none. */
export const spentSchema = z.looseObject({
  tokens: z.number(),
  cost_usd: z.number(),
  milliseconds: z.number(),
});
export type Spent = Readonly<Pick<z.infer<typeof spentSchema>, 'tokens' | 'cost_usd' | 'milliseconds'>>;
