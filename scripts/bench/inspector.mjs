// What `--inspect` costs a job: with no page open, and with one that reads everything, against the job without it.
import {spawn} from 'node:child_process';
import {get} from 'node:http';
import {costOf, ended, figure, inRounds, median, newProject, program} from './harness.mjs';
import {samplePlan} from './sample-plan.mjs';

export const title = 'Inspector';

export async function measure({isQuick}) {
  const tasks = isQuick ? 30 : 150;
  const [floor, closed, open] = ['without --inspect', '--inspect, no page open', '--inspect, a page open'];
  const results = await inRounds(isQuick ? 3 : 7, {
    [floor]: () => execution(tasks, []),
    [closed]: () => execution(tasks, ['--inspect']),
    [open]: () => execution(tasks, ['--inspect'], readAll),
  });
  const of = (name, key) => median(results[name].map((one) => one[key]));
  const kinds = {
    milliseconds: ['time', 'ms'],
    cpu: ['processor time', 'ms'],
    memory: ['memory at most', 'MB'],
  };
  return {
    figures: [closed, open].flatMap((name) =>
      Object.entries(kinds).map(([key, [what, unit]]) =>
        figure(`${name}: ${what} of ${tasks} tasks`, of(name, key), unit, floor, of(floor, key)),
      ),
    ),
  };
}

async function execution(tasks, args, look = () => {}) {
  const project = await newProject(samplePlan(tasks), {env: {BLACKBIRD_AGENT_CMD: 'true'}});
  const cost = costOf(project);
  const start = performance.now();
  const child = spawn(process.execPath, [...cost.args, program, 'execute', ...args], {
    cwd: project.folder,
    env: cost.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let isSeen = false;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\//.exec(text) ?? [];
    if (url && !isSeen) look(url);
    isSeen ||= url !== undefined;
  });
  const {code, text} = await ended(child);
  const milliseconds = performance.now() - start;
  if (code !== 0 || isSeen !== args.length > 0) throw new Error(`ended with ${code}: ${text}`);
  return {milliseconds, ...cost.read()};
}

/** What a page asks for: the machines as they go on, and the job's list, which it fetches again and again. */
function readAll(url) {
  get(`${url}entries`, (response) => {
    response.resume().on('error', () => {});
    const timer = setInterval(() => get(`${url}jobs`, (jobs) => jobs.resume()).on('error', () => {}), 1_000);
    response.once('close', () => clearInterval(timer));
  }).on('error', () => {});
}
