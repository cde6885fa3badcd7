// The pages that quote a result: docs/speed.{md,svg,json} and the line of the README.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {plotOf} from './plot.mjs';
import {asTables, replaceFigures} from './report.mjs';

export const data = 'docs/speed.json';

export const placeOf = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const read = (file) => readFileSync(placeOf(file), 'utf8');

/** The text of each, as it is with this result. */
export function documentsOf(result) {
  const {machine, measuredAt, sections} = result;
  const when = `Measured on ${measuredAt.slice(0, 10)}: ${machine.cores} cores, Node ${machine.node}`;
  const head = `${when}, load ${machine.loadBefore.toFixed(1)} before it began. [The same as data](speed.json).`;
  return {
    'docs/speed.md': replaceFigures(read('docs/speed.md'), `${head}\n\n${asTables(sections)}`),
    'docs/speed.svg': plotOf(sections),
    [data]: `${JSON.stringify(result, null, 2)}\n`,
    'README.md': replaceSpeed(read('README.md'), speedOf(sections)),
  };
}

/** Those that do not say what the data says. */
export function outdatedDocuments() {
  const documents = documentsOf(JSON.parse(read(data)));
  return Object.keys(documents).filter((file) => documents[file] !== read(file));
}

const speedLine = /^- \*\*Speed\*\* [\s\S]*?(?=\n- )/m;

function replaceSpeed(page, text) {
  if (!speedLine.test(page)) throw new Error('the README has no line about speed');
  return page.replace(speedLine, () => text);
}

function speedOf(sections) {
  const find = (name, what) => {
    const {figures} = sections.find((section) => section.name === name) ?? {figures: []};
    // The last one: what is measured with git has the same without git as its last floor.
    const found = figures.findLast((each) => each.what === what);
    if (found === undefined) throw new Error(`nothing was measured of ${name}, ${what}`);
    return found;
  };
  const above = ({value, floorValue}) => `${Math.round(value - floorValue)} ms`;
  const version = find('start-up', '--version');
  const list = find('start-up', 'list --all, 1,000 tasks');
  const task = find('tasks', 'with git, plan of 200');
  const pause = find('pause', 'SIGINT to exit, recorded');
  const withGit = `${Math.round(task.value)} ms with git (${task.ratio.toFixed(1)} times)`;
  return [
    '- **Speed** (`npm run bench`): `blackbird --version` takes',
    `${above(version)} more than bare Node, and \`list\` of 1,000 tasks\n `,
    `${above(list)} more. In a plan of 200 tasks, each task costs ${Math.round(task.floorValue)} ms on top of its agent, or\n `,
    `${withGit}. A pause is recorded and complete in ${Math.round(pause.value)} ms.`,
  ].join(' ');
}
