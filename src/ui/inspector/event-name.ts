/** An event as people read it: XState's own names without their prefixes. */
export function eventName(type: string): string {
  if (type === 'xstate.init') return 'start';
  const ended = /^xstate\.(done|error)\.(?:actor|state)\.(.+)$/.exec(type);
  if (ended) return `${ended[1]}(${ended[2]})`;
  const delay = /^xstate\.after\.([^.]+)\./.exec(type);
  return delay ? `after(${delay[1]})` : type;
}

/** A state value in a line: `running.active`, or `water.cold + lid.shut` where regions run side by side. */
export function stateName(state: unknown): string {
  if (typeof state === 'string') return state;
  if (typeof state !== 'object' || state === null) return '';
  return Object.entries(state)
    .map(([key, inner]) => [key, stateName(inner)].filter((part) => part !== '').join('.'))
    .join(' + ');
}
