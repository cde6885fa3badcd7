import type {Chart, ChartState} from '../../machines/policies/inspect/chart.ts';
import {type ElkEdge, type ElkNode, type Line, metrics, type Point} from './chart-graph.ts';
import type {LaidOutChart} from './chart-layout.ts';
import {svg} from './dom.ts';

export type Highlight = {readonly active: ReadonlySet<string>; readonly taken: ReadonlySet<string>};

/** Draws a chart: states as boxes in boxes, transitions as lettered lines, what is active filled. */
export function drawChart(
  chart: Chart,
  laidOut: LaidOutChart,
  highlight: Highlight,
  summary: string,
): SVGSVGElement {
  const {width, height} = laidOut;
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': summary,
    class: 'chart-drawing',
  });
  drawing.append(arrowHeads());
  const edges = laidOut.elk.edges ?? [];
  const isTaken = (edge: ElkEdge) =>
    (laidOut.labels.get(edge.id) ?? []).some(
      ({transition}) => transition !== null && highlight.taken.has(transition),
    );
  for (const node of laidOut.elk.children ?? []) drawing.append(...drawNode(node, laidOut, highlight));
  // The transition that was just taken is drawn last, on top.
  for (const edge of [...edges].sort((a, b) => Number(isTaken(a)) - Number(isTaken(b)))) {
    drawing.append(drawEdge(edge, isTaken(edge)));
  }
  for (const edge of edges) drawing.append(drawLabel(edge, laidOut.labels.get(edge.id) ?? [], highlight));
  drawing.dataset.chart = chart.id;
  return drawing;
}

function drawNode(node: ElkNode, laidOut: LaidOutChart, highlight: Highlight): SVGElement[] {
  const {id, x = 0, y = 0, width = 0, height = 0, children = []} = node;
  const state = laidOut.states.get(id);
  if (!state) {
    const radius = metrics.dot / 2;
    return [svg('circle', {class: 'initial', cx: x + radius, cy: y + radius, r: radius - 1})];
  }
  const isActive = highlight.active.has(id);
  const box = svg('g', {class: classesOf(state, isActive, laidOut), 'data-state': id});
  box.append(svg('rect', {x, y, width, height, rx: 8}));
  if (state.type === 'final')
    box.append(svg('rect', {x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5}));
  const name = `${isActive ? '● ' : ''}${state.key}`;
  box.append(svg('text', {class: 'name', x: x + metrics.pad, y: y + metrics.pad + 13}, name));
  (laidOut.lines.get(id) ?? []).forEach((line, index) => {
    const top = y + metrics.pad + metrics.title + index * metrics.line;
    box.append(textLine(line, x + metrics.pad, top, highlight));
  });
  return [box, ...children.flatMap((child) => drawNode(child, laidOut, highlight))];
}

function classesOf(state: ChartState, isActive: boolean, {states}: LaidOutChart): string {
  const parent = states.get(state.id.slice(0, state.id.lastIndexOf('.')));
  return [
    'state',
    state.type,
    ...(state.states.length > 0 ? ['holds'] : []),
    ...(parent?.type === 'parallel' ? ['region'] : []),
    ...(isActive ? ['active'] : []),
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
  return svg('g', {class: isTaken ? 'edge taken' : 'edge', 'data-edge': edge.id}, ...lines);
}

function drawLabel(edge: ElkEdge, lines: readonly Line[], highlight: Highlight): SVGElement {
  const label = svg('g', {class: 'edge-label'});
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

/** Where to look when the drawing is larger than the room: the innermost active state. */
export function activeBox(drawing: SVGSVGElement): SVGGraphicsElement | null {
  return drawing.querySelector<SVGGraphicsElement>('.state.active:not(.holds)');
}
