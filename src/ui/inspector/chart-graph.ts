import {
  type Chart,
  type ChartState,
  type ChartTransition,
  pathIn,
  statesOf,
  triggerLabel,
} from '../../machines/policies/inspect/chart.ts';

/** A line of text in a box or on an edge, and its transition, if any. */
export type Line = {readonly text: string; readonly transition: string | null};

/** The part of ELK's JSON that we use. */
export type ElkNode = {
  readonly id: string;
  width?: number;
  height?: number;
  x?: number;
  y?: number;
  readonly children?: readonly ElkNode[];
  readonly edges?: readonly ElkEdge[];
  readonly layoutOptions?: Readonly<Record<string, string>>;
};
export type ElkEdge = {
  readonly id: string;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  readonly labels?: readonly ElkLabel[];
  readonly sections?: readonly ElkSection[];
};
export type ElkLabel = {
  readonly text: string;
  readonly width: number;
  readonly height: number;
  x?: number;
  y?: number;
};
export type ElkSection = {
  readonly startPoint: Point;
  readonly endPoint: Point;
  readonly bendPoints?: readonly Point[];
};
export type Point = {readonly x: number; readonly y: number};

export type ChartGraph = {
  readonly elk: ElkNode;
  readonly states: ReadonlyMap<string, ChartState>;
  /** The lines in a state's box, below its name. */
  readonly lines: ReadonlyMap<string, readonly Line[]>;
  /** The lines on an edge. */
  readonly labels: ReadonlyMap<string, readonly Line[]>;
};

export type Measure = (text: string, kind: 'title' | 'line') => number;
export type Direction = 'RIGHT' | 'DOWN';
export type Cycles = 'DEPTH_FIRST' | 'GREEDY';

export const metrics = {title: 20, line: 15, pad: 10, dot: 12} as const;

/** A chart as an ELK graph. Edges between the same two states are merged, with a line per transition. */
export function chartGraph(chart: Chart, measure: Measure, direction: Direction, cycles: Cycles): ChartGraph {
  const states = new Map(statesOf(chart.root).map((state) => [state.id, state]));
  const lines = new Map<string, readonly Line[]>();
  const labels = new Map<string, Line[]>();
  const edges = new Map<string, {source: string; target: string}>();

  for (const transition of chart.transitions) {
    const {source, targets} = transition;
    for (const target of targets) {
      if (isInside(target, source)) continue;
      const id = `${source} ${target}`;
      edges.set(id, {source, target});
      labels.set(id, [...(labels.get(id) ?? []), edgeLine(states, transition)]);
    }
  }

  const options = layoutOptions(direction, cycles);
  const nodeOf = (state: ChartState): ElkNode => {
    const written = linesOf(chart, state);
    lines.set(state.id, written);
    const width = Math.max(
      measure(state.key, 'title') + 14,
      ...written.map(({text}) => measure(text, 'line')),
    );
    const head = metrics.pad + metrics.title + written.length * metrics.line;
    const size = {width: Math.ceil(width) + 2 * metrics.pad, height: head + metrics.pad};
    if (state.states.length === 0) return {id: state.id, ...size};
    const dot = state.initial === null ? [] : [initialDot(state)];
    return {
      id: state.id,
      layoutOptions: {
        ...options,
        'elk.padding': `[top=${head + 16},left=16,bottom=16,right=16]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${size.width},${size.height})`,
      },
      children: [...dot, ...state.states.map(nodeOf)],
    };
  };
  const root = nodeOf(chart.root);
  const starts = [...states.values()].flatMap(({id, initial}) =>
    initial === null ? [] : [{id: `initial ${id}`, sources: [dotId(id)], targets: [initial]}],
  );
  return {
    states,
    lines,
    labels,
    elk: {
      id: 'page',
      layoutOptions: {...options, 'elk.json.edgeCoords': 'ROOT', 'elk.json.shapeCoords': 'ROOT'},
      children: [root],
      edges: [
        ...starts,
        ...[...edges].map(([id, {source, target}]) => ({
          id,
          sources: [source],
          targets: [target],
          labels: [labelBox(labels.get(id) ?? [], measure)],
        })),
      ],
    },
  };
}

