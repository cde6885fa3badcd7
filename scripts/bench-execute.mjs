// What a task costs besides the agent's own work: whole plans with a trivial agent, against bare execa spawns
// of the same command in the same run.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {samplePlan} from './sample-plan.mjs';

const program =
  process.env.BLACKBIRD_PROGRAM ?? fileURLToPath(new URL('../dist/blackbird.cjs', import.meta.url));
const command = 'true';
/** Removed at the end: a disk is slow to make files while others are being removed. */
const folders = [];
const sizes = (process.argv[2] ?? '200,2000').split(',').map(Number);

// Each round measures everything once, so that a slow moment of the machine meets all of it; the middle one counts.
const bare = [];
const costs = sizes.map((size) => ({size, rounds: []}));
for (let round = 0; round < 3; round++) {
  bare.push(await bareSpawns(100));
  for (const {size, rounds} of costs) rounds.push(costOf(size));
}
const bareCost = middleOf(bare);
const [first] = costs.map(({rounds}) => middleOf(rounds));

console.log(`bare execa spawn of "sh -c ${command}"`.padEnd(40), `${bareCost.toFixed(2)} ms`);
for (const {size, rounds} of costs) {
  const cost = middleOf(rounds);
  const ratios = `${(cost / bareCost).toFixed(2)} x bare spawn   ${(cost / first).toFixed(2)} x plan of ${sizes[0]}`;
  console.log(`per task, plan of ${size}`.padEnd(40), `${cost.toFixed(2)} ms   ${ratios}`);
}
for (const folder of folders) rmSync(folder, {recursive: true});

function middleOf(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** All of them, divided by their number, as for the tasks. */
async function bareSpawns(count) {
  const start = performance.now();
  for (let index = 0; index < count; index++) await execa('sh', ['-c', command], {input: 'x'});
  return (performance.now() - start) / count;
}

/** The whole execution without the start-up, divided by the number of tasks. */
function costOf(size) {
  return (executionTime(size) - executionTime(0)) / size;
}

function executionTime(size) {
  const folder = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-'));
  writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify(samplePlan(size), null, 2));
  const start = performance.now();
  execFileSync(process.execPath, [program, 'execute'], {
    cwd: folder,
    stdio: 'ignore',
    env: {...process.env, HOME: folder, BLACKBIRD_AGENT_CMD: command},
  });
  const time = performance.now() - start;
  folders.push(folder);
  return time;
}
