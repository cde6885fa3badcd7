/**
 * Whether the session survived how the agent was stopped: one that was killed or lost within a second of
 * announcing it, with no later line, had not stored it yet.
 */
export function isSessionStored(facts: {
  readonly sessionSeenAt: number | null;
  readonly hasLaterLine: boolean;
  readonly killedAt: number | null;
}): boolean {
  if (facts.sessionSeenAt === null) return false;
  if (facts.killedAt === null || facts.hasLaterLine) return true;
  return facts.killedAt - facts.sessionSeenAt >= sessionStoreWindow;
}

const sessionStoreWindow = 1_000;
