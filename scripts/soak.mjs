// Thousands of tasks in one plan, with agents in trouble and a Blackbird that is killed, interrupted and started again.
// `npm run soak -- [--tasks 10000] [--seed n] [--kill-every 200]`. The last third is one life without a kill, whose
// memory is told.
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {readDisk} from './crash/disk.mjs';
import {createProject} from './crash/project.mjs';
import {randomNumbers} from './crash/random.mjs';

const {values} = parseArgs({
  options: {
    tasks: {type: 'string', default: '10000'},
    seed: {type: 'string', default: String(Date.now() % 1_000_000)},
    'kill-every': {type: 'string', default: '200'},
  },
});
const [count, seed, killEvery] = [values.tasks, values.seed, values['kill-every']].map(Number);
const random = randomNumbers(seed);
const troubles = ['fail', 'die', 'limit', 'outage', 'junk', 'child', 'stubborn', 'ask'];
const troubleRate = 0.04;
const signals = ['SIGKILL', 'SIGKILL', 'SIGINT', 'SIGTERM'];

const made = '2026-01-01T00:00:00Z';
const faults = {};
const meet = (name) => {
  faults[name] = (faults[name] ?? 0) + 1;
};
const tasks = Array.from({length: count}, (_, index) => {
  const id = `t${String(index).padStart(5, '0')}`;
  const trouble = random() < troubleRate ? troubles[Math.floor(random() * troubles.length)] : 'none';
  if (trouble !== 'none') meet(trouble);
  return {
    id,
    title: `Task ${id}`,
    description: '',
    acceptanceCriteria: [],
    prompt: `soak: ${id} ${trouble}`,
    parentId: null,
    childIds: [],
    deps: [],
    status: 'todo',
    createdAt: made,
    updatedAt: made,
  };
});

const around = mkdtempSync(path.join(tmpdir(), 'blackbird-soak-'));
const [state, work] = ['state', 'work'].map((name) => path.join(around, name));
for (const each of [state, work]) mkdirSync(each);
const agent = fileURLToPath(new URL('./crash/soak-agent.sh', import.meta.url));
const project = createProject(around, {
  tasks,
  settings: {execution: {retries: 3}},
  env: {BLACKBIRD_AGENT_CMD: `sh '${agent}'`, SOAK_STATE: state, SOAK_WORK: work},
});
const planFile = path.join(project.folder, 'blackbird.plan.json');
const statuses = () =>
  Object.values(JSON.parse(readFileSync(planFile, 'utf8')).items).map(({id, status}) => ({id, status}));
/** Tasks whose agents have done their work: cheap to ask for, again and again. */
const worked = () => readdirSync(work).length;

console.log(`${count} tasks, seed ${seed}, troubles ${JSON.stringify(faults)}`);
const start = performance.now();
const memory = [];
let orphans = 0;
let idle = 0;
let asked = ['execute'];
while (idle < 20) {
  const before = worked();
  const isLastLife = before > count * 0.66;
  const life = {until: isLastLife ? null : before + Math.ceil(random() * killEvery * 2)};
  const ended = await live(asked, life);
  orphans += (await project.survivors(20_000)).length;
  const open = statuses().filter(({status}) => status !== 'done');
  if (open.length === 0) break;
  asked = nextCommand(open);
  idle = worked() === before ? idle + 1 : 0;
  if (ended.signal === null && ![0, 1, 3, 4, 75, 130].includes(ended.code))
    throw new Error(`blackbird ended with ${ended.code}: ${ended.err}`);
}
report();

/** Runs a command, looks at its memory, and ends it by a signal once so many tasks have been worked on. */
async function live(args, {until}) {
  let ended = null;
  const {child, promise} = project.start(args);
  const over = promise.then((result) => {
    ended = result;
  });
  let lastWord = 0;
  const life = [];
  while (ended === null) {
    const [done, rss] = [worked(), residentMegabytes(child.pid)];
    if (rss !== null) life.push(rss);
    if (until !== null && done >= until) {
      until = null;
      const signal = signals[Math.floor(random() * signals.length)];
      await delay(random() * 60);
      child.kill(signal);
      meet(signal);
    }
    if (done - lastWord >= 500) console.log(`${done} tasks, ${life.at(-1)} MB, ${seconds()} s`);
    if (done - lastWord >= 500) lastWord = done;
    await Promise.race([over, delay(100)]);
  }
  // Start-up is over with the third look.
  if (life.length > 6) memory.push({start: life[3], end: life.at(-1), looks: life.length});
  return ended;
}

/** What a person types for the first task that is left: its record says what it needs. */
function nextCommand(open) {
  const left = open.find(({status}) => status !== 'todo');
  if (left === undefined) return ['execute'];
  const runs = readdirSync(path.join(project.folder, '.blackbird', 'runs', left.id))
    .filter((name) => /^[^.].*\.json$/.test(name))
    .map((name) =>
      JSON.parse(readFileSync(path.join(project.folder, '.blackbird', 'runs', left.id, name), 'utf8')),
    )
    .sort((first, second) => first.attempt - second.attempt);
  const run = runs.at(-1);
  if (run?.state === 'waiting') return ['resume', left.id, '--answer', 'it=this', '--execute'];
  if (run?.state === 'failed') return ['restart', left.id, '--yes'];
  // A run that still says running is found by the next execute, which names what helps.
  if (run?.state === 'paused')
    return run.resumable ? ['resume', left.id, '--execute'] : ['restart', left.id, '--yes'];
  return ['execute'];
}

function residentMegabytes(pid) {
  try {
    const kilobytes = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
}

function seconds() {
  return Math.round((performance.now() - start) / 1_000);
}

/** A loss is a task that is not done, or done without its work or without one run that succeeded, once. */
function report() {
  const disk = readDisk(project.folder);
  const runs = new Map();
  for (const {run} of disk.records) runs.set(run.task_id, [...(runs.get(run.task_id) ?? []), run]);
  const sessions = new Set(disk.records.map(({run}) => run.provider_session_ref));
  const lost = disk.ids().filter((id) => {
    const succeeded = (runs.get(id) ?? []).filter((run) => run.state === 'succeeded');
    const lines = existsSync(path.join(work, id))
      ? readFileSync(path.join(work, id), 'utf8').trim().split('\n')
      : [];
    const isKnown = lines.length > 0 && lines.every((session) => sessions.has(session));
    return disk.status(id) !== 'done' || succeeded.length !== 1 || !isKnown;
  });
  const longest = memory.toSorted((first, second) => second.looks - first.looks)[0];
  const all = Object.values(faults).reduce((sum, each) => sum + each, 0);
  console.log(`tasks ${count}, runs ${disk.records.length}, faults ${all} ${JSON.stringify(faults)}`);
  console.log(
    `losses ${lost.length}${lost.length > 0 ? `: ${lost.slice(0, 10).join(' ')}` : ''}, orphans ${orphans}`,
  );
  console.log(`memory of the longest life: ${longest?.start} MB at its start, ${longest?.end} MB at its end`);
  console.log(`seconds ${seconds()}, seed ${seed}`);
  process.exitCode = lost.length + orphans > 0 ? 1 : 0;
  if (process.exitCode === 0) rmSync(around, {recursive: true, force: true});
  else console.log(`left to be looked at: ${around}`);
}
