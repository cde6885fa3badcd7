// `npm run bench`: every figure beside a floor that was measured in the same rounds. `--quick`: small, in about a minute.
// `--only start-up,tasks`: these alone. `--json`: the figures as data. `--write`: docs/speed.{md,svg,json} and the README from them.
// `--check`: measures nothing; fails where one of these does not say what the data says.
import {writeFileSync} from 'node:fs';
import {availableParallelism, loadavg} from 'node:os';
import {parseArgs} from 'node:util';
import {documentsOf, outdatedDocuments, placeOf} from './bench/documents.mjs';
import {asText} from './bench/report.mjs';

const all = ['start-up', 'tasks', 'pause', 'output', 'tui', 'inspector', 'snapshot'];
const {values: asked} = parseArgs({
  options: {
    quick: {type: 'boolean', default: false},
    only: {type: 'string', default: all.join(',')},
    json: {type: 'boolean', default: false},
    write: {type: 'boolean', default: false},
    check: {type: 'boolean', default: false},
  },
});
const names = asked.check ? [] : asked.only.split(',');
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no benchmark is called ${unknown.join(', ')}: ${all.join(', ')}`);
if (asked.write && (asked.quick || asked.only !== all.join(',')))
  throw new Error('--write takes all figures at full size: leave out --quick and --only');
const outdated = asked.check ? outdatedDocuments() : [];
if (outdated.length > 0) throw new Error(`not what docs/speed.json says: ${outdated.join(', ')}`);

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
  for (const [file, text] of Object.entries(documentsOf(result))) writeFileSync(placeOf(file), text);
}
