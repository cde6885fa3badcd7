/** The region beside the work in every machine that can be asked to stop. */
export const pauseRequestStates = {
  wish: 'what the user has requested while the work goes on',
  'wish.none': 'nothing was requested: the work continues',
  'wish.pausing': 'a pause was requested: nothing new starts',
} as const;

export const stopRequestStates = {
  ...pauseRequestStates,
  'wish.stopping': 'a stop after the current task was requested',
} as const;

/** Prefixes the paths with the state that holds both regions. */
export function inside<Names extends Readonly<Record<string, string>>>(
  parent: string,
  states: Names,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(states).map(([path, text]) => [`${parent}.${path}`, text]));
}
