// What recording a task's change costs: snapshots of a repository of 20,000 files, and the summary of a change.
// `node scripts/bench-changes.mjs [files] [rounds]`. Measures the sources, not `dist`.
import {execFileSync} from 'node:child_process';
import {appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const count = Number(process.argv[2] ?? 20_000);
const rounds = Number(process.argv[3] ?? 5);
const around = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-'));
const root = path.join(around, 'project');
const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'src');

try {
  makeRepository();
  const {createChangeTracker, projectFolder, reviewRules} = await loadSources();
  const open = () =>
    createChangeTracker({project: projectFolder(root), env: process.env, rules: reviewRules});

  const [first, initial] = await timed(() => open().snapshot());
  show(`first snapshot, ${count} files`, [first]);

  const times = {newProcess: [], unchanged: [], changed: [], summary: [], untouched: [], status: []};
  const tracker = open();
  for (let round = 0; round < rounds; round++) {
    times.newProcess.push((await timed(() => open().snapshot()))[0]);
    const [unchanged, before] = await timed(() => tracker.snapshot());
    times.unchanged.push(unchanged);
    appendFileSync(fileAt((round * 7) % count), `// round ${round}\n`);
    const [changed, after] = await timed(() => tracker.snapshot(before));
    times.changed.push(changed);
    times.summary.push((await timed(() => tracker.summarize(before, after)))[0]);
    times.untouched.push((await timed(() => tracker.summarize(after, after)))[0]);
    times.status.push((await timed(async () => git('status', '--porcelain')))[0]);
    if (before === after || after === null || initial === null) throw new Error('the change was not seen');
  }
  show('nothing changed, first of a process', times.newProcess);
  show('nothing changed', times.unchanged);
  show('one file changed', times.changed);
  show('summary of one file', times.summary);
  show('summary of nothing', times.untouched);
  show('for comparison: git status', times.status);
} finally {
  rmSync(around, {recursive: true, force: true});
}

function makeRepository() {
  for (let index = 0; index < count; index++) {
    mkdirSync(path.dirname(fileAt(index)), {recursive: true});
    writeFileSync(fileAt(index), `export const value${index} = ${index};\n`.repeat(20 + (index % 200)));
  }
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'all');
  git('gc', '-q');
}

function fileAt(index) {
  return path.join(
    root,
    `package-${index % 200}`,
    'src',
    `part-${Math.floor(index / 200) % 10}`,
    `${index}.ts`,
  );
}

function git(...args) {
  execFileSync('git', ['-c', 'gc.auto=0', ...args], {cwd: root, stdio: ['ignore', 'ignore', 'inherit']});
}

async function loadSources() {
  const names = {
    createChangeTracker: 'services/git/change-tracker.ts',
    projectFolder: 'services/stores/project-folder.ts',
    reviewRules: 'machines/policies/review-summary.ts',
  };
  const outfile = path.join(around, 'sources.mjs');
  await build({
    stdin: {
      contents: Object.entries(names)
        .map(([name, file]) => `export {${name}} from ${JSON.stringify(path.join(source, file))};`)
        .join('\n'),
      resolveDir: source,
    },
    ...{outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning'},
    banner: {
      js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return import(outfile);
}

async function timed(job) {
  const start = performance.now();
  const result = await job();
  return [performance.now() - start, result];
}

function show(name, values) {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(name.padEnd(40), `${median.toFixed(0).padStart(6)} ms   max ${sorted.at(-1).toFixed(0)} ms`);
}
