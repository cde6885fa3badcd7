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
  process.env.BLACKBIRD_PROGRAM ?? fileURLToPath(new URL('../dist/blackbird.js', import.meta.url));
const command = 'true';
const sizes = (process.argv[2] ?? '200,2000').split(',').map(Number);

const bareBefore = await bareSpawns(100);
const costs = sizes.map((size) => ({size, cost: costOf(size)}));
const bare = (bareBefore + (await bareSpawns(100))) / 2;

console.log(`bare execa spawn of "sh -c ${command}"`.padEnd(40), `${bare.toFixed(2)} ms`);
for (const {size, cost} of costs) {
  console.log(
    `per task, plan of ${size}`.padEnd(40),
    `${cost.toFixed(2)} ms   ${(cost / bare).toFixed(2)} x bare spawn   ${(cost / costs[0].cost).toFixed(2)} x plan of ${costs[0].size}`,
  );
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
  rmSync(folder, {recursive: true});
  return time;
}
