import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {completionSignature} from '../../src/machines/policies/review/completion-signature.ts';
import type {PendingFeedback} from '../../src/services/contracts/feedback.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {sentBackFeedback} from '../fakes/memory-feedback-store.ts';
import {restingRun} from '../fakes/runs.ts';
import {family, now, planOf, task, taskIn} from '../helpers/plans.ts';
import {type CliProject, cliProject, lines} from '../helpers/run-cli.ts';

const done = {status: 'done'} as const;
const plan = planOf(family(task('p'), task('a', done), task('b', done)), task('late', {deps: ['p']}));

const feedback = (childTaskId: string, fields: Partial<PendingFeedback> = {}) =>
  sentBackFeedback({childTaskId, feedback: 'Test it.\nWith dates.', ...fields});

const review = (fields: Partial<RunRecord> = {}) =>
  restingRun({
    run_id: 'p-1',
    task_id: 'p',
    run_type: 'review',
    state: 'succeeded',
    parent_review_passed: false,
    parent_review_completion_signature: completionSignature(
      'p',
      [
        {taskId: 'a', completedAt: now, hasRun: true},
        {taskId: 'b', completedAt: taskIn(plan, 'b').updatedAt, hasRun: false},
      ],
      (text) => createHash('sha256').update(text).digest('hex'),
    ),
    ...fields,
  });

const feedbackFolder = (project: CliProject) =>
  path.join(project.folder, '.blackbird/parent-review-feedback');

