// Lays out the chart of every machine for the inspector's page: once, when Blackbird is built, so that the page draws
// at once and needs no layout engine. What did not change since the last build is taken from the cache.
import {createHash} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import ELK from 'elkjs/lib/elk.bundled.js';
import {importSource} from './import-source.mjs';

/** Raised when the same graph is to be laid out in another way. */
const method = 1;

export async function writeLayouts(root, folder) {
  const cache = path.join(root, 'node_modules', '.cache', 'blackbird-layouts');
  await mkdir(cache, {recursive: true});
  await mkdir(folder, {recursive: true});
  const elk = new ELK();
  for (const {name, graphs} of await loadGraphs()) {
    const layouts = {};
    for (const [direction, attempts] of Object.entries(graphs)) {
      layouts[direction] = await known(cache, attempts, () => laidOut(elk, attempts));
    }
    await writeFile(path.join(folder, `${name}.json`), JSON.stringify(layouts));
  }
}

async function known(cache, attempts, make) {
  const digest = createHash('sha256')
    .update(JSON.stringify([method, attempts]))
    .digest('hex');
  const file = path.join(cache, `${digest}.json`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Not laid out yet, or the file was cut: made again.
    const made = await make();
    await writeFile(file, JSON.stringify(made));
    return made;
  }
}

/** ELK fails with some graphs in one way of breaking cycles; the next is tried then. */
async function laidOut(elk, attempts) {
  let failure;
  for (const graph of attempts) {
    try {
      return compact(await elk.layout(graph));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

const round = (value) => Math.round(value * 10) / 10;
const pointOf = ({x, y}) => ({x: round(x), y: round(y)});

/** Places and sizes only. */
function compact({id, x = 0, y = 0, width = 0, height = 0, children = [], edges = []}) {
  return {
    id,
    x: round(x),
    y: round(y),
    width: round(width),
    height: round(height),
    ...(children.length > 0 && {children: children.map(compact)}),
    ...(edges.length > 0 && {edges: edges.map(compactEdge)}),
  };
}

function compactEdge({id, sources, targets, labels = [], sections = []}) {
  return {
    id,
    sources,
    targets,
    labels: labels.map(({text, x = 0, y = 0, width, height}) => ({
      text,
      x: round(x),
      y: round(y),
      width: round(width),
      height: round(height),
    })),
    sections: sections.map(({startPoint, endPoint, bendPoints = []}) => ({
      startPoint: pointOf(startPoint),
      endPoint: pointOf(endPoint),
      bendPoints: bendPoints.map(pointOf),
    })),
  };
}

async function loadGraphs() {
  const {charts} = await importSource(`
    import {machines} from './src/machines/machines.ts';
    import {chartOf} from './src/machines/policies/inspect/chart.ts';
    import {chartGraph} from './src/ui/inspector/chart-graph.ts';
    import {textWidth} from './src/ui/inspector/text-width.ts';
    export const charts = machines.map(({name, machine}) => {
      const chart = chartOf(machine);
      const graphs = (direction) =>
        ['DEPTH_FIRST', 'GREEDY'].map((cycles) => chartGraph(chart, textWidth, direction, cycles).elk);
      return {name, graphs: {RIGHT: graphs('RIGHT'), DOWN: graphs('DOWN')}};
    });`);
  return charts;
}
