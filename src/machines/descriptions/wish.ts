/** The region beside the work of every machine that can be asked to stop. */
export const pauseWishStates = {
  wish: 'what a person asked of it while it works',
  'wish.none': 'nothing was asked: it goes on',
  'wish.pausing': 'a pause was asked for: nothing more begins',
} as const;

export const stopWishStates = {
  ...pauseWishStates,
  'wish.stopping': 'asked to stop after the task at hand',
} as const;

/** Below the state that holds both regions. */
export function inside<Names extends Readonly<Record<string, string>>>(
  parent: string,
  states: Names,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(states).map(([path, text]) => [`${parent}.${path}`, text]));
}
