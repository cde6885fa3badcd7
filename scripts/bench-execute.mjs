// What a task costs besides the agent's own work: whole plans with a trivial agent, against bare execa spawns
// of the same command in the same run.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';

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
  writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify(planOf(size), null, 2));
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

function planOf(count) {
  const at = '2026-01-01T00:00:00Z';
  const items = {};
  for (let index = 0; index < count; index++) {
    const id = `task-${String(index).padStart(5, '0')}`;
    items[id] = {
      id,
      title: `Task number ${index}`,
      description: 'A description of ordinary length that says what is to be done and why.',
      acceptanceCriteria: ['the tests pass', 'the command prints the result'],
      prompt: 'Implement the task as described and verify it with the tests.',
      parentId: null,
      childIds: [],
      deps: [],
      status: 'todo',
      createdAt: at,
      updatedAt: at,
    };
  }
  return {schemaVersion: 1, items};
}
