// Measures the terminal UI in a real terminal: how quickly a key is answered while an agent prints 20,000 lines
// a second, what that costs, what idling costs, and how a plan of 2,000 tasks scrolls. Linux, with `script`.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

const program = fileURLToPath(new URL('../dist/blackbird.cjs', import.meta.url));
const around = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-tui-'));
const seconds = Number(process.argv[2] ?? 10);
const ticksPerSecond = 100;

const agent = path.join(around, 'agent.mjs');
writeFileSync(
  agent,
  `const line = (value) => JSON.stringify(value) + '\\n';
process.stdout.write(line({demo: 'session', id: '00000000-0000-4000-8000-000000000001'}));
process.on('SIGINT', () => process.exit(130));
let number = 0;
const began = performance.now();
setInterval(() => {
  const due = Math.floor((performance.now() - began) * 20);
  let text = '';
  while (number < due) text += line({demo: 'output', text: 'line ' + ++number + ' of a very talkative agent'});
  process.stdout.write(text);
}, 5);`,
);

/** The terminal UI in a terminal of its own. */
function open(tasks, env = {}) {
  const folder = mkdtempSync(path.join(around, 'project-'));
  writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify(planOf(tasks)));
  mkdirSync(path.join(folder, '.blackbird'));
  const command = `stty cols 120 rows 40; exec '${process.execPath}' '${program}'`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: {
      ...process.env,
      CI: '',
      TERM: 'xterm-256color',
      HOME: around,
      BLACKBIRD_AGENT_PROVIDER: 'demo',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', () => resolve(true)));
  child.stdin.on('error', () => {});
  const terminal = {text: '', bytes: 0, waiting: null};
  child.stdout.on('data', (chunk) => {
    terminal.bytes += chunk.length;
    terminal.text = (terminal.text + chunk).slice(-200_000);
    if (terminal.waiting?.pattern.test(terminal.text)) terminal.waiting.resolve(performance.now());
  });
  return {
    folder,
    bytes: () => terminal.bytes,
    /** Presses a key; the milliseconds until the screen shows what it leads to. */
    press: async (key, pattern, limit = 20_000) => {
      terminal.text = '';
      const start = performance.now();
      const seen = new Promise((resolve, reject) => {
        terminal.waiting = {pattern, resolve};
        setTimeout(() => reject(new Error(`no ${pattern} after ${JSON.stringify(key)}`)), limit).unref();
      });
      child.stdin.write(key);
      const end = await seen;
      terminal.waiting = null;
      return end - start;
    },
    /** Not that of \`script\`: that of Blackbird itself. */
    pid: () => Number(readdirSync('/proc').find((pid) => isOf(pid, child.pid)) ?? 0),
    /** Pauses what runs, then quits. */
    close: async () => {
      for (let tries = 0; tries < 20 && !(await Promise.race([closed, sleep(300, false)])); tries++) {
        if (child.stdin.writable) child.stdin.write('\x03');
      }
      child.kill('SIGKILL');
    },
  };
}

const busy = open(3, {BLACKBIRD_AGENT_CMD: `exec '${process.execPath}' '${agent}'`});
await busy.press('', /Next/);
await busy.press('\r', /Plan/);
await busy.press('e', /talkative/);
await sleep(5_000);
const latencies = [];
const [before, memoryBefore, since] = [cpu(busy.pid()), memory(busy.pid()), performance.now()];
while (performance.now() - since < seconds * 1000) {
  latencies.push(await busy.press('?', /Look at a task/), await busy.press('?', /working/));
  await sleep(50);
}
const used = (cpu(busy.pid()) - before) / ticksPerSecond / ((performance.now() - since) / 1000);
const lines = linesIn(busy.folder) / ((performance.now() - since) / 1000 + 5);
print('agent output', `${Math.round(lines)} lines/s`);
print('key to screen, median', `${quantile(latencies, 0.5).toFixed(0)} ms`);
print('key to screen, 99 %', `${quantile(latencies, 0.99).toFixed(0)} ms (${latencies.length} keys)`);
print('CPU of Blackbird', `${(used * 100).toFixed(0)} % of a core`);
print('memory', `${memoryBefore} MB, ${seconds} s later ${memory(busy.pid())} MB`);
await busy.close();

const idle = open(50);
await idle.press('', /Next/);
await idle.press('\r', /Plan/);
await sleep(2_000);
const [quietCpu, quietBytes] = [cpu(idle.pid()), idle.bytes()];
await sleep(seconds * 1000);
print('idle CPU', `${(((cpu(idle.pid()) - quietCpu) / ticksPerSecond / seconds) * 100).toFixed(2)} %`);
print('idle output', `${idle.bytes() - quietBytes} bytes`);
await idle.close();

const large = open(2_000);
await large.press('', /Next/);
await large.press('\r', /Plan/);
await sleep(500);
const steps = [];
for (let row = 1; row < 120; row++) steps.push(await large.press('j', new RegExp(`Task number ${row}\\b`)));
print('scroll 2,000 tasks, median', `${quantile(steps, 0.5).toFixed(0)} ms a row`);
print('scroll 2,000 tasks, 99 %', `${quantile(steps, 0.99).toFixed(0)} ms a row`);
print('to the end of 2,000 tasks', `${(await large.press('G', /Task number 1999/)).toFixed(0)} ms`);
await large.close();
rmSync(around, {recursive: true, force: true});

function print(what, value) {
  console.log(`${what.padEnd(30)} ${value}`);
}

function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function isOf(pid, parent) {
  if (!/^\d+$/.test(pid)) return false;
  try {
    const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return Number(rest.split(' ')[1]) === parent;
  } catch {
    return false;
  }
}

/** Processor time in ticks: its own, not that of the agents. */
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function memory(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

function linesIn(folder) {
  const runs = path.join(folder, '.blackbird', 'runs', 'task-0000');
  const log = readdirSync(runs).find((name) => name.endsWith('.stdout.log'));
  return Number(
    /line (\d+) of[^\n]*\n[^\n]*$/.exec(readFileSync(path.join(runs, log), 'utf8').slice(-4_096))[1],
  );
}

function planOf(count) {
  const at = '2026-01-01T00:00:00Z';
  const items = {};
  for (let index = 0; index < count; index++) {
    const id = `task-${String(index).padStart(4, '0')}`;
    items[id] = {
      ...{id, title: `Task number ${index}`, description: 'What is to be done.', prompt: 'Do it.'},
      ...{acceptanceCriteria: [], parentId: null, childIds: [], deps: [], status: 'todo'},
      ...{createdAt: at, updatedAt: at},
    };
  }
  return {schemaVersion: 1, items};
}
