import type {Chart} from '../../machines/policies/inspect/chart.ts';
import type {ElkEdge, ElkNode} from './chart-graph.ts';
import {fitOf, type LaidOutChart, type Size} from './chart-layout.ts';

/** Which part of a drawing is seen: the point in its middle, and how many pixels one of its units takes. */
export type Camera = {readonly x: number; readonly y: number; readonly scale: number};
export type Box = {readonly x: number; readonly y: number; readonly width: number; readonly height: number};

/** Letters are 11 pixels high at 1: below it nobody reads them. */
const readable = 1;
const largest = 1.35;
/** Of a part of a chart: what is around it tells more than larger letters do. */
const comfortable = 1.1;
export const [farthest, nearest] = [0.2, 4] as const;
const margin = 14;

export const wholeCamera = ({width, height}: Size, room: Size): Camera => ({
  x: width / 2,
  y: height / 2,
  scale: Math.min(largest, fitOf({width: width + 2 * margin, height: height + 2 * margin}, room)),
});

/** The whole chart where it can be read; else what is active, with as much around it as can be read. */
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

/** No room is left empty beside a drawing that could fill it. */
function filling({x, y, scale}: Camera, {width, height}: Size, room: Size): Camera {
  const within = (middle: number, length: number, seen: number) => {
    const half = seen / scale / 2 - margin;
    return length <= 2 * half ? length / 2 : Math.max(half, Math.min(length - half, middle));
  };
  return {scale, x: within(x, width, room.width), y: within(y, height, room.height)};
}

const inner = ({width, height}: Size): Size => ({width: width - 2 * margin, height: height - 2 * margin});

/** Where one transition leads to or comes from. */
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

/** Larger or smaller, with the point under the pointer where it was. `at` is measured from the middle of the room. */
export function zoomed(camera: Camera, by: number, at = {x: 0, y: 0}): Camera {
  const scale = Math.max(farthest, Math.min(nearest, camera.scale * by));
  return {
    scale,
    x: camera.x + at.x / camera.scale - at.x / scale,
    y: camera.y + at.y / camera.scale - at.y / scale,
  };
}

/** Moved by so many pixels, and never away from the drawing altogether. */
export function panned(camera: Camera, by: {x: number; y: number}, size: Size): Camera {
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    ...camera,
    x: within(camera.x + by.x / camera.scale, size.width),
    y: within(camera.y + by.y / camera.scale, size.height),
  };
}

/** The part of the drawing that is in the room. */
export const seenBox = ({x, y, scale}: Camera, {width, height}: Size): Box => ({
  x: x - width / scale / 2,
  y: y - height / scale / 2,
  width: width / scale,
  height: height / scale,
});
