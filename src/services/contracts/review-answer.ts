import * as z from 'zod';

/** The reviewer's answer, for agents that can enforce a schema. Every key is required, as Codex demands. */
export const reviewAnswerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['passed', 'resumeTaskIds', 'feedbackForResume', 'reviewResults'],
  properties: {
    passed: {type: 'boolean'},
    resumeTaskIds: {type: 'array', items: {type: 'string'}},
    feedbackForResume: {type: 'string'},
    reviewResults: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['taskId', 'status', 'feedback'],
        properties: {
          taskId: {type: 'string'},
          status: {type: 'string', enum: ['passed', 'failed']},
          feedback: {type: 'string'},
        },
      },
    },
  },
} as const;

/** Longer answers are truncated here and therefore invalid. */
export const reviewAnswerLimit = 64_000;

const feedbackLimit = 20_000;

/** The same for agents that cannot, and to validate every answer. */
export const reviewAnswerShape = z.object({
  passed: z.boolean(),
  resumeTaskIds: z.array(z.string()).default([]),
  feedbackForResume: z.string().max(feedbackLimit).default(''),
  reviewResults: z
    .array(
      z.object({
        taskId: z.string(),
        status: z.enum(['passed', 'failed']),
        feedback: z.string().max(feedbackLimit).default(''),
      }),
    )
    .default([]),
});
