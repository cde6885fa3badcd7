// From SIGINT to the end of the process with the pause on disk, against a bare node that passes the signal on.
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {ended, figure, inRounds, medians, newFolder, newProject, program} from './harness.mjs';
import {sampleId, samplePlan} from './sample-plan.mjs';

export const title = 'Pause';

const agent = 'echo at work; exec sleep 1000';

export async function measure({isQuick}) {
  const floor = 'bare node that interrupts it';
  const {[floor]: bare, ...found} = medians(
    await inRounds(isQuick ? 3 : 15, {
      [floor]: bareInterrupt,
      'SIGINT to exit, recorded': () => pause(false),
      'SIGINT to exit, recorded, with git': () => pause(true),
    }),
  );
  return {figures: Object.entries(found).map(([what, value]) => figure(what, value, 'ms', floor, bare))};
}

async function pause(isRepository) {
  const project = await newProject(samplePlan(3), {isRepository, env: {BLACKBIRD_AGENT_CMD: agent}});
  const milliseconds = await interrupt([program, 'execute', '--stream'], project);
  const runs = path.join(project.folder, '.blackbird', 'runs', sampleId(0));
  const record = readdirSync(runs).find((file) => /\w{6}\.json$/.test(file));
  const {state} = JSON.parse(readFileSync(path.join(runs, record), 'utf8'));
  if (state !== 'paused') throw new Error(`the run is recorded as ${state}, not paused`);
  return milliseconds;
}

async function bareInterrupt() {
  const folder = newFolder();
  const script = path.join(folder, 'bare.cjs');
  writeFileSync(
    script,
    `process.on('SIGINT', () => process.kill(-child.pid, 'SIGINT'));
const options = {detached: true, stdio: ['ignore', 'inherit', 'inherit']};
const child = require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(agent)}], options);
child.once('close', () => process.exit(130));`,
  );
  return interrupt([script], {folder, env: process.env});
}

/** The milliseconds from the signal, sent once its agent is at work, to its end. */
async function interrupt(args, {folder, env}) {
  const child = spawn(process.execPath, args, {cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe']});
  const end = ended(child);
  let text = '';
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (text.includes('at work')) resolve();
      });
    }
    end.then(() => reject(new Error(`ended before it was interrupted: ${text}`)));
  });
  const start = performance.now();
  child.kill('SIGINT');
  const last = await end;
  if (last.code !== 130) throw new Error(`ended with ${last.code}: ${text}`);
  return performance.now() - start;
}
