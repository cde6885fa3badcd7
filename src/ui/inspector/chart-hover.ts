import {type Chart, type ChartState, pathOf, statesOf} from '../../machines/policies/inspect/chart.ts';
import type {Visit} from '../../machines/policies/inspect/visits.ts';
import {duration} from '../../machines/policies/text/durations.ts';
import {byId, element} from './dom.ts';

/** Highlights a state and its incoming and outgoing edges; everything else is dimmed. */
export function highlightState(drawing: SVGSVGElement, state: string | null): void {
  drawing.classList.toggle('pointed', state !== null);
  const near = new Set<string>();
  for (const part of drawing.querySelectorAll<SVGGElement>('[data-from]')) {
    const {from = '', to = ''} = part.dataset;
    const isHot = state !== null && (from === state || to === state);
    part.classList.toggle('hot', isHot);
    part.classList.toggle('in', isHot && to === state);
    if (isHot) near.add(from).add(to);
  }
  for (const box of drawing.querySelectorAll<SVGGElement>('.state')) {
    const {state: id = ''} = box.dataset;
    box.classList.toggle('hot', id === state);
    box.classList.toggle('near', near.has(id));
  }
}

/** Below the chart: what a state means and how often it was visited; without a state, what is active. */
export function describeState(
  chart: Chart,
  state: string | null,
  active: ReadonlySet<string>,
  visits: Readonly<Record<string, Visit>> | null,
): void {
  const told = statesOf(chart.root).filter(({id, states}) =>
    state === null ? active.has(id) && states.length === 0 && !isWish(id) : id === state,
  );
  byId('about').replaceChildren(
    ...told.flatMap((each, index) => [
      ...(index > 0 ? [' · '] : []),
      element('strong', {}, each.key),
      ` ${each.description}`,
      ...visitWords(visits, pathIn(chart.root, each.id)),
    ]),
  );
}

/** That nothing was requested is not worth showing. */
const isWish = (id: string) => id.endsWith('.wish.none');

function visitWords(visits: Readonly<Record<string, Visit>> | null, path: string): HTMLElement[] {
  if (visits === null) return [];
  const visit = visits[path];
  const words = visit
    ? `visited ${visit.count}×${visit.milliseconds > 0 ? `, ${duration(visit.milliseconds)}` : ''}`
    : 'never visited';
  return [element('span', {class: 'quiet'}, ` — ${words}`)];
}

function pathIn(root: ChartState, id: string): string {
  const walk = (state: ChartState, path: string): string | null => {
    if (state.id === id) return path;
    for (const child of state.states) {
      const found = walk(child, pathOf(path, child.key));
      if (found !== null) return found;
    }
    return null;
  };
  return walk(root, '') ?? '';
}