function setUp({
  pending = ['a', 'b'],
  runs: given = [review()],
}: {
  pending?: string[];
  runs?: RunRecord[];
} = {}) {
  const runs = given.length === 0 ? [] : [restingRun({state: 'succeeded'}), ...given];
  const project = cliProject(plan);
  const put = (folder: string, name: string, value: unknown) => {
    mkdirSync(folder, {recursive: true});
    writeFileSync(path.join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  };
  for (const id of pending) put(feedbackFolder(project), `${id}.json`, feedback(id));
  for (const run of runs)
    put(path.join(project.folder, '.blackbird/runs', run.task_id), `${run.run_id}.json`, run);
  return {...project, put: (name: string, value: unknown) => put(feedbackFolder(project), name, value)};
}

describe('feedback list', () => {
  test('shows what was sent back, by which review, and how to answer', async () => {
    expect(await setUp().run(['feedback', 'list'])).toEqual({
      code: 0,
      out: lines(
        ...['a', 'b'].flatMap((id) => [
          ...(id === 'b' ? [''] : []),
          `${id}  sent back by the review of p`,
          '  Test it.',
          '  With dates.',
          `  Answer with: blackbird resume ${id}`,
          `           or: blackbird feedback edit ${id} <text>`,
          `           or: blackbird feedback dismiss ${id}`,
        ]),
      ),
      err: '',
    });
  });

  test('prints it as data', async () => {
    expect(await setUp().json(['feedback', 'list'])).toEqual({
      pending: [feedback('a'), feedback('b')],
      broken: [],
    });
  });

  test('of a project without feedback says so, and creates nothing', async () => {
    const project = setUp({pending: [], runs: []});
    expect(await project.run(['feedback', 'list'])).toEqual({
      code: 0,
      out: 'no feedback is pending\n',
      err: '',
    });
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });

  test('leaves out feedback that a run has taken', async () => {
    const {schemaVersion: _, childTaskId: __, createdAt: ___, updatedAt: ____, ...mark} = feedback('a');
    const run = restingRun({
      run_id: 'a-2',
      attempt: 2,
      state: 'paused',
      context: {digest: 'd', bytes: 1, parentReviewFeedback: mark},
    });
    const data = await setUp({runs: [review(), run]}).json(['feedback', 'list']);
    expect(data).toEqual({pending: [feedback('b')], broken: []});
  });

  test('names an unusable file and shows the others', async () => {
    const project = setUp({pending: ['b']});
    project.put('a.json', '{');
    const {code, out, err} = await project.run(['feedback', 'list']);
    expect({code, out: out.split('\n')[0]}).toEqual({code: 0, out: 'b  sent back by the review of p'});
    expect(err).toMatch(/^warning: .*a\.json cannot be used: it is not valid JSON/);
  });

  test('contains no control sequence for the terminal', async () => {
    const project = setUp({pending: []});
    project.put('a.json', feedback('a', {feedback: 'red \u001b[31m\u0007', parentTaskId: 'p\nq'}));
    const {out} = await project.run(['feedback', 'list']);
    expect(out).not.toMatch(/[\u001b\u0007]/);
    expect(out.split('\n')).toHaveLength(6);
  });
});

describe('a task that was sent back', () => {
  test('is not simply done: list says so, why says how to continue', async () => {
    const project = setUp({pending: ['a']});
    expect((await project.run(['list', '--all'])).out).toBe(
      lines(
        'ID    STATUS  READINESS  TITLE',
        'a     done    SENT_BACK  Task a',
        'b     done    DONE       Task b',
        'late  todo    BLOCKED    Task late  unmet deps: p',
      ),
    );
    expect((await project.run(['why', 'a'])).out).toBe(
      lines(
        'a is not ready',
        '  a  Task a  [done]  done, but the review of its parent sent it back',
        '',
        // Its run kept no session; with one it would be resumed.
        '  blackbird restart a',
      ),
    );
    expect((await project.run(['why', 'b'])).out).toContain('done, nothing is left to do');
  });
});

describe('feedback edit', () => {
  test('changes what a task is told, and the review records who did it', async () => {
    const project = setUp();
    expect(await project.run(['feedback', 'edit', 'a', 'Test dates only.'])).toMatchObject({
      code: 0,
      err: '',
      out: lines('a will get this feedback instead; both versions are on record'),
    });
    const {pending} = JSON.parse((await project.run(['feedback', 'list', '--json'])).out);
    expect(pending.map((each: PendingFeedback) => each.feedback)).toEqual([
      'Test dates only.',
      feedback('b').feedback,
    ]);
    const {runs} = JSON.parse((await project.run(['runs', 'p', '--json'])).out);
    expect(runs[0].parent_review_edited).toEqual([
      {
        task_id: 'a',
        feedback: 'Test dates only.',
        edited_by: userInfo().username,
        edited_at: expect.any(String),
      },
    ]);
  });

  test.each([
    {args: ['late', 'x'], code: 'E_FEEDBACK_NOT_FOUND'},
    {args: ['a', ' '], code: 'E_NO_INPUT'},
  ])('$args is refused', async ({args, code}) => {
    expect((await setUp().run(['feedback', 'edit', ...args])).err).toContain(code);
  });
});

describe('feedback dismiss', () => {
  test('of one task leaves the parent to the others; of the last one the parent is done', async () => {
    const project = setUp();
    expect(await project.run(['feedback', 'dismiss', 'a'])).toEqual({
      code: 0,
      out: 'dismissed the feedback for a\n',
      err: '',
    });
    expect(project.tasks().p).toMatchObject({status: 'todo'});
    expect(readdirSync(feedbackFolder(project))).toEqual(['b.json']);
    expect(await project.json(['feedback', 'dismiss', 'b'])).toEqual({
      dismissed: feedback('b'),
      completed: ['p'],
    });
    expect(project.tasks()).toMatchObject({
      p: {status: 'done', updatedAt: now},
      a: {updatedAt: plan.items.get('a')?.updatedAt},
    });
    expect(readdirSync(feedbackFolder(project))).toEqual([]);
  });

  test('is recorded in the history: who dismissed what, and when', async () => {
    const project = setUp();
    await project.run(['feedback', 'dismiss', 'a']);
    await project.run(['feedback', 'dismiss', 'b']);
    const by = {dismissed_at: now, dismissed_by: userInfo().username};
    expect(await project.json(['runs', 'p'])).toMatchObject({
      runs: [
        {
          parent_review_passed: false,
          parent_review_dismissed: [
            {task_id: 'a', ...by},
            {task_id: 'b', ...by},
          ],
        },
      ],
    });
    const {out} = await project.run(['runs', 'p']);
    expect(out).toContain(`\np-1  dismissed: a, ${now} by ${by.dismissed_by}\n`);
    expect(out).toContain(`\np-1  dismissed: b, ${now} by ${by.dismissed_by}\n`);
  });

  test('keeps the feedback when the history cannot be written', async () => {
    const project = setUp({pending: ['a']});
    writeFileSync(path.join(project.folder, '.blackbird/runs/p/p-1.json'), '{');
    expect(await project.error(['feedback', 'dismiss', 'a'])).toMatchObject({
      error: {code: 'E_STORE_CORRUPT'},
    });
    expect(readdirSync(feedbackFolder(project))).toEqual(['a.json']);
  });

  test.each([
    {name: 'of other work', runs: [review({parent_review_completion_signature: 'older'})]},
    {name: 'without a verdict', runs: [review({parent_review_passed: undefined})]},
  ])('of a review $name leaves the parent to the next review', async ({runs}) => {
    const project = setUp({pending: ['a'], runs});
    expect(await project.json(['feedback', 'dismiss', 'a'])).toEqual({
      dismissed: feedback('a'),
      completed: [],
    });
    expect(project.tasks().p).toMatchObject({status: 'todo'});
  });

  test('of missing feedback is an error', async () => {
    expect(await setUp().error(['feedback', 'dismiss', 'late'])).toEqual({
      code: 1,
      error: expect.objectContaining({
        code: 'E_FEEDBACK_NOT_FOUND',
        message: 'no feedback is pending for "late"',
      }),
    });
  });

  test('of a task that is no longer in the plan clears it', async () => {
    const project = setUp({pending: []});
    project.put('gone.json', feedback('gone', {parentTaskId: 'gone too'}));
    expect((await project.run(['feedback', 'dismiss', 'gone'])).code).toBe(0);
    expect(readdirSync(feedbackFolder(project))).toEqual([]);
  });
});
