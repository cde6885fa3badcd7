/** `blocking`: an agent would have to guess. `warning`: it may go wrong. `hint`: worth a look. */
export const severities = ['blocking', 'warning', 'hint'] as const;
export type Severity = (typeof severities)[number];

export const findingFields = [
  'description',
  'acceptanceCriteria',
  'verify',
  'prompt',
  'deps',
  'task',
] as const;
export type FindingField = (typeof findingFields)[number];

export type Finding = {
  readonly severity: Severity;
  /** Stable, because scripts may check for it. */
  readonly code: string;
  readonly taskId: string;
  readonly field: FindingField;
  readonly message: string;
  /** How to fix it. */
  readonly suggestion: string;
};
