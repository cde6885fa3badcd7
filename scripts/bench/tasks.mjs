// What a task costs besides the agent's own work: whole plans with a trivial agent, against bare spawns of it.
import {execa} from 'execa';
import {figure, inRounds, median, medians, newFolder, newProject, runProgram} from './harness.mjs';
import {samplePlan} from './sample-plan.mjs';

export const title = 'A task';

const agent = 'echo done >> done.txt';

export async function measure({isQuick}) {
  const sizes = isQuick ? [10, 100] : [10, 200, 2_000];
  const kinds = {'without git': false, 'with git': true};
  const floor = 'bare spawn';
  const name = (kind, size) => `${kind}, plan of ${size.toLocaleString('en')}`;
  const jobs = {[floor]: () => bareSpawns(100)};
  for (const [kind, isRepository] of Object.entries(kinds)) {
    for (const size of sizes) jobs[name(kind, size)] = () => costOf(size, isRepository);
  }
  const {[floor]: bare, ...found} = medians(await inRounds(3, jobs));
  const of = (kind) => sizes.map((size) => [size, found[name(kind, size)]]);
  const [without, withGit] = Object.keys(kinds);
  return {
    figures: [
      ...Object.entries(found).map(([what, value]) => figure(what, value, 'ms', floor, bare)),
      ...sizes.map((size) =>
        figure(name(withGit, size), found[name(withGit, size)], 'ms', without, found[name(without, size)]),
      ),
    ],
    curves: [
      {
        title: 'one task',
        x: 'tasks in the plan',
        y: 'ms',
        lines: [...Object.keys(kinds).map((kind) => ({name: kind, points: of(kind)}))].concat({
          name: floor,
          points: sizes.map((size) => [size, bare]),
        }),
      },
    ],
  };
}

/** All of them, divided by their number, as for the tasks. */
async function bareSpawns(count) {
  const cwd = newFolder();
  const start = performance.now();
  for (let index = 0; index < count; index++) await execa('sh', ['-c', agent], {cwd, input: 'x'});
  return (performance.now() - start) / count;
}

/**
 * The whole execution without the start-up, divided by the number of tasks. A small plan several times:
 * in a difference of two short executions the noise of both start-ups is as large as the tasks.
 */
async function costOf(size, isRepository) {
  const costs = [];
  for (let count = 0; count < Math.max(1, 100 / size); count++) {
    costs.push(((await execution(size, isRepository)) - (await execution(0, isRepository))) / size);
  }
  return median(costs);
}

async function execution(size, isRepository) {
  const project = await newProject(samplePlan(size), {isRepository, env: {BLACKBIRD_AGENT_CMD: agent}});
  return runProgram(['execute'], project);
}
