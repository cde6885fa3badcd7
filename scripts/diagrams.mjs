// Writes the machines and their diagrams into docs/machines.md, from the definitions themselves.
// `node scripts/diagrams.mjs`, or `--check` to be told, by exit code 1, that they are stale.
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

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
  const names = ['machine', ...machines.map(({name}) => `\`${name}\``)];
  const facts = ['owns', ...machines.map(({about}) => about)];
  const [first, second] = [names, facts].map((column) => Math.max(...column.map((cell) => cell.length)));
  const rows = names.map((name, index) => `| ${name.padEnd(first)} | ${facts[index].padEnd(second)} |`);
  rows.splice(1, 0, `| ${'-'.repeat(first)} | ${'-'.repeat(second)} |`);
  const drawings = machines.map(
    ({name, diagram}) =>
      `<details><summary><code>${name}</code>, drawn</summary>\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n</details>`,
  );
  return `\n\n${rows.join('\n')}\n\n${drawings.join('\n')}\n\n`;
}

async function loadMachines() {
  const folder = await mkdtemp(path.join(tmpdir(), 'blackbird-diagrams-'));
  try {
    const outfile = path.join(folder, 'machines.mjs');
    await build({
      stdin: {
        contents: `
          import {machines} from './src/machines/machines.ts';
          import {chartOf} from './src/machines/policies/inspect/chart.ts';
          import {mermaidChart} from './src/machines/policies/inspect/chart-text.ts';
          export const drawn = machines.map(({name, about, machine}) => ({name, about, diagram: mermaidChart(chartOf(machine))}));`,
        resolveDir: root,
      },
      ...{outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning'},
    });
    return (await import(outfile)).drawn;
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
