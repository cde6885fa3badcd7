// A project in a folder of its own, the built program run there, and its processes told from all others.
import {execFile, execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = process.env.BLACKBIRD_PROGRAM ?? here('../../dist/blackbird.cjs');
const layer = here('./fs-layer.cjs');
const copy = promisify(execFile);

/** `around` is the project's own; what it holds of it at one moment can be kept and put back. */
export function createProject(around, {tasks, settings, files = {}, env: added = {}}) {
  const root = path.join(around, 'now');
  const [folder, home] = [path.join(root, 'project'), path.join(root, 'home')];
  for (const each of [home, path.join(folder, '.blackbird')]) mkdirSync(each, {recursive: true});
  const items = Object.fromEntries(tasks.map((task) => [task.id, task]));
  const given = {
    'blackbird.plan.json': `${JSON.stringify({schemaVersion: 1, items}, null, 2)}\n`,
    '.blackbird/config.json': JSON.stringify({schemaVersion: 1, ...settings}),
    '.blackbird/agent.json': JSON.stringify({schemaVersion: 1, selectedAgent: 'demo'}),
    '.gitignore': '.blackbird/\nblackbird.plan.json\n',
    ...files,
  };
  for (const [name, text] of Object.entries(given)) writeFileSync(path.join(folder, name), text);
  const person = {NAME: 'u', EMAIL: 'u@localhost'};
  const env = {
    HOME: home,
    LANG: 'C.UTF-8',
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      Object.entries(person).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
    BLACKBIRD_TEST_PROJECT: root,
    ...added,
  };
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'before'],
  ])
    execFileSync('git', args, {cwd: folder, env});

  /** A command that runs; `point`: where it is killed. */
  const start = (args, point) => {
    const loaded = point ? ['--require', layer] : [];
    const child = spawn(process.execPath, [...loaded, program, ...args], {
      cwd: folder,
      env: {...env, ...(point ? {BLACKBIRD_CRASH_POINT: JSON.stringify({root, ...point})} : {})},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = {out: '', err: ''};
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed.err += text;
    });
    const promise = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({code, signal, ...printed}));
    });
    return {child, promise};
  };

  /** How a command ended and what it printed. `interrupt`: Ctrl+C once this file is there. */
  const run = async (args, {point, interrupt} = {}) => {
    const {child, promise} = start(args, point);
    let isOver = interrupt === undefined;
    const ended = promise.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if (existsSync(path.join(folder, interrupt))) {
        child.kill('SIGINT');
        break;
      }
      await Promise.race([ended, delay(20)]);
    }
    return ended;
  };

  return {
    root,
    folder,
    start,
    run,
    keep: (name) => copy('cp', ['-a', root, path.join(around, name)]),
    putBack: async (name) => {
      rmSync(root, {recursive: true, force: true});
      await copy('cp', ['-a', path.join(around, name), root]);
    },
    /** Waits until no agent of the project is alive; those that stay. */
    survivors: async (milliseconds = 30_000) => {
      const deadline = performance.now() + milliseconds;
      for (;;) {
        const alive = processesOf(root).filter(({environment}) =>
          environment.includes('\0BLACKBIRD_RUN_ID='),
        );
        if (alive.length === 0 || performance.now() > deadline) return alive.map(({pid}) => pid);
        await delay(25);
      }
    },
    end: () => {
      for (const {pid} of processesOf(root)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself.
        }
      }
    },
  };
}

function processesOf(root) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const isDead = 'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
        return environment.includes(`\0BLACKBIRD_TEST_PROJECT=${root}\0`) && !isDead
          ? [{pid: Number(pid), environment}]
          : [];
      } catch {
        return [];
      }
    });
}