export const dotId = (state: string) => `${state} dot`;

function initialDot({id}: ChartState): ElkNode {
  return {
    id: dotId(id),
    width: metrics.dot,
    height: metrics.dot,
    layoutOptions: {'elk.layered.layering.layerConstraint': 'FIRST'},
  };
}

/** The only combination that neither crashes ELK across levels nor starts in the middle. */
function layoutOptions(direction: Direction, cycles: Cycles): Readonly<Record<string, string>> {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': direction,
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.layered.cycleBreaking.strategy': cycles,
    'elk.layered.considerModelOrder.strategy': 'NONE',
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.edgeLabels.placement': 'CENTER',
    'elk.spacing.nodeNode': '20',
    'elk.spacing.edgeNode': '12',
    'elk.spacing.edgeEdge': '8',
    'elk.spacing.edgeLabel': '1',
    'elk.layered.spacing.nodeNodeBetweenLayers': '16',
    'elk.layered.spacing.edgeNodeBetweenLayers': '10',
    'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
    'elk.layered.nodePlacement.strategy': 'LINEAR_SEGMENTS',
    'elk.layered.compaction.postCompaction.strategy': 'EDGE_LENGTH',
    'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'SPACE_EFFICIENT_LAYER',
  };
}

function labelBox(lines: readonly Line[], measure: Measure): ElkLabel {
  const width = Math.max(...lines.map(({text}) => measure(text, 'line')));
  return {text: 'label', width: Math.ceil(width) + 8, height: lines.length * metrics.line + 2};
}

/** An edge label, without actions: there are too many to draw. The text views have them. */
function edgeLine(states: ReadonlyMap<string, ChartState>, transition: ChartTransition): Line {
  const {id, source, trigger, guard} = transition;
  const [only, ...more] = states.get(source)?.invokes ?? [];
  const isObvious = more.length === 0 && only?.id === trigger.name;
  // The box names what it runs, and a bare condition is taken as soon as it holds.
  const name = isObvious ? trigger.type : triggerLabel(trigger);
  const event = trigger.type === 'always' && guard !== null ? [] : [name];
  return {text: [...event, ...(guard === null ? [] : [`[${guard}]`])].join(' '), transition: id};
}

function linesOf(chart: Chart, state: ChartState): Line[] {
  const plain = (text: string): Line => ({text, transition: null});
  const own = chart.transitions.filter(
    ({source, targets}) => source === state.id && targets.every((target) => isInside(target, source)),
  );
  return [
    ...(state.type === 'history' ? [plain('where it was before')] : []),
    ...state.invokes.map(({id, src}) => plain(`⚙ ${id === src ? src : `${src} as ${id}`}`)),
    ...(state.entry.length > 0 ? [plain(`entry / ${state.entry.join(', ')}`)] : []),
    ...(state.exit.length > 0 ? [plain(`exit / ${state.exit.join(', ')}`)] : []),
    ...own.map((transition) => ({text: ownLine(chart, transition), transition: transition.id})),
    ...(state.tags.length > 0 ? [plain(state.tags.map((tag) => `#${tag}`).join(' '))] : []),
  ];
}

function ownLine(chart: Chart, {trigger, guard, actions, targets}: ChartTransition): string {
  return [
    triggerLabel(trigger),
    ...(guard === null ? [] : [`[${guard}]`]),
    ...targets.map((target) => `→ ${pathIn(chart, target)}`),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
  ].join(' ');
}

/** An edge from a box to itself or its contents is written in the box: drawn, it would cross everything. */
const isInside = (target: string, source: string) => target === source || target.startsWith(`${source}.`);
