// Writes the machines and their diagrams into docs/machines.md, from the definitions themselves.
// `node scripts/diagrams.mjs`, or `--check` to be told, by exit code 1, that they are stale.
import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {importSource} from './import-source.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs/machines.md');
const [begin, end] = ['<!-- machines: written by "npm run diagrams" -->', '<!-- machines: end -->'];

const text = await readFile(page, 'utf8');
const [from, to] = [text.indexOf(begin), text.indexOf(end)];
if (from < 0 || to < from)
  throw new Error(`docs/machines.md has no place for the machines: ${begin} … ${end}`);
const fresh = text.slice(0, from) + begin + sectionOf(await loadMachines()) + text.slice(to);

if (!process.argv.includes('--check')) await writeFile(page, fresh);
else if (fresh !== text) {
  console.error('The machines in docs/machines.md are stale: npm run diagrams');
  process.exitCode = 1;
}

function sectionOf(machines) {
  const overview = tableOf(
    ['machine', 'owns'],
    machines.map(({name, about}) => [`\`${name}\``, about]),
  );
  const drawings = machines.map(({name, diagram, states}) => {
    const missing = states.filter(([, meaning]) => meaning === '').map(([state]) => state);
    if (missing.length > 0)
      throw new Error(`src/machines/descriptions does not say what ${name} ${missing.join(', ')} means`);
    const meanings = tableOf(
      ['state', 'means'],
      states.map(([state, meaning]) => [`\`${state}\``, meaning]),
    );
    return `<details><summary><code>${name}</code>, drawn</summary>\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n${meanings}\n\n</details>`;
  });
  return `\n\n${overview}\n\n${drawings.join('\n')}\n\n`;
}

function tableOf(titles, rows) {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells, fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column], fill)).join(' | ')} |`;
  return [
    line(titles),
    line(
      titles.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n');
}

async function loadMachines() {
  const {drawn} = await importSource(`
    import {machines} from './src/machines/machines.ts';
    import {chartOf} from './src/machines/policies/inspect/chart.ts';
    import {mermaidChart, stateRows} from './src/machines/policies/inspect/chart-text.ts';
    export const drawn = machines.map(({name, about, machine}) => {
      const chart = chartOf(machine);
      return {name, about, diagram: mermaidChart(chart), states: stateRows(chart)};
    });`);
  return drawn;
}
