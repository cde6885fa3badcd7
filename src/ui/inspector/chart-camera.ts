import type {Chart} from '../../machines/policies/inspect/chart.ts';
import type {ElkEdge, ElkNode} from './chart-graph.ts';
import {fitOf, type LaidOutChart, type Size} from './chart-layout.ts';

/** The visible part of a drawing: its centre, and pixels per unit. */
export type Camera = {readonly x: number; readonly y: number; readonly scale: number};
export type Box = {readonly x: number; readonly y: number; readonly width: number; readonly height: number};

/** At scale 1 letters are 11 pixels high; smaller ones are unreadable. */
const readable = 1;
const largest = 1.35;
/** For a part of a chart: its surroundings are worth more than larger letters. */
const comfortable = 1.1;
export const [farthest, nearest] = [0.2, 4] as const;
const margin = 14;

export const wholeCamera = ({width, height}: Size, room: Size): Camera => ({
  x: width / 2,
  y: height / 2,
  scale: Math.min(largest, fitOf({width: width + 2 * margin, height: height + 2 * margin}, room)),
});

/** The whole chart if it is readable; else what is active, with as much around it as is readable. */
export function neighbourhoodCamera(
  chart: Chart,
  laidOut: LaidOutChart,
  {active, taken}: {readonly active: ReadonlySet<string>; readonly taken: ReadonlySet<string>},
  room: Size,
): Camera {
  const whole = wholeCamera(laidOut, room);
  if (whole.scale >= readable) return whole;
  const boxes = boxesOf(laidOut.elk);
  const isLeaf = (id: string) => laidOut.states.get(id)?.states.length === 0;
  const [first, ...others] = [...active].filter(isLeaf).flatMap((id) => boxes.get(id) ?? []);
  if (!first) return {...whole, scale: readable};
  let seen = first;
  const candidates = [
    ...chart.transitions.filter(({id}) => taken.has(id)).flatMap(({source}) => boxes.get(source) ?? []),
    ...others,
    ...nearestFirst(
      neighboursOf(laidOut, active).flatMap((id) => boxes.get(id) ?? []),
      first,
    ),
  ];
  for (const box of candidates) {
    const wider = union(seen, box);
    if (fitOf(wider, inner(room)) >= readable) seen = wider;
  }
  const scale = Math.min(comfortable, Math.max(readable, fitOf(seen, inner(room))));
  return filling({x: seen.x + seen.width / 2, y: seen.y + seen.height / 2, scale}, laidOut, room);
}

/** Leaves no blank space that the drawing could fill. */
function filling({x, y, scale}: Camera, {width, height}: Size, room: Size): Camera {
  const within = (middle: number, length: number, seen: number) => {
    const half = seen / scale / 2 - margin;
    return length <= 2 * half ? length / 2 : Math.max(half, Math.min(length - half, middle));
  };
  return {scale, x: within(x, width, room.width), y: within(y, height, room.height)};
}

const inner = ({width, height}: Size): Size => ({width: width - 2 * margin, height: height - 2 * margin});

/** States one transition away. */
function neighboursOf({elk}: LaidOutChart, active: ReadonlySet<string>): string[] {
  const ends = ({sources, targets}: ElkEdge) => [...sources, ...targets];
  return (elk.edges ?? []).filter((edge) => ends(edge).some((id) => active.has(id))).flatMap(ends);
}

export function boxesOf(root: ElkNode): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>();
  const walk = ({id, x = 0, y = 0, width = 0, height = 0, children = []}: ElkNode) => {
    boxes.set(id, {x, y, width, height});
    children.forEach(walk);
  };
  walk(root);
  return boxes;
}

function nearestFirst(boxes: readonly Box[], to: Box): Box[] {
  const distance = (box: Box) =>
    Math.hypot(box.x + box.width / 2 - to.x - to.width / 2, box.y + box.height / 2 - to.y - to.height / 2);
  return boxes.toSorted((one, other) => distance(one) - distance(other));
}

function union(one: Box, other: Box): Box {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

/** Zooms, keeping the point under the pointer in place. `at` is relative to the centre. */
export function zoomed(camera: Camera, by: number, at = {x: 0, y: 0}): Camera {
  const scale = Math.max(farthest, Math.min(nearest, camera.scale * by));
  return {
    scale,
    x: camera.x + at.x / camera.scale - at.x / scale,
    y: camera.y + at.y / camera.scale - at.y / scale,
  };
}

/** Pans by pixels, but never completely away from the drawing. */
export function panned(camera: Camera, by: {x: number; y: number}, size: Size): Camera {
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    ...camera,
    x: within(camera.x + by.x / camera.scale, size.width),
    y: within(camera.y + by.y / camera.scale, size.height),
  };
}

/** The visible part of the drawing. */
export const seenBox = ({x, y, scale}: Camera, {width, height}: Size): Box => ({
  x: x - width / scale / 2,
  y: y - height / scale / 2,
  width: width / scale,
  height: height / scale,
});
