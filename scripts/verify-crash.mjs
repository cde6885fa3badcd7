// The built program is killed at its n-th step on the disk, for every n of a scenario that touches everything.
// `npm run verify:crash -- [--sample n] [--seed n] [--kinds before,after,torn,power,names] [--step words]
//  [--workers n] [--minutes n]`; `--kills n` and `--locks n` run the long forms of those suites instead.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {cutKinds, liveThrough, nameOf, pointsOf, stopKinds, tryPoint} from './crash/points.mjs';
import {randomNumbers, shuffled} from './crash/random.mjs';
import {steps} from './crash/scenario.mjs';

const {values} = parseArgs({
  options: {
    sample: {type: 'string'},
    seed: {type: 'string', default: '206'},
    kinds: {type: 'string', default: [...stopKinds, ...cutKinds].join(',')},
    step: {type: 'string', default: ''},
    workers: {type: 'string', default: String(availableParallelism())},
    minutes: {type: 'string', default: '0'},
    kills: {type: 'string'},
    locks: {type: 'string'},
  },
});

if (values.kills !== undefined)
  process.exitCode = suite('test/e2e/crash.test.ts', 'random moments', {BLACKBIRD_TEST_KILLS: values.kills});
else if (values.locks !== undefined)
  process.exitCode = suite('test/services/lock', 'whose holder is dead.*at the same moment', {
    BLACKBIRD_TEST_LOCK_ROUNDS: values.locks,
  });
else process.exitCode = await crashPoints();

function suite(file, name, env) {
  const args = ['vitest', 'run', '--project', 'system', file, '-t', name];
  return spawnSync('npx', args, {stdio: 'inherit', env: {...process.env, ...env}}).status;
}

async function crashPoints() {
  const around = mkdtempSync(path.join(tmpdir(), 'blackbird-crash-'));
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1_000);
  try {
    const isAsked = ({name}) => name.includes(values.step);
    const last = steps.findLastIndex(isAsked);
    const folders = Array.from({length: Number(values.workers)}, (_, place) =>
      path.join(around, String(place)),
    );
    const lives = await Promise.all(folders.map((folder) => liveThrough(folder, last)));
    const all = pointsOf(lives[0].counted, values.kinds.split(',')).filter(({place}) =>
      isAsked(steps[place]),
    );
    const chosen = shuffled(all, randomNumbers(Number(values.seed)));
    const queue = values.sample === undefined ? chosen : chosen.slice(0, Number(values.sample));
    console.log(
      `${steps.length} commands, ${all.length} points, ${queue.length} chosen (seed ${values.seed})`,
    );

    const counts = {};
    const wrong = [];
    let unreached = 0;
    const deadline = Number(values.minutes) > 0 ? start + Number(values.minutes) * 60_000 : Infinity;
    const work = async ({project}) => {
      while (queue.length > 0 && performance.now() < deadline) {
        const point = queue.shift();
        const {isReached, wrong: found} = await tryPoint(project, point);
        if (isReached) counts[point.kind] = (counts[point.kind] ?? 0) + 1;
        else unreached += 1;
        for (const each of found) {
          wrong.push(each);
          console.log(`WRONG ${nameOf(point)}\n  ${each}`);
        }
        const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
        if (done > 0 && done % 100 === 0)
          console.log(`${done} points, ${wrong.length} wrong, ${seconds()} s`);
      }
    };
    await Promise.all(lives.map(work));
    const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const byKind = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
    console.log(
      `points ${done} (${byKind.join(', ')}), past the end ${unreached}, not tried ${queue.length}`,
    );
    console.log(`wrong ${wrong.length}, seconds ${seconds()}`);
    return wrong.length === 0 && done > 0 ? 0 : 1;
  } finally {
    rmSync(around, {recursive: true, force: true});
  }
}
