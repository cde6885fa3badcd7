import {type Chart, type ChartState, pathOf} from '../../machines/policies/inspect/chart.ts';
import type {Visit} from '../../machines/policies/inspect/visits.ts';
import {duration} from '../../machines/policies/text/durations.ts';
import {type ElkEdge, type ElkNode, type Line, metrics, type Point} from './chart-graph.ts';
import type {LaidOutChart} from './chart-layout.ts';
import {svg} from './dom.ts';

/** What to show of a chart besides its shape. */
export type Highlight = {
  readonly active: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  /** The process is over: the active states are where it ended. */
  readonly isOver: boolean;
  /** By state path; null if not known yet. */
  readonly visits: Readonly<Record<string, Visit>> | null;
  readonly showsVisits: boolean;
};

/** Draws a chart: states as nested boxes, transitions as labelled lines, active states filled. */
export function drawChart(
  chart: Chart,
  laidOut: LaidOutChart,
  highlight: Highlight,
  summary: string,
): SVGSVGElement {
  const drawing = svg('svg', {
    role: 'group',
    'aria-label': summary,
    class: highlight.isOver ? 'chart-drawing over' : 'chart-drawing',
  });
  drawing.append(arrowHeads());
  const edges = laidOut.elk.edges ?? [];
  const isTaken = (edge: ElkEdge) =>
    (laidOut.labels.get(edge.id) ?? []).some(
      ({transition}) => transition !== null && highlight.taken.has(transition),
    );
  const paths = new Map<string, string>();
  const walk = (state: ChartState, path: string) => {
    paths.set(state.id, path);
    for (const child of state.states) walk(child, pathOf(path, child.key));
  };
  walk(chart.root, '');
  const part = {laidOut, highlight, paths};
  for (const node of laidOut.elk.children ?? []) drawing.append(...drawNode(node, part));
  // The transition just taken is drawn last, on top.
  for (const edge of [...edges].sort((a, b) => Number(isTaken(a)) - Number(isTaken(b)))) {
    drawing.append(drawEdge(edge, isTaken(edge)));
  }
  for (const edge of edges) drawing.append(drawLabel(edge, laidOut.labels.get(edge.id) ?? [], highlight));
  drawing.dataset.chart = chart.id;
  return drawing;
}

type Part = {
  readonly laidOut: LaidOutChart;
  readonly highlight: Highlight;
  /** State paths, because a custom id does not contain the path. */
  readonly paths: ReadonlyMap<string, string>;
};

function drawNode(node: ElkNode, part: Part): SVGElement[] {
  const {laidOut, highlight, paths} = part;
  const {id, x = 0, y = 0, width = 0, height = 0, children = []} = node;
  const state = laidOut.states.get(id);
  if (!state) {
    const radius = metrics.dot / 2;
    return [svg('circle', {class: 'initial', cx: x + radius, cy: y + radius, r: radius - 1})];
  }
  const isActive = highlight.active.has(id);
  const visit = highlight.visits?.[paths.get(id) ?? ''];
  const isRoot = paths.get(id) === '';
  const isDim = highlight.visits !== null && visit === undefined && !isActive && !isRoot;
  const box = svg('g', {
    class: classesOf(state, {isActive, isDim}, laidOut),
    'data-state': id,
    tabindex: isActive && state.states.length === 0 ? 0 : -1,
    role: 'img',
    'aria-label': [state.key, isActive ? 'active' : '', state.description].filter(Boolean).join(', '),
  });
  box.append(svg('rect', {x, y, width, height, rx: 8}));
  if (state.type === 'final')
    box.append(svg('rect', {x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5}));
  const name = `${isActive ? '● ' : ''}${state.key}`;
  box.append(svg('text', {class: 'name', x: x + metrics.pad, y: y + metrics.pad + 13}, name));
  (laidOut.lines.get(id) ?? []).forEach((line, index) => {
    const top = y + metrics.pad + metrics.title + index * metrics.line;
    box.append(textLine(line, x + metrics.pad, top, highlight));
  });
  if (highlight.showsVisits && visit) box.append(badge(visit, x + width, y));
  return [box, ...children.flatMap((child) => drawNode(child, part))];
}

