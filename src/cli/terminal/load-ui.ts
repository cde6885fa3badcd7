// What draws on the terminal is loaded lazily: Ink and React cost more than everything else at start-up.

export const loadCheckpointPrompt = () =>
  asOutsideCi(() => import('../../ui/prompts/run-checkpoint-prompt.tsx'));

export const loadTui = () =>
  asOutsideCi(async () => {
    const [{createTui}, {runTui}] = await Promise.all([
      import('../../ui/tui.ts'),
      import('../../ui/run-tui.tsx'),
    ]);
    return {createTui, runTui};
  });

/** Ink reads these once, when it is loaded. */
const ciVariables = ['CI', 'CONTINUOUS_INTEGRATION'];

/**
 * Ink draws only a last frame if `CI` is set. A user who is asked must see the question, and whether there is
 * one was determined before.
 */
export async function asOutsideCi<T>(load: () => Promise<T>): Promise<T> {
  const kept = ciVariables.map((name) => [name, process.env[name]] as const);
  for (const name of ciVariables) delete process.env[name];
  try {
    return await load();
  } finally {
    for (const [name, value] of kept) if (value !== undefined) process.env[name] = value;
  }
}
