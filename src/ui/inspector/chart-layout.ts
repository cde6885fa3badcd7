import type {Chart} from '../../machines/policies/inspect/chart.ts';
import {type ChartGraph, chartGraph, type Direction, type ElkNode, type Measure} from './chart-graph.ts';

export type LaidOutChart = ChartGraph & {
  readonly elk: ElkNode;
  readonly width: number;
  readonly height: number;
};

type Elk = {layout(graph: ElkNode): Promise<ElkNode>};
declare const ELK: new (options: {workerUrl: string}) => Elk;

const cache = new Map<string, Promise<LaidOutChart>>();
let elk: Elk | undefined;

/** The chart as it fits best into the room there is: from left to right, or downwards. */
export async function layoutChart(
  chart: Chart,
  room: {width: number; height: number},
): Promise<LaidOutChart> {
  const [right, down] = await Promise.all([layout(chart, 'RIGHT'), layout(chart, 'DOWN')]);
  return scaleOf(right, room) >= scaleOf(down, room) ? right : down;
}

const scaleOf = ({width, height}: LaidOutChart, room: {width: number; height: number}) =>
  Math.min(room.width / width, room.height / height);

function layout(chart: Chart, direction: Direction): Promise<LaidOutChart> {
  const key = `${chart.id} ${direction}`;
  const known = cache.get(key);
  if (known) return known;
  const made = compute(chart, direction);
  cache.set(key, made);
  return made;
}

async function compute(chart: Chart, direction: Direction): Promise<LaidOutChart> {
  elk ??= new ELK({workerUrl: 'elk/elk-worker.min.js'});
  let failure: unknown;
  for (const cycles of ['DEPTH_FIRST', 'GREEDY'] as const) {
    try {
      const graph = chartGraph(chart, measure, direction, cycles);
      const laidOut = await elk.layout(graph.elk);
      return {...graph, elk: laidOut, width: laidOut.width ?? 1, height: laidOut.height ?? 1};
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

const canvas = document.createElement('canvas').getContext('2d');
const fonts = {title: '600 13px', line: '11px'} as const;

const measure: Measure = (text, kind) => {
  if (!canvas) return text.length * 7;
  canvas.font = `${fonts[kind]} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
};