function badge({count, milliseconds}: Visit, right: number, top: number): SVGElement {
  const text = milliseconds > 0 ? `×${count} ${duration(milliseconds)}` : `×${count}`;
  const width = text.length * 6.6 + 8;
  return svg(
    'g',
    {class: 'visits'},
    svg('rect', {x: right - width, y: top - 8, width, height: 16, rx: 8}),
    svg('text', {x: right - width / 2, y: top + 4, 'text-anchor': 'middle'}, text),
  );
}

function classesOf(
  state: ChartState,
  {isActive, isDim}: {isActive: boolean; isDim: boolean},
  {states}: LaidOutChart,
): string {
  const parent = states.get(state.id.slice(0, state.id.lastIndexOf('.')));
  return [
    'state',
    state.type,
    ...(state.states.length > 0 ? ['holds'] : []),
    ...(parent?.type === 'parallel' ? ['region'] : []),
    ...(isActive ? ['active'] : []),
    ...(isDim ? ['never'] : []),
  ].join(' ');
}

function textLine({text, transition}: Line, x: number, top: number, highlight: Highlight): SVGTextElement {
  const isTaken = transition !== null && highlight.taken.has(transition);
  return svg(
    'text',
    {class: isTaken ? 'line taken' : 'line', x, y: top + 11},
    `${isTaken ? '▸ ' : ''}${text}`,
  );
}

function drawEdge(edge: ElkEdge, isTaken: boolean): SVGElement {
  const lines = (edge.sections ?? []).map(({startPoint, bendPoints = [], endPoint}) =>
    svg('path', {
      d: roundedPath([startPoint, ...bendPoints, endPoint]),
      'marker-end': `url(#${isTaken ? 'arrow-taken' : 'arrow'})`,
    }),
  );
  const ends = {'data-from': edge.sources[0] ?? '', 'data-to': edge.targets[0] ?? ''};
  return svg('g', {class: isTaken ? 'edge taken' : 'edge', 'data-edge': edge.id, ...ends}, ...lines);
}

function drawLabel(edge: ElkEdge, lines: readonly Line[], highlight: Highlight): SVGElement {
  const ends = {'data-from': edge.sources[0] ?? '', 'data-to': edge.targets[0] ?? ''};
  // Read aloud one by one the labels say nothing; what may happen next is listed in words.
  const label = svg('g', {class: 'edge-label', 'aria-hidden': 'true', ...ends});
  const box = edge.labels?.[0];
  if (box) {
    lines.forEach((line, index) => {
      const text = textLine(line, (box.x ?? 0) + 4, (box.y ?? 0) + 1 + index * metrics.line, highlight);
      label.append(text);
    });
  }
  return label;
}

const corner = 6;

/** Right angles with rounded corners. */
function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${first.x} ${first.y}`];
  rest.forEach((point, index) => {
    const [before, after] = [points[index], rest[index + 1]];
    if (!before || !after) parts.push(`L${point.x} ${point.y}`);
    else {
      const [start, end] = [towards(point, before), towards(point, after)];
      parts.push(`L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`);
    }
  });
  return parts.join('');
}

function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(corner, length / 2) / length;
  return {x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share};
}

function arrowHeads(): SVGDefsElement {
  const head = (id: string) =>
    svg(
      'marker',
      {
        id,
        viewBox: '0 0 8 8',
        refX: 7.5,
        refY: 4,
        markerWidth: 8,
        markerHeight: 8,
        orient: 'auto',
        markerUnits: 'userSpaceOnUse',
      },
      svg('path', {d: 'M0 0L8 4L0 8z'}),
    );
  return svg('defs', {}, head('arrow'), head('arrow-taken'));
}
