// What recording a task's change costs in a large repository, against `git status` there. Measures the sources, not `dist`.
import {appendFileSync, mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {importSource} from '../import-source.mjs';
import {figure, inRounds, medians, newFolder, run} from './harness.mjs';

export const title = 'Snapshot of the working tree';

export async function measure({isQuick}) {
  const count = isQuick ? 2_000 : 20_000;
  const root = newFolder();
  await makeRepository(root, count);
  const {createChangeTracker, projectFolder, reviewRules} = await loadSources();
  const open = () =>
    createChangeTracker({project: projectFolder(root), env: process.env, rules: reviewRules});
  const size = `${count.toLocaleString('en')} files`;
  const tracker = open();
  const [first] = await timed(() => tracker.snapshot());
  let [before, after] = [null, null];
  const times = await inRounds(isQuick ? 3 : 7, {
    status: () => run('git', ['-c', 'gc.auto=0', 'status', '--porcelain'], {folder: root}),
    [`${size}, nothing changed`]: () => timed(() => tracker.snapshot()).then(([time]) => time),
    [`${size}, first of a process`]: () => timed(() => open().snapshot()).then(([time]) => time),
    [`${size}, one changed`]: async (round) => {
      before = await tracker.snapshot();
      appendFileSync(fileAt(root, (round * 7) % count), `// round ${round}\n`);
      const [time, found] = await timed(() => tracker.snapshot(before));
      after = found;
      if (after === null || after === before) throw new Error('the change was not seen');
      return time;
    },
    'summary of the change': () => timed(() => tracker.summarize(before, after)).then(([time]) => time),
  });
  const {status, ...found} = medians(times);
  const floor = 'git status';
  return {
    figures: [
      figure(`${size}, the very first`, first, 'ms', floor, status, 'once in a project'),
      ...Object.entries(found).map(([what, value]) => figure(what, value, 'ms', floor, status)),
    ],
  };
}

async function makeRepository(root, count) {
  for (let index = 0; index < count; index++) {
    const file = fileAt(root, index);
    mkdirSync(path.dirname(file), {recursive: true});
    writeFileSync(file, `export const value${index} = ${index};\n`.repeat(20 + (index % 200)));
  }
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...person, 'commit', '-qm', 'all'],
    ['gc', '-q'],
  ]) {
    await run('git', args, {folder: root});
  }
}

function fileAt(root, index) {
  const part = `part-${Math.floor(index / 200) % 10}`;
  return path.join(root, `package-${index % 200}`, 'src', part, `${index}.ts`);
}

function loadSources() {
  return importSource(`
    export {createChangeTracker} from './src/services/git/change-tracker.ts';
    export {projectFolder} from './src/services/stores/project-folder.ts';
    export {reviewRules} from './src/machines/policies/review/review-summary.ts';`);
}

async function timed(job) {
  const start = performance.now();
  const result = await job();
  return [performance.now() - start, result];
}
