// Lets a built Blackbird work on a small plan until every kind of rest is on disk, and keeps the project as a
// fixture that later versions must be able to read and to go on with: test/fixtures/upgrade/<name>.
//
//   node scripts/record-project.mjs <name> [path of a built blackbird]
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';

const [name, program = path.resolve('dist/blackbird.cjs')] = process.argv.slice(2);
if (!name) throw new Error('usage: node scripts/record-project.mjs <name> [path of a built blackbird]');
const target = path.resolve('test/fixtures/upgrade', name);
const around = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'blackbird-record-')));
const folder = path.join(around, 'project');
const home = path.join(around, 'home');
fs.mkdirSync(folder);
fs.mkdirSync(home);

const at = '2026-01-01T00:00:00Z';
const tasks = [
  {id: 'done', prompt: 'demo: print Writing.\ndemo: write done.txt done'},
  {id: 'site', childIds: ['page']},
  {id: 'page', parentId: 'site', prompt: 'demo: write page.html <h1>Hello</h1>'},
  {id: 'question', prompt: 'demo: ask colour Which colour? | blue | green\ndemo: write palette.css chosen'},
  {id: 'slow', prompt: 'demo: write started.txt x\ndemo: sleep 600\ndemo: write slow.txt done'},
  {id: 'failed', prompt: 'demo: fail the disk of the demo is on fire'},
  {id: 'looked-at', prompt: 'demo: write looked-at.txt done'},
  {id: 'last', deps: ['done', 'slow'], prompt: 'demo: write last.txt done'},
].map((task) => ({
  title: `The task ${task.id}`,
  description: '',
  acceptanceCriteria: [],
  prompt: '',
  parentId: null,
  childIds: [],
  deps: [],
  status: 'todo',
  createdAt: at,
  updatedAt: at,
  ...task,
}));
write('blackbird.plan.json', {
  schemaVersion: 1,
  items: Object.fromEntries(tasks.map((task) => [task.id, task])),
});
write('.blackbird/agent.json', {schemaVersion: 1, selectedAgent: 'demo'});

function write(file, value) {
  fs.mkdirSync(path.dirname(path.join(folder, file)), {recursive: true, mode: 0o700});
  fs.writeFileSync(path.join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
}

function start(...args) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8'},
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  return {child, ended};
}

async function run(...args) {
  const code = await start(...args).ended;
  console.log(`${args.join(' ')}: ${code}`);
  return code;
}

await run('config', 'set', 'execution.pauseGraceSeconds', '5');
await run('execute', 'done');
await run('execute', 'page');
await run('execute', 'question');
await run('execute', 'failed');
await run('retry', 'failed');
const slow = start('execute', 'slow');
while (!fs.existsSync(path.join(folder, 'started.txt'))) await delay(50);
slow.child.kill('SIGINT');
console.log(`execute slow, interrupted: ${await slow.ended}`);
// Last: while a decision is open, nothing else starts.
await run('execute', 'looked-at', '--review');

/** What is made anew, hides the rest from git, or repeats what the journals of three kinds of runs show. */
const leftOut =
  /\.gitignore$|lock$|plan\.writes$|agent-versions|runs\/(done|page|question|failed)\/.*journal/;

fs.rmSync(target, {recursive: true, force: true});
for (const file of fs.readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort()) {
  const from = path.join(folder, file);
  if (!fs.statSync(from).isFile() || leftOut.test(file)) continue;
  fs.mkdirSync(path.dirname(path.join(target, file)), {recursive: true});
  fs.writeFileSync(path.join(target, file), withoutMachine(fs.readFileSync(from, 'utf8')));
}
fs.rmSync(around, {recursive: true, force: true});

/** Nothing of the machine it was recorded on: where, on which host, since which boot. */
function withoutMachine(text) {
  return text
    .replaceAll(folder, '/project')
    .replaceAll(home, '/home')
    .replaceAll(path.dirname(program), '/blackbird')
    .replaceAll(process.execPath, '/bin/node')
    .replaceAll(JSON.stringify(os.hostname()), '"host"')
    .replaceAll(/("boot_?[iI]d": ?")[^"]*"/g, '$1boot"')
    .replaceAll(/("pid_?[nN]amespace": ?")[^"]*"/g, '$1pid:[1]"');
}
