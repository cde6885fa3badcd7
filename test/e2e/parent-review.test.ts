import {existsSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {demo, type EngineProject, engineProject, pauseInTheMiddle} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {lines} from '../helpers/run-cli.ts';

// The built program reviews parents with the built-in agent.

const done = {status: 'done'} as const;
const fix = 'demo: append done.txt b again\\ndemo: write b.fixed ok';

/** p > a, b, c; late waits for p. The reviewer sends b back until a file exists. */
const plan = (prompt = demo(`send-back b b.fixed ${fix}`)) =>
  planOf(
    task('late', {prompt: demo('append done.txt late'), deps: ['p']}),
    family(
      task('p', {prompt}),
      ...['a', 'b', 'c'].map((id) => task(id, {prompt: demo(`append done.txt ${id}`)})),
    ),
  );

const steady = (text: string) =>
  text.replaceAll(/\d+(\.\d+)?s\b/g, '<time>').replaceAll(/\d+(\.\d+k)? tokens/g, '<n> tokens');
const ran = (...ids: readonly string[]) =>
  ids.flatMap((id) => [`▶ ${id}  Task ${id}  (demo)`, `✓ ${id}  done  <time>  <n> tokens`]);
const sentBack = [
  'parent review failed for p',
  'resume tasks: b',
  'feedback: demo: append done.txt b again demo: write b.fixed ok',
  'next step: blackbird resume b',
  'all of it, and how to overrule it: blackbird feedback list',
];
const feedbackFiles = ({folder}: EngineProject) => {
  const feedback = path.join(folder, '.blackbird', 'parent-review-feedback');
  return existsSync(feedback) ? readdirSync(feedback) : [];
};

describe('a parent with three children, one of them sent back', () => {
  test('is done after the second review, and its dependents wait until then', async () => {
    const project = engineProject(plan());
    const first = await project.run(['execute']);
    expect({code: first.code, err: first.err}).toEqual({code: 4, err: ''});
    expect(steady(first.out)).toBe(lines(...ran('a', 'b', 'c'), 'running parent review for p', ...sentBack));
    expect(project.statuses()).toEqual({late: 'todo', p: 'todo', a: 'done', b: 'done', c: 'done'});
    expect(project.runs('p')).toMatchObject([
      {
        run_type: 'review',
        state: 'succeeded',
        parent_review_passed: false,
        parent_review_resume_task_ids: ['b'],
        parent_review_completion_signature: expect.stringMatching(/^parent-review:v1:[0-9a-f]{64}$/),
      },
    ]);
    expect(project.runs('p')[0]?.segments[0]?.argv).toContain('--read-only');
    expect(feedbackFiles(project)).toEqual(['b.json']);
    const shown = (await project.run(['runs', 'p', project.latest('p')?.run_id ?? ''])).out;
    for (const row of [/^state +succeeded \(review sent back\)$/m, /^type +review$/m, /^sent back +b$/m])
      expect(shown).toMatch(row);

    // The gate is on disk: nothing continues, whichever command is used, and what is in the way is named.
    for (const args of [['execute'], ['execute', 'late'], ['execute', 'p']]) {
      const {code, out, err} = await project.run(args);
      expect({code, out, err}).toEqual({code: 4, out: lines(...sentBack), err: ''});
    }
    expect((await project.run(['why', 'late'])).out).toContain('its review sent back b');
    expect(project.runs('late')).toEqual([]);
    expect(project.runs('p')).toHaveLength(1);

    const before = project.latest('b');
    const second = await project.run(['resume', 'b', '--execute']);
    expect({code: second.code, err: second.err}).toEqual({code: 0, err: ''});
    expect(steady(second.out)).toBe(
      lines(
        '▶ b  Task b  (demo, resumed)',
        '✓ b  done  <time>  <n> tokens',
        'running parent review for p',
        '✓ parent review passed for p',
        ...ran('late'),
        '2 done · no ready tasks remaining',
      ),
    );
    expect(project.latest('b')).toMatchObject({
      state: 'succeeded',
      resumed_from_run_id: before?.run_id,
      provider_session_ref: before?.provider_session_ref,
      context: {parentReviewFeedback: {parentTaskId: 'p', reviewRunId: project.runs('p')[0]?.run_id}},
    });
    expect(project.text('done.txt')).toBe('a\nb\nc\nb again\nlate\n');
    expect(project.statuses()).toEqual({late: 'done', p: 'done', a: 'done', b: 'done', c: 'done'});
    expect(project.runs('p').map((run) => run.parent_review_passed)).toEqual([false, true]);
    expect(feedbackFiles(project)).toEqual([]);
  });

  test('is done when the feedback is dismissed, without another review', async () => {
    const project = engineProject(plan());
    expect((await project.run(['execute'])).code).toBe(4);
    expect((await project.run(['feedback', 'dismiss', 'b'])).out).toBe(
      lines('dismissed the feedback for b', 'updated p status to done'),
    );
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.text('done.txt')).toBe('a\nb\nc\nlate\n');
    expect(project.runs('p')).toHaveLength(1);
  });

  test('is left to the user once its reviews sent tasks back as often as allowed', async () => {
    const project = engineProject(plan(), {config: {execution: {maxReviewCycles: 1}}});
    expect((await project.run(['execute'])).code).toBe(4);
    const undecided = [
      'p needs your decision: its reviews sent tasks back once, as often as execution.maxReviewCycles allows',
      'see what they said: blackbird runs p --verbose',
      'next step: blackbird set-status p done (the work is accepted as it is)',
      '  or: blackbird config set execution.maxReviewCycles 2, then blackbird execute (one more review)',
    ];
    const resumed = await project.run(['resume', 'b']);
    expect({code: resumed.code, end: resumed.out.split('\n').slice(2).join('\n')}).toEqual({
      code: 4,
      end: lines(...undecided),
    });
    expect(await project.run(['execute'])).toMatchObject({code: 4, out: lines(...undecided)});
    expect(project.runs('p')).toHaveLength(1);
    expect(project.runs('late')).toEqual([]);
    await project.run(['config', 'set', 'execution.maxReviewCycles', '2']);
    expect(await project.run(['execute'])).toMatchObject({code: 0});
    expect(project.statuses()).toMatchObject({p: 'done', late: 'done'});
  });

  test("gives a restart the review's feedback", async () => {
    const project = engineProject(plan());
    expect((await project.run(['execute'])).code).toBe(4);
    expect((await project.run(['restart', 'b', '--yes'])).code).toBe(0);
    expect(project.latest('b')).toMatchObject({restart_of_run_id: expect.any(String), state: 'succeeded'});
    expect(project.text('done.txt')).toBe('a\nb\nc\nb\nb again\n');
    expect(project.statuses().p).toBe('done');
    expect(feedbackFiles(project)).toEqual([]);
  });

  test("keeps the feedback when the user's own feedback comes before it", async () => {
    const project = engineProject(plan());
    expect((await project.run(['execute'])).code).toBe(4);
    const {code, out} = await project.run(['resume', 'b', '--feedback', 'demo: append done.txt mine']);
    expect({code, out: steady(out).split('\n').slice(2)}).toEqual({code: 4, out: [...sentBack, '']});
    expect(project.text('done.txt')).toBe('a\nb\nc\nmine\n');
    expect((await project.run(['resume', 'b'])).code).toBe(0);
    expect(project.text('done.txt')).toBe('a\nb\nc\nmine\nb again\n');
    expect(project.statuses().p).toBe('done');
  });
});

