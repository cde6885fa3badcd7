// Lives through the scenario once to know its steps, then through each chosen point: the project as it was before
// the command, the command killed there, what must hold on disk, and a person who goes on.
import {existsSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {readDisk, wrongs} from './disk.mjs';
import {createProject} from './project.mjs';
import {list, settings, steps, tasks} from './scenario.mjs';

export const stopKinds = ['before', 'after', 'torn'];
export const cutKinds = ['power', 'names'];
const longestRecovery = 8;

/** A project that has lived through the scenario up to this step, with what it was before each of them. */
export async function liveThrough(around, last) {
  mkdirSync(around, {recursive: true});
  const project = createProject(around, {tasks, settings, files: {'LATER.md': list}});
  const counted = [];
  for (const [place, step] of steps.slice(0, last + 1).entries()) {
    await project.keep(`before-${place}`);
    const report = path.join(around, 'report.json');
    const {args, interrupt} = step;
    const ended = await project.run(args, {interrupt, point: {kind: 'count', at: 0, report}});
    const found = wrongs(project.folder);
    if (!step.goal(readDisk(project.folder))) found.push('it did not come to its end');
    if (found.length > 0) throw new Error(`${step.name}: ${found.join('; ')}\n${ended.out}${ended.err}`);
    counted.push(JSON.parse(readFileSync(report, 'utf8')).steps);
  }
  return {project, counted};
}

/** Every point there is, of these kinds. `at: 0` is the end of the command. */
export function pointsOf(counted, kinds) {
  return counted.flatMap((taken, place) =>
    kinds.flatMap((kind) => {
      const all = taken.map((what, index) => ({place, kind, at: index + 1, what}));
      if (kind === 'torn') return all.filter(({what}) => what.startsWith('write '));
      return cutKinds.includes(kind) ? [...all, {place, kind, at: 0, what: 'its end'}] : all;
    }),
  );
}

export const nameOf = ({place, kind, at, what}) =>
  `${steps[place].name}: ${kind} ${at === 0 ? what : `${at} (${what})`}`;

/** What is wrong after this point; `isReached` is false where the command ended before it. */
export async function tryPoint(project, {place, kind, at}) {
  const step = steps[place];
  await project.putBack(`before-${place}`);
  const report = path.join(path.dirname(project.root), 'report.json');
  rmSync(report, {force: true});
  const {args, interrupt} = step;
  const killed = await project.run(args, {interrupt, point: {kind, at, report}});
  const isReached = at === 0 || killed.signal === 'SIGKILL';
  const alive = await project.survivors();
  const found = [
    ...alive.map((pid) => `process ${pid} outlived it`),
    ...(existsSync(report) ? lostRecords(project, report) : []),
    ...lookAt(project),
  ];
  if (found.length === 0) found.push(...lostWords(project, killed.out));
  if (found.length === 0) found.push(...(await goOn(project, step)));
  project.end();
  return {isReached, wrong: found};
}

/** Records that a command had left when it ended, and that a power cut took. */
function lostRecords({folder}, report) {
  const {lost} = JSON.parse(readFileSync(report, 'utf8'));
  const isRecord = (file) =>
    file === path.join(folder, 'blackbird.plan.json') ||
    /\.blackbird\/(runs|jobs|plan-drafts|drafts|parent-review-feedback)\/.*[^.]\.json$/.test(file);
  return lost
    .filter((file) => isRecord(file) && !path.basename(file).startsWith('.'))
    .map((file) => `${file} was not on disk when the command ended`);
}

/** Whoever read that a run has come to its end finds it so. */
function lostWords({folder}, out) {
  const disk = readDisk(folder);
  return [...out.matchAll(/^✓ (\w+) {2}done/gm)]
    .filter(([, id]) => !disk.runs(id).some(({state}) => state === 'succeeded'))
    .map(([, id]) => `${id} was said to be done, and no record knows it`);
}

function lookAt({folder}) {
  try {
    return wrongs(folder);
  } catch (error) {
    return [error.message];
  }
}

/** Types the command again, then whatever the state of its tasks asks for, until it has come to its end. */
async function goOn(project, step) {
  for (const args of [['list', '--all'], ['doctor']]) {
    const found = complaints(args, await project.run(args));
    if (found.length > 0) return found;
  }
  const typed = [];
  let ended = {};
  while (typed.length < longestRecovery) {
    const disk = readDisk(project.folder);
    if (typed.length > 0 && step.goal(disk))
      return (await project.survivors()).map((pid) => `${pid} is alive`);
    const args = typed.length === 0 ? step.again : nextCommand(disk, step);
    typed.push(args.join(' '));
    if (step.interrupt) rmSync(path.join(project.folder, step.interrupt), {force: true});
    const {interrupt} = step;
    ended = await project.run(args, {interrupt});
    const found = [...complaints(args, ended), ...lookAt(project)];
    if (found.length > 0) return found.map((each) => `after ${typed.join(', ')}: ${each}`);
  }
  return [`nothing brings it to its end: ${typed.join(', ')}\n${ended.out}${ended.err}`];
}

function nextCommand(disk, {tasks: own, args, again}) {
  const review = args.includes('--review') ? ['--review'] : [];
  for (const id of own) {
    const run = disk.latest(id);
    if (run?.decision_state === 'pending') return ['review', id, '--approve-quit'];
    // A run that lost its Blackbird still says running where nothing has mended it yet.
    if (run?.state === 'paused' || run?.state === 'running')
      return run.resumable ? ['resume', id] : ['restart', id, '--yes', ...review];
    if (disk.feedback(id) !== null) return ['resume', id];
    // It succeeded, and only the plan has not heard of it.
    if (run?.state === 'succeeded' && disk.status(id) !== 'done') return ['execute', id];
  }
  return again;
}

const exitCodes = [0, 1, 2, 3, 4, 75, 130];

function complaints(args, {code, signal, out, err}) {
  const isBug = !exitCodes.includes(code) || /^\s+at .*:\d+:\d+\)?$/m.test(err);
  return isBug ? [`${args.join(' ')} ended with ${signal ?? code}: ${out}${err}`] : [];
}
