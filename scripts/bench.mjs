// `npm run bench`: every figure beside a floor that was measured in the same rounds. `--quick`: small, in about a minute.
// `--only start-up,tasks`: these alone. `--json`: the figures as data. `--write`: docs/speed.{md,svg,json} from them.
import {readFileSync, writeFileSync} from 'node:fs';
import {availableParallelism, loadavg} from 'node:os';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {plotOf} from './bench/plot.mjs';
import {asTables, asText, replaceFigures} from './bench/report.mjs';

const all = ['start-up', 'tasks', 'pause', 'output', 'tui', 'inspector', 'snapshot'];
const {values: asked} = parseArgs({
  options: {
    quick: {type: 'boolean', default: false},
    only: {type: 'string', default: all.join(',')},
    json: {type: 'boolean', default: false},
    write: {type: 'boolean', default: false},
  },
});
const names = asked.only.split(',');
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no benchmark is called ${unknown.join(', ')}: ${all.join(', ')}`);
if (asked.write && asked.quick) throw new Error('--write takes figures at full size: leave out --quick');

const loadBefore = loadavg()[0];
const sections = [];
for (const name of names) {
  const {title, measure} = await import(`./bench/${name}.mjs`);
  const section = {name, title, ...(await measure({isQuick: asked.quick}))};
  sections.push(section);
  if (!asked.json) console.log(`${asText(section)}\n`);
}
const result = {
  machine: {
    ...{
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cores: availableParallelism(),
    },
    // The floors tell how busy it really was; this, whether anything else ran when it began.
    loadBefore,
  },
  measuredAt: new Date().toISOString(),
  sections,
};
if (asked.json) console.log(JSON.stringify(result, null, 2));
if (asked.write) {
  const docs = (name) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
  const {node, cores} = result.machine;
  const load = `load ${loadBefore.toFixed(1)} before it began`;
  const head = `Measured on ${result.measuredAt.slice(0, 10)}: ${cores} cores, Node ${node}, ${load}. [The same as data](speed.json).`;
  const page = readFileSync(docs('speed.md'), 'utf8');
  writeFileSync(docs('speed.md'), replaceFigures(page, `${head}\n\n${asTables(sections)}`));
  writeFileSync(docs('speed.svg'), plotOf(sections));
  writeFileSync(docs('speed.json'), `${JSON.stringify(result, null, 2)}\n`);
}
