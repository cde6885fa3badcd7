/** A readable event name: XState's own without their prefixes. */
export function eventName(type: string): string {
  if (type === 'xstate.init') return 'start';
  const ended = /^xstate\.(done|error)\.(?:actor|state)\.(.+)$/.exec(type);
  if (ended) return `${ended[1]}(${ended[2]})`;
  const delay = /^xstate\.after\.([^.]+)\./.exec(type);
  return delay ? `after(${delay[1]})` : type;
}

/**
 * A state value on one line: `running.active`, or `water.cold + lid.shut` for parallel regions. A request
 * beside the work is in brackets: `releasing (pausing)`.
 */
export function stateName(state: unknown): string {
  if (typeof state === 'string') return state;
  if (typeof state !== 'object' || state === null) return '';
  return Object.entries(state)
    .map(([key, inner]) => workName(inner) ?? [key, stateName(inner)].filter((part) => part !== '').join('.'))
    .join(' + ');
}

/** For a machine that can be asked to stop, the state of its work; null for any other. */
function workName(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('wish' in state)) return null;
  const {wish, ...regions} = state;
  const work = Object.values(regions).map(stateName).join(' + ');
  return wish === 'none' ? work : `${work} (${stateName(wish)})`;
}
