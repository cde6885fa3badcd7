// What a command that only reads costs: against a node that does nothing.
import {figure, inRounds, medians, newProject, nodeWithCost, program, run, runProgram} from './harness.mjs';
import {sampleId, samplePlan} from './sample-plan.mjs';

export const title = 'Start-up';

export async function measure({isQuick}) {
  const sizes = isQuick ? [10, 1_000] : [10, 100, 1_000, 10_000];
  const projects = await Promise.all(sizes.map((size) => newProject(mixedPlan(size))));
  const lists = sizes.map((size, index) => [
    `list --all, ${size.toLocaleString('en')} tasks`,
    () => runProgram(['list', '--all'], projects[index]),
  ]);
  const [some] = projects;
  const floor = 'bare node';
  const times = await inRounds(isQuick ? 5 : 25, {
    [floor]: () => run(process.execPath, ['-e', '0'], some),
    '--version': () => runProgram(['--version'], some),
    '--help': () => runProgram(['--help'], some),
    ...Object.fromEntries(lists),
  });
  const {[floor]: bare, ...found} = medians(times);
  const thousand = projects[sizes.indexOf(1_000)];
  const {list, idle} = await inRounds(3, {
    list: async () => (await nodeWithCost([program, 'list', '--all'], thousand)).memory,
    idle: async () => (await nodeWithCost(['-e', '0'], thousand)).memory,
  }).then(medians);
  return {
    figures: [
      ...Object.entries(found).map(([what, value]) => figure(what, value, 'ms', floor, bare)),
      figure('memory of list, 1,000 tasks', list, 'MB', floor, idle),
    ],
    curves: [
      {
        title: 'list --all over bare node',
        x: 'tasks',
        y: 'ms',
        lines: [{name: 'list', points: lists.map(([what], index) => [sizes[index], found[what] - bare])}],
      },
    ],
  };
}

/** Chains of ten, a third of the tasks done. */
function mixedPlan(count) {
  return samplePlan(count, (index) => ({
    deps: index % 10 === 0 ? [] : [sampleId(index - 1)],
    status: index % 3 === 0 ? 'done' : 'todo',
  }));
}