describe('a review without a verdict', () => {
  test('leaves the parent open, the rest continues, and the next execute reviews again', async () => {
    const project = engineProject(
      planOf(
        [...plan(demo('answer Looks good to me!')).items.values()],
        task('other', {prompt: demo('print x')}),
      ),
    );
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(3);
    expect(steady(out)).toBe(
      lines(
        ...ran('a', 'b', 'c'),
        'running parent review for p',
        '✗ parent review of p had no result',
        '  the answer of the review cannot be used: it contains no JSON object with "passed"',
        ...ran('other'),
        '4 done · the review of p had no result · no ready tasks remaining',
        'not reviewed: p',
        'next step: blackbird execute (reviews again; "blackbird config set execution.parentReviewEnabled false" turns reviews off)',
      ),
    );
    expect(project.statuses()).toMatchObject({p: 'todo', late: 'todo', other: 'done'});
    expect(project.runs('p')).toMatchObject([{state: 'failed', failure: {kind: 'agent_error'}}]);
    expect((await project.run(['execute'])).code).toBe(3);
    expect(project.runs('p')).toHaveLength(2);

    // Tasks that do not need it are not held up.
    await project.run(['config', 'set', 'execution.parentReviewEnabled', 'false']);
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.statuses()).toMatchObject({p: 'done', late: 'done'});
    expect(project.runs('p')).toHaveLength(2);
  });

  test('paused: it is done again by the next execute', async () => {
    const project = engineProject(plan(demo('write started x', 'print thinking', 'sleep 60')));
    const running = project.start(['execute']);
    await eventually(() => expect(project.latest('p')).toMatchObject({state: 'running', resumable: true}));
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(project.latest('p')).toMatchObject({state: 'paused', pause_reason: 'user_interrupt'});
    expect(project.agents()).toEqual([]);
    // A reviewer may not write.
    expect(project.text('started')).toBe('');
    for (const command of [
      ['resume', 'p'],
      ['restart', 'p', '--yes'],
      ['retry', 'p'],
    ]) {
      const {code, err} = await project.run(command);
      expect({code, err}).toEqual({
        code: 1,
        err: expect.stringMatching(/^error: the review of p is due\n.*\n.*blackbird execute/),
      });
    }
    const madeAgain = 'it is not resumed but started again: blackbird execute';
    expect((await project.run(['runs', 'p'])).out).toContain(`  review: ${madeAgain}\n`);
    const details = await project.run(['runs', 'p', project.latest('p')?.run_id ?? '']);
    expect(details.out).toMatch(/^resumable +no$/m);
    expect(details.out).toContain(madeAgain);

    const again = project.start(['execute']);
    // Stopped before its reviewer was released, it would leave no trace.
    await eventually(() => expect(project.runs('p')[1]).toMatchObject({resumable: true}));
    again.child.kill('SIGINT');
    await again.ended;
    const [first, second] = project.runs('p');
    expect(first).toMatchObject({superseded_by_run_id: second?.run_id});
    expect(second).toMatchObject({restart_of_run_id: first?.run_id});
    const {out} = await project.run(['runs', 'p']);
    expect(out).not.toContain(`${first?.run_id}  review: `);
    expect(out).toContain(`${second?.run_id}  review: ${madeAgain}\n`);
  });

  test('killed with its Blackbird: nothing survives, and the next execute reviews again', async () => {
    const project = engineProject(plan(demo('print thinking', 'sleep 60')));
    const running = project.start(['execute']);
    await eventually(() => expect(project.latest('p')).toMatchObject({state: 'running', resumable: true}));
    running.child.kill('SIGKILL');
    await running.ended;
    await eventually(() => expect(project.agents()).toEqual([]));
    const again = project.start(['execute']);
    await eventually(() => expect(project.runs('p')).toHaveLength(2));
    expect(project.runs('p')[0]).toMatchObject({state: 'paused', pause_reason: 'process_lost'});
    again.child.kill('SIGINT');
    expect((await again.ended).code).toBe(130);
  });
});

