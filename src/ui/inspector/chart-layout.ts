import {type Chart, statesOf} from '../../machines/policies/inspect/chart.ts';
import {ask} from './api.ts';
import {type ChartGraph, chartGraph, type Direction, type ElkNode} from './chart-graph.ts';
import {textWidth} from './text-width.ts';

export type LaidOutChart = ChartGraph & {readonly width: number; readonly height: number};
export type Size = {readonly width: number; readonly height: number};

/** Made when Blackbird was built, by scripts/layouts.mjs. */
type Layouts = Readonly<Record<Direction, ElkNode>>;

const layouts = new Map<string, Promise<Layouts | null>>();

/** The chart as it fits best into the room there is: from left to right, or downwards. Null for one of another build. */
export async function layoutChart(chart: Chart, room: Size): Promise<LaidOutChart | null> {
  const found = await (layouts.get(chart.id) ?? load(chart.id));
  if (found === null || !isOf(chart, found.DOWN)) return null;
  const [right, down] = [found.RIGHT, found.DOWN];
  const direction = fitOf(right, room) >= fitOf(down, room) ? 'RIGHT' : 'DOWN';
  const elk = found[direction];
  const graph = chartGraph(chart, textWidth, direction, 'DEPTH_FIRST');
  return {...graph, elk, width: elk.width ?? 1, height: elk.height ?? 1};
}

/** All of them at once: whoever serves the page may be gone when the next one is looked at. */
export async function loadLayouts(ids: readonly string[]): Promise<void> {
  for (const id of ids) await (layouts.get(id) ?? load(id));
}

function load(id: string): Promise<Layouts | null> {
  const asked = ask<Layouts>(`layouts/${id}.json`).catch(() => {
    layouts.delete(id);
    return null;
  });
  layouts.set(id, asked);
  return asked;
}

export const fitOf = ({width = 1, height = 1}: Partial<Size>, room: Size) =>
  Math.min(room.width / width, room.height / height);

function isOf(chart: Chart, layout: ElkNode): boolean {
  const drawn = new Set<string>();
  const walk = (node: ElkNode) => {
    drawn.add(node.id);
    for (const child of node.children ?? []) walk(child);
  };
  walk(layout);
  return statesOf(chart.root).every(({id}) => drawn.has(id));
}
