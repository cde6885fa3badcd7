import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import type {Report, TaskReport} from '../../src/machines/policies/report/report.ts';
import {demo, type EngineProject, engineProject, untilAtWork} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

// A night in two minutes: twelve tasks, and everything that can happen to a plan while no one is there.

const ids = Array.from({length: 12}, (_, place) => `t${String(place + 1).padStart(2, '0')}`);

/** Each task writes a line to its own file, once; some meet trouble before or after. */
const trouble: Readonly<Record<string, readonly string[]>> = {
  t02: ['limit 2'],
  t04: ['outage 1 1'],
  t06: ['write t06.check bad', 'mend t06.check good'],
  t08: ['write t08.check bad'],
  t10: ['write started x', 'sleep 60'],
  t12: ['ask currency Which currency? | EUR | USD'],
};
const checked = new Set(['t06', 't08']);

const nightPlan = planOf(
  ...ids.map((id) =>
    task(id, {
      title: `Task of the night ${id}`,
      prompt: demo(`append ${id}.txt before`, ...(trouble[id] ?? []), `append ${id}.txt after`),
      ...(checked.has(id) ? {verify: [`grep -q good ${id}.check`]} : {}),
    }),
  ),
);

const git = ({folder}: EngineProject, ...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=u', '-c', 'user.email=u@localhost', ...args], {
    encoding: 'utf8',
  });

function nightProject(): EngineProject {
  const project = engineProject(nightPlan, {
    config: {execution: {commit: 'task', verifyRounds: 1}},
    env: {
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'u',
      GIT_AUTHOR_EMAIL: 'u@localhost',
      GIT_COMMITTER_NAME: 'u',
      GIT_COMMITTER_EMAIL: 'u@localhost',
    },
  });
  git(project, 'init', '-q');
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'before');
  return project;
}

const reportOf = async (project: EngineProject): Promise<Report> =>
  JSON.parse((await project.run(['report', '--json'])).out);
const outcomes = ({tasks}: Report) =>
  Object.fromEntries(tasks.map(({task_id, outcome}) => [task_id, outcome]));
const troubles = ({waits, checks, questions, crashes, retries}: TaskReport) => ({
  waits: waits.map(({reason}) => reason),
  checks: checks.map(({passed, round}) => `${passed ? 'passed' : 'failed'} in round ${round}`),
  questions: questions.length,
  crashes,
  retries,
});
const nothing = {waits: [], checks: [], questions: 0, crashes: 0, retries: 0};
const others = (...named: readonly string[]) => ids.filter((id) => !named.includes(id));

test('the report shows exactly what happened; nothing is lost, and nothing is done twice', {
  timeout: 300_000,
}, async () => {
  const project = nightProject();
  const evening = project.start(['execute']);
  await untilAtWork(project, 't10');
  evening.child.kill('SIGKILL');
  await evening.ended;
  // The next start finds the rest of the plan done up to the question.
  expect(await project.run(['execute'])).toMatchObject({code: 3});

  const night = await reportOf(project);
  expect(outcomes(night)).toEqual({
    ...Object.fromEntries(others('t08', 't10', 't12').map((id) => [id, 'done'])),
    t08: 'failed',
    t10: 'paused',
    t12: 'waiting_answer',
  });
  expect(Object.fromEntries(night.tasks.map((each) => [each.task_id, troubles(each)]))).toEqual({
    ...Object.fromEntries(ids.map((id) => [id, nothing])),
    t02: {...nothing, waits: ['limit']},
    t04: {...nothing, waits: ['outage']},
    t06: {...nothing, checks: ['passed in round 2']},
    t08: {...nothing, checks: ['failed in round 2']},
    t10: {...nothing, crashes: 1},
    t12: {...nothing, questions: 1},
  });
  expect(night.jobs.map(({outcome}) => outcome)).toEqual(['lost', 'ended']);
  expect(night.totals).toMatchObject({
    limits: {count: 1},
    outages: {count: 1},
    commits: 9,
    questions: 1,
    retries: 0,
    crashes: 1,
  });
  expect([night.done, night.total, night.ready]).toEqual([9, 12, 0]);
  expect(night.needs_you.map(({task_id, command}) => [task_id, command])).toEqual([
    ['t08', 'blackbird resume t08'],
    ['t10', 'blackbird resume t10'],
    ['t12', 'blackbird resume t12'],
  ]);

  // One run for each task, and each did its work once: a wait, a check and a crash continue in the same session.
  expect(ids.map((id) => project.runs(id).length)).toEqual(ids.map(() => 1));
  for (const id of others('t10', 't12'))
    expect([id, project.text(`${id}.txt`)]).toEqual([id, 'before\nafter\n']);
  for (const id of ['t10', 't12']) expect([id, project.text(`${id}.txt`)]).toEqual([id, 'before\n']);
  expect(project.agents()).toEqual([]);

  // The same in every format, and one file for the browser.
  const text = (await project.run(['report'])).out;
  expect(text).toMatch(/^✓ t06 .* ✓ \(2nd round\) {2}committed [0-9a-f]{7}$/m);
  expect(text).toMatch(/^✗ t08 .*blackbird resume t08$/m);
  expect(text).toMatch(/^\? t12 .*asks: Which currency\?.*blackbird resume t12$/m);
  const page = (await project.run(['report', '--format', 'html'])).out;
  expect(page.match(/<g class="lane">/g)).toHaveLength(12);
  expect(page.match(/<g class="mark crash">/g)).toHaveLength(1);

  // In the morning: the suggested commands are typed, and the night is over.
  expect(await project.run(['resume', 't12', '--answer', 'currency=EUR'])).toMatchObject({code: 0});
  const session = project.latest('t10')?.provider_session_ref;
  expect(await project.run(['resume', 't10'])).toMatchObject({code: 0});
  expect(project.latest('t10')).toMatchObject({state: 'succeeded', provider_session_ref: session});
  expect(others('t08').map((id) => [id, project.text(`${id}.txt`)])).toEqual(
    others('t08').map((id) => [id, 'before\nafter\n']),
  );
  const morning = await reportOf(project);
  expect([morning.done, morning.total, morning.needs_you.map(({task_id}) => task_id)]).toEqual([
    11,
    12,
    ['t08'],
  ]);
  expect(outcomes(morning)).toMatchObject({t10: 'done', t12: 'done', t08: 'failed'});
  expect(morning.tasks).toHaveLength(12);
  expect(commitsOf(project)).toEqual(others('t08').sort());
});

/** The tasks with a commit; one with two is named twice. */
function commitsOf(project: EngineProject): string[] {
  const log = git(project, 'log', '--format=%(trailers:key=Blackbird-Task,valueonly)');
  return log
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