describe('no reviewer is started', () => {
  test('when reviews are off: the parent is done with its children', async () => {
    const project = engineProject(plan(), {config: {execution: {parentReviewEnabled: false}}});
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(0);
    expect(steady(out)).toBe(lines(...ran('a', 'b', 'c', 'late'), '4 done · no ready tasks remaining'));
    expect(project.runs('p')).toEqual([]);
  });

  test('for work done by hand: a status set by hand completes such a parent, and no other', async () => {
    const project = engineProject(
      planOf(
        family(task('p'), task('a'), task('b')),
        family(task('q'), task('c'), task('d')),
        task('late', {deps: ['p', 'q']}),
      ),
    );
    await project.run(['set-status', 'a', 'done']);
    expect((await project.run(['set-status', 'b', 'done'])).out).toContain('updated p status to done');
    expect((await project.run(['execute', 'c'])).code).toBe(0);
    expect((await project.run(['set-status', 'd', 'done'])).out).toBe('updated d status to done\n');
    expect(project.statuses()).toMatchObject({p: 'done', q: 'todo'});
    expect((await project.run(['why', 'q'])).out).toContain('its review is due');
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(0);
    expect(out).toContain('running parent review for q\n✓ parent review passed for q\n▶ late');
    expect(project.runs('p')).toEqual([]);
  });

  test('for a parent that the user marks done', async () => {
    const project = engineProject(
      planOf(family(task('p'), task('a', done), task('b')), task('late', {deps: ['p']})),
    );
    await project.run(['execute', 'b'], {env: {BLACKBIRD_AGENT_CMD: 'true'}});
    expect(project.statuses().p).toBe('todo');
    await project.run(['set-status', 'p', 'done']);
    expect(await project.run(['execute'])).toMatchObject({code: 0, err: ''});
    expect(project.statuses()).toEqual({p: 'done', a: 'done', b: 'done', late: 'done'});
  });
});

test('a review that passes with a remark has passed, and the remark is shown and kept', async () => {
  const reviewResults = [{taskId: 'a', status: 'passed', feedback: 'Short.'}];
  const answer = JSON.stringify({passed: true, feedbackForResume: 'Nice.', reviewResults});
  const project = engineProject(planOf(family(task('p', {prompt: demo(`answer ${answer}`)}), task('a'))));
  const {code, out} = await project.run(['execute']);
  expect(code).toBe(0);
  expect(steady(out)).toBe(
    lines(
      ...ran('a'),
      'running parent review for p',
      '✓ parent review passed for p',
      '  remark: Nice.',
      '  a: Short.',
      '1 done · the review of p passed with remarks · no ready tasks remaining',
    ),
  );
  expect(project.statuses()).toEqual({p: 'done', a: 'done'});
  const runId = project.latest('p')?.run_id ?? '';
  expect((await project.run(['runs', 'p'])).out).toContain(`\n${runId}  remark: Nice. a: Short.\n`);
  expect((await project.run(['runs', 'p', runId])).out).toMatch(/^remark +Nice\..a: Short\.$/m);
});

