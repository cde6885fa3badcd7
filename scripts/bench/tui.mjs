// The terminal UI in a real terminal: how quickly a key is answered while an agent prints 20,000 lines a second, what that
// costs, what idling costs, and how a plan of 2,000 tasks scrolls. Floors: Ink
// alone, and bare nodes that parse the same lines or wait.
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {figure, median, newFolder, newProject, program, quantile} from './harness.mjs';
import {sampleId, samplePlan} from './sample-plan.mjs';
import {costOf, openTerminal} from './terminal.mjs';

export const title = 'Terminal UI';

const bareInk = fileURLToPath(new URL('./bare-ink.mjs', import.meta.url));

export async function measure({isQuick}) {
  const seconds = isQuick ? 2 : 10;
  const keys = await bareRedraws(isQuick ? 20 : 100);
  const busy = await atWork(seconds);
  const reader = await readerOf(seconds);
  const idle = await idling(seconds);
  const sleeper = await sleeperOf(seconds);
  const rows = await scrolling(isQuick ? 30 : 119);
  const [key, redraw] = ['key to screen', 'bare Ink'];
  const [lines, bare] = ['bare node that parses the lines', 'bare node that waits'];
  const perSecond = (count) => count / seconds;
  return {
    figures: [
      figure(`${key}, 20,000 lines a second`, median(busy.keys), 'ms', redraw, median(keys)),
      figure(`${key}, 99 of 100`, quantile(busy.keys, 0.99), 'ms', redraw, quantile(keys, 0.99)),
      figure(
        'processor time, 20,000 lines a second',
        perSecond(busy.cpu) * 100,
        '%',
        lines,
        perSecond(reader.cpu) * 100,
      ),
      figure('memory, 20,000 lines a second', busy.memory, 'MB', lines, reader.memory),
      figure('frames, 20,000 lines a second', perSecond(busy.frames), 'a second', 'lines stored', busy.lines),
      figure('processor time, idle', perSecond(idle.cpu) * 100, '%', bare, perSecond(sleeper.cpu) * 100),
      figure('frames, idle', perSecond(idle.frames), 'a second', bare, 0),
      figure('a row of 2,000 tasks', median(rows), 'ms', redraw, median(keys)),
    ],
  };
}

async function openPlan(tasks, env = {}) {
  const project = await newProject(samplePlan(tasks), {env: {BLACKBIRD_AGENT_PROVIDER: 'demo', ...env}});
  const terminal = openTerminal(`exec '${process.execPath}' '${program}'`, project);
  await terminal.press('', /Next/);
  await terminal.press('\r', /Plan/);
  return {...terminal, folder: project.folder};
}

async function atWork(seconds) {
  const terminal = await openPlan(3, {BLACKBIRD_AGENT_CMD: `exec '${process.execPath}' '${talkative()}'`});
  await terminal.press('e', /talkative/);
  const began = performance.now();
  await sleep(seconds * 500);
  const keys = [];
  const {cpu, memory, frames} = await costDuring(terminal, seconds, async (isOver) => {
    while (!isOver()) {
      keys.push(await terminal.press('?', /Look at a task/), await terminal.press('?', /working/));
      await sleep(50);
    }
  });
  const lines = (linesIn(terminal.folder) / (performance.now() - began)) * 1_000;
  await terminal.close();
  return {keys, cpu, memory, frames, lines};
}

/** How many lines the log of the first task has, as the last one says. */
function linesIn(folder) {
  const runs = path.join(folder, '.blackbird', 'runs', sampleId(0));
  const log = path.join(
    runs,
    readdirSync(runs).find((name) => name.endsWith('.stdout.log')),
  );
  return Number(
    readFileSync(log, 'latin1')
      .slice(-4_096)
      .match(/line \d+ of/g)
      .at(-1)
      .slice(5, -3),
  );
}

async function idling(seconds) {
  const terminal = await openPlan(50);
  await sleep(2_000);
  const cost = await costDuring(terminal, seconds, () => sleep(seconds * 1_000));
  await terminal.close();
  return cost;
}

async function scrolling(count) {
  const terminal = await openPlan(2_000);
  const rows = [];
  for (let row = 1; row <= count; row++) {
    rows.push(await terminal.press('j', new RegExp(`Task number ${row}\\b`)));
  }
  await terminal.close();
  return rows;
}

/** How quickly nothing but Ink answers a key. */
async function bareRedraws(count) {
  const terminal = openTerminal(`exec '${process.execPath}' '${bareInk}'`, {
    folder: newFolder(),
    env: process.env,
  });
  await terminal.press('', /ready in row 37/);
  const keys = [];
  for (let index = 0; index < count; index++) {
    keys.push(await terminal.press(`${index % 10}`, new RegExp(`${index % 10} in row 37`)));
    await sleep(50);
  }
  await terminal.close();
  return keys;
}

async function costDuring(terminal, seconds, job) {
  const [before, frames, start] = [terminal.cost(), terminal.frames(), performance.now()];
  await job(() => performance.now() - start > seconds * 1_000);
  const [after, passed] = [terminal.cost(), (performance.now() - start) / 1_000];
  const share = seconds / passed;
  return {
    cpu: (after.seconds - before.seconds) * share,
    frames: (terminal.frames() - frames) * share,
    memory: after.memory,
  };
}

/** A node that parses each of the same lines and does nothing with it. */
const readerOf = (seconds) =>
  bareNode(
    seconds,
    `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(talkative())}]);
require('node:readline').createInterface({input: child.stdout}).on('line', JSON.parse);
process.once('SIGTERM', () => { child.kill('SIGKILL'); process.exit(); });`,
  );

const sleeperOf = (seconds) => bareNode(seconds, 'setInterval(() => {}, 1_000_000);');

async function bareNode(seconds, script) {
  const child = spawn(process.execPath, ['-e', script], {stdio: 'ignore'});
  await sleep(1_000);
  const before = costOf(child.pid);
  await sleep(seconds * 1_000);
  const after = costOf(child.pid);
  child.kill('SIGTERM');
  return {cpu: after.seconds - before.seconds, memory: after.memory};
}

/** An agent that prints 20 lines a millisecond. */
function talkative() {
  const file = path.join(newFolder(), 'agent.mjs');
  writeFileSync(
    file,
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
  return file;
}
