/** The agents Blackbird can drive. Their own words stay in `services/agents/<provider>.ts`. */
export const providerIds = ['codex', 'claude', 'demo'] as const;
export type ProviderId = (typeof providerIds)[number];