test('a parent that a resumed task made due is reviewed by the agent of that task', async () => {
  const prompt = demo('write started x', 'sleep 60');
  const project = engineProject(planOf(family(task('p'), task('a', {prompt}))));
  await pauseInTheMiddle(project, 'a');
  // Chosen since, and not installed here.
  project.write('.blackbird/agent.json', '{"schemaVersion":1,"selectedAgent":"codex"}');
  expect(await project.run(['resume', 'a'])).toMatchObject({code: 0, err: ''});
  expect(project.runs('p')).toMatchObject([{provider: 'demo', parent_review_passed: true}]);
  expect(project.statuses()).toEqual({p: 'done', a: 'done'});
});

test('nested parents are reviewed from the bottom up; a leaf can be sent back from the top', async () => {
  const project = engineProject(
    planOf(
      family(
        task('g', {prompt: demo(`send-back b b.fixed ${fix}`)}),
        family(task('p'), task('a'), task('b')),
      ),
    ),
  );
  const first = await project.run(['execute']);
  expect(first.code).toBe(4);
  expect(first.out).toContain(
    'running parent review for p\n✓ parent review passed for p\nrunning parent review for g\nparent review failed for g\n',
  );
  expect(project.statuses()).toMatchObject({g: 'todo', p: 'done'});
  const second = await project.run(['resume', 'b']);
  expect(second.code).toBe(0);
  expect(project.statuses()).toEqual({g: 'done', p: 'done', a: 'done', b: 'done'});
  expect(project.runs('p').map((run) => run.parent_review_passed)).toEqual([true, true]);
  expect(project.runs('g').map((run) => run.parent_review_passed)).toEqual([false, true]);
});

test('--json reports reviews and the gate', async () => {
  const project = engineProject(plan());
  const {code, out} = await project.run(['execute', '--json']);
  expect(code).toBe(4);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.find(({event}) => event === 'review.started')).toMatchObject({
    parent_task_id: 'p',
    provider: 'demo',
  });
  expect(events.find(({event}) => event === 'review.settled')).toMatchObject({
    verdict: 'sent_back',
    run: {task_id: 'p', parent_review_passed: false},
    pending: [{childTaskId: 'b', parentTaskId: 'p'}],
  });
  expect(events.at(-1)).toMatchObject({event: 'job.stopped', reason: 'parent_review_required'});
});

describe('with a checkpoint', () => {
  const single = () =>
    planOf(family(task('p'), task('a', {prompt: demo('append done.txt a')})), task('late', {deps: ['p']}));

  test('the parent is reviewed after the task was approved', async () => {
    const project = engineProject(single());
    expect((await project.run(['execute', '--review'])).code).toBe(4);
    expect(project.runs('p')).toEqual([]);
    const {code, out} = await project.run(['review', 'a', '--approve']);
    expect(code).toBe(4);
    expect(out).toContain('running parent review for p\n✓ parent review passed for p\n▶ late');
    expect(project.statuses()).toEqual({p: 'done', a: 'done', late: 'in_progress'});
  });

  test('approving and quitting leaves the review to the next execute', async () => {
    const project = engineProject(single());
    expect((await project.run(['execute', '--review'])).code).toBe(4);
    expect((await project.run(['review', 'a', '--approve-quit'])).code).toBe(0);
    expect(project.runs('p')).toEqual([]);
    expect(project.statuses()).toEqual({p: 'todo', a: 'done', late: 'todo'});
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.statuses()).toEqual({p: 'done', a: 'done', late: 'done'});
  });

  test('a task that a review sent back also ends at one', async () => {
    const project = engineProject(plan());
    expect((await project.run(['execute'])).code).toBe(4);
    expect((await project.run(['resume', 'b', '--review'])).code).toBe(4);
    expect(project.latest('b')).toMatchObject({decision_state: 'pending'});
    expect(project.runs('p')).toHaveLength(1);
    expect(feedbackFiles(project)).toEqual(['b.json']);
    expect((await project.run(['review', 'b', '--approve-quit'])).code).toBe(0);
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.statuses()).toMatchObject({p: 'done', b: 'done'});
    expect(feedbackFiles(project)).toEqual([]);
    expect(project.text('done.txt').match(/b again/g)).toHaveLength(1);
  });
});
