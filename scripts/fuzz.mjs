// Everything that is read, fed with rubbish, and random lives of the engine, for longer than `npm test` does; then one line of 100 MB through the
// built program: npm run fuzz -- [--seed n] [--runs n]
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {sampleId, samplePlan} from './bench/sample-plan.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const {values} = parseArgs({options: {seed: {type: 'string'}, runs: {type: 'string'}}});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const runs = Number(values.runs ?? 2_000);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(runs) || runs < 1) {
  throw new Error('--seed and --runs must be whole numbers');
}
console.log(
  `seed ${seed}, ${runs} runs of each property; again: npm run fuzz -- --seed ${seed} --runs ${runs}`,
);

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const day = 24 * 60 * 60 * 1000;
const files = ['test/fuzz', 'test/machines/engine-invariants'];
const args = [vitest, 'run', '--project', 'heavy', ...files, `--testTimeout=${day}`, '--reporter=verbose'];
const env = {...process.env, FUZZ_SEED: String(seed), FUZZ_RUNS: String(runs)};
const {code} = await run(process.execPath, args, {cwd: root, env, stdio: 'inherit'});
const isWell = await longLine();
process.exitCode = code === 0 && isWell ? 0 : 1;

/** Runs a program; on Linux also the most memory it ever had, in MiB. */
function run(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, options);
    let memory = 0;
    const timer = setInterval(() => {
      try {
        const [, kilobytes] =
          /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        memory = Math.max(memory, Number(kilobytes ?? 0) / 1024);
      } catch {
        // It has ended, or this system does not tell.
      }
    }, 20);
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(timer);
      resolve({code, memory: Math.round(memory)});
    });
  });
}

/** An agent that says nothing but one line of 100 MB and NUL bytes, then what it has done. */
async function longLine() {
  const around = fs.mkdtempSync(path.join(os.tmpdir(), 'blackbird-fuzz-'));
  const agent = String.raw`cat >/dev/null; head -c 100000000 /dev/zero | tr '\0' '{'; head -c 1000000 /dev/zero; printf '\n\033]0;x\007done\n'`;
  fs.writeFileSync(path.join(around, 'blackbird.plan.json'), JSON.stringify(samplePlan(1)));
  const started = performance.now();
  const {code, memory} = await run(process.execPath, [path.join(root, 'dist/blackbird.cjs'), 'execute'], {
    cwd: around,
    env: {PATH: process.env.PATH, HOME: around, BLACKBIRD_AGENT_CMD: agent},
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const {items} = JSON.parse(fs.readFileSync(path.join(around, 'blackbird.plan.json'), 'utf8'));
  const {status} = items[sampleId(0)];
  fs.rmSync(around, {recursive: true, force: true});
  const isWell = code === 0 && status === 'done' && memory < 300;
  console.log(`a line of 100 MB: exit code ${code}, task ${status}, at most ${memory} MiB, ${seconds} s`);
  return isWell;
}
