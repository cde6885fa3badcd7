// An agent that prints a gigabyte: how quickly it is stored, and in how much memory, against `cat` into a file.
import {readdirSync, statSync, unlinkSync} from 'node:fs';
import path from 'node:path';
import {figure, inRounds, median, newFolder, newProject, nodeWithCost, program, run} from './harness.mjs';
import {sampleId, samplePlan} from './sample-plan.mjs';

export const title = 'Output';

export async function measure({isQuick}) {
  const megabytes = isQuick ? 64 : 1_024;
  const bytes = megabytes * 1_024 * 1_024;
  const agent = `yes 'one of the many lines that a talkative agent prints while it works' | head -c ${bytes}`;
  const [floor, idle, ours] = ['cat', 'node', 'blackbird'];
  const results = await inRounds(isQuick ? 1 : 3, {
    [floor]: () => catOf(agent),
    [idle]: async () => (await nodeWithCost(['-e', '0'], await newProject(samplePlan(0)))).memory,
    [ours]: () => execution(agent, bytes),
  });
  const speed = (milliseconds) => megabytes / (median(milliseconds) / 1_000);
  const of = (key) => results[ours].map((one) => one[key]);
  const size = megabytes === 1_024 ? '1 GB' : `${megabytes} MB`;
  return {
    figures: [
      figure(`${size} of an agent's output`, speed(of('milliseconds')), 'MB/s', floor, speed(results[floor])),
      figure(
        `its processor time`,
        median(of('cpu')),
        'ms',
        floor,
        median(results[floor]),
        "the floor is cat's whole time",
      ),
      figure('memory at most', median(of('memory')), 'MB', 'bare node', median(results[idle])),
    ],
  };
}

async function catOf(agent) {
  const folder = newFolder();
  const milliseconds = await run('sh', ['-c', `${agent} | cat > output && sync output`], {folder});
  unlinkSync(path.join(folder, 'output'));
  return milliseconds;
}

async function execution(agent, bytes) {
  const project = await newProject(samplePlan(1), {env: {BLACKBIRD_AGENT_CMD: agent}});
  const cost = await nodeWithCost([program, 'execute'], project);
  const runs = path.join(project.folder, '.blackbird', 'runs', sampleId(0));
  const log = path.join(
    runs,
    readdirSync(runs).find((file) => file.endsWith('.stdout.log')),
  );
  const {size} = statSync(log);
  unlinkSync(log);
  if (size !== bytes) throw new Error(`${size} of ${bytes} bytes were stored`);
  return cost;
}
