// What every benchmark shares: folders that are removed at the end, rounds in which everything is measured once
// (a slow moment of the machine meets all of it), medians, and the built program run with its own cost told.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

export const program =
  process.env.BLACKBIRD_PROGRAM ?? fileURLToPath(new URL('../../dist/blackbird.cjs', import.meta.url));
const costHook = fileURLToPath(new URL('./cost.cjs', import.meta.url));

/** Removed at the end, not between: a disk is slow to make files while others are being removed. */
const around = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-'));
process.once('exit', () => rmSync(around, {recursive: true, force: true}));

export const newFolder = () => mkdtempSync(path.join(around, 'f-'));

/** A folder with this plan and a home of its own. */
export function newProject(plan, {isRepository = false, env = {}} = {}) {
  const home = newFolder();
  const folder = path.join(home, 'project');
  mkdirSync(path.join(folder, '.blackbird'), {recursive: true});
  writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify(plan, null, 2));
  const project = {folder, env: {...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...env}};
  return isRepository ? committed(project) : Promise.resolve(project);
}

async function committed(project) {
  writeFileSync(path.join(project.folder, '.gitignore'), '.blackbird/\nblackbird.plan.json\n');
  writeFileSync(path.join(project.folder, 'done.txt'), '');
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...person, 'commit', '-qm', 'all'],
  ]) {
    await run('git', args, project);
  }
  return project;
}

/** The milliseconds from its start to its end. A command that fails has not been measured. */
export async function run(command, args, {folder, env = process.env, allows = [0]}) {
  const start = performance.now();
  const child = spawn(command, args, {cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe']});
  const {code, text} = await ended(child);
  const milliseconds = performance.now() - start;
  if (!allows.includes(code)) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${text}`);
  return milliseconds;
}

/** The exit code and the last of what a child printed to stderr. */
export function ended(child) {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({code, text}));
  });
}

/** A script of Node's with what it cost itself, without its children. */
export async function nodeWithCost(args, project) {
  const cost = costOf(project);
  const milliseconds = await run(process.execPath, [...cost.args, ...args], {...project, env: cost.env});
  return {milliseconds, ...cost.read()};
}

/** How to start a node that tells at its end what it cost. */
export function costOf({env}) {
  const file = path.join(newFolder(), 'cost.json');
  return {
    args: ['--require', costHook],
    env: {...env, BLACKBIRD_BENCH_COST: file},
    read: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}

export const runProgram = (args, project) => run(process.execPath, [program, ...args], project);

/** Every job once a round, in an order that turns; what each gave, by its name. */
export async function inRounds(rounds, jobs) {
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + round) % names.length];
      results[name].push(await jobs[name](round));
    }
  }
  return results;
}

export const median = (values) => quantile(values, 0.5);

export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** The median of each list. */
export const medians = (results) =>
  Object.fromEntries(Object.entries(results).map(([name, values]) => [name, median(values)]));

/** One figure beside the floor it was measured with. */
export const figure = (what, value, unit, floor, floorValue, note = '') => ({
  what,
  value,
  unit,
  floor,
  floorValue,
  note,
  ratio: floorValue > 0 ? value / floorValue : null,
});
