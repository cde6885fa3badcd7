/**
 * Loads what draws on the terminal, late: Ink and React cost more than everything else at start-up.
 * Ink draws nothing but a last frame where `CI` is set; a person who is asked must see the question, and whether
 * there is a person was found out before.
 */
export async function loadCheckpointPrompt() {
  return await asOutsideCi(() => import('../../ui/prompts/run-checkpoint-prompt.tsx'));
}

/** Ink looks at these once, when it is loaded. */
const ciVariables = ['CI', 'CONTINUOUS_INTEGRATION'];

export async function asOutsideCi<T>(load: () => Promise<T>): Promise<T> {
  const kept = ciVariables.map((name) => [name, process.env[name]] as const);
  for (const name of ciVariables) delete process.env[name];
  try {
    return await load();
  } finally {
    for (const [name, value] of kept) if (value !== undefined) process.env[name] = value;
  }
}
