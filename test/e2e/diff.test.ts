import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {Command} from 'commander';
import {describe, expect, test} from 'vitest';
import {Cli} from '../../src/cli/cli.ts';
import {diffCommand} from '../../src/cli/commands/diff.ts';
import type {Surface} from '../../src/cli/context.ts';
import {reportError} from '../../src/cli/terminal/report-error.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {restingRun, runRecord} from '../fakes/runs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {type CliRun, controlCharacters, lines, planFileText} from '../helpers/run-cli.ts';
import {type TestRepository, testRepository} from '../services/git/test-repository.ts';

const plain: Surface = {isTerminal: false, columns: Number.POSITIVE_INFINITY, hasColor: false};

type DiffProject = TestRepository & {
  /** Records a run that changed files. */
  ran(job: () => void, fields?: Partial<RunRecord>): Promise<RunRecord>;
  insert(run: RunRecord): Promise<void>;
  diff(args: readonly string[], surface?: Surface): Promise<CliRun>;
  json(args: readonly string[]): Promise<unknown>;
};

/** A repository with a plan, runs whose trees are real, and the command alone. */
function diffProject(): DiffProject {
  const repository = testRepository();
  const {folder, env, write, tracker} = repository;
  write('blackbird.plan.json', planFileText(planOf(task('a'), task('b'))));
  const runsFolder = path.join(folder, '.blackbird/runs');
  mkdirSync(runsFolder, {recursive: true});
  const runs = createRunStore({folder: runsFolder});

  const diff: DiffProject['diff'] = async (args, surface = plain) => {
    const printed = {out: '', err: ''};
    const print = (stream: 'out' | 'err') => (text: string) => {
      printed[stream] += `${text}\n`;
    };
    const context = {
      name: 'blackbird' as const,
      version: '1.2.3',
      cwd: folder,
      env,
      isInteractive: false,
      out: print('out'),
      err: print('err'),
      write: () => {},
      writeErr: () => {},
      onSignals: () => () => {},
      ask: async () => null,
      readAll: async () => '',
      stdout: surface,
      stderr: plain,
      now: () => now,
    };
    const cli = new Cli(context);
    const program = new Command('blackbird').option('--json').option('--cwd <dir>');
    program.addCommand(diffCommand(cli));
    try {
      await program.parseAsync(['diff', ...args], {from: 'user'});
      return {code: 0, ...printed};
    } catch (error) {
      const code = reportError(error, context, {json: args.includes('--json')});
      return {code, ...printed};
    }
  };

  return {
    ...repository,
    insert: (run) => runs.insert(run),
    ran: async (job, fields) => {
      const changes = tracker();
      const from = await changes.snapshot();
      job();
      const to = await changes.snapshot(from);
      const trees = {baseline_tree: from ?? '', result_tree: to ?? ''};
      const run = restingRun({
        state: 'succeeded',
        review_summary: await changes.summarize(from, to),
        ...trees,
        ...fields,
      });
      await runs.insert(run);
      return run;
    },
    diff,
    json: async (args) => JSON.parse((await diff([...args, '--json'])).out),
  };
}

const withoutIds = (text: string) => text.replace(/^index [0-9a-f.]+( \d+)?\n/gm, '');

describe('diff', () => {
  test('shows what the latest run of a task changed, at any later time', async () => {
    const {ran, write, diff, commit} = diffProject();
    write('mine.txt', 'mine\n');
    await ran(() => write('a.txt', 'one\n'));
    write('a.txt', 'later\n');
    commit();
    await ran(() => write('b.txt', 'two\n'), {run_id: 'a-2', attempt: 2});
    const {code, out, err} = await diff(['a']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(withoutIds(out)).toBe(
      lines(
        'diff --git a/b.txt b/b.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/b.txt',
        '@@ -0,0 +1 @@',
        '+two',
      ),
    );
    expect((await diff(['a', 'a-1'])).out).toContain('\n+one\n');
    expect(await diff(['a', 'a-1', '--stat'])).toEqual({
      code: 0,
      err: '',
      out: lines(' a.txt (new) | 1 +', ' 1 file changed, 1 insertion(+)'),
    });
  });

  test('shows the whole task: every run of its chain, without what others did in between', async () => {
    const {ran, write, diff, json} = diffProject();
    await ran(() => write('evil.txt', 'left\n'), {state: 'paused', superseded_by_run_id: 'a-2'});
    write('mine.txt', 'mine\n');
    const decided = {decision_state: 'changes_requested', decision_resolved_at: now} as const;
    await ran(() => write('one.txt', 'one\n'), {
      run_id: 'a-2',
      attempt: 2,
      restart_of_run_id: 'a-1',
      ...decided,
    });
    await ran(() => write('b.txt', 'b\n'), {run_id: 'b-1', task_id: 'b'});
    await ran(() => write('two.txt', 'two\n'), {run_id: 'a-3', attempt: 3, resumed_from_run_id: 'a-2'});
    const files = async (...args: string[]) =>
      (await diff([...args, '--stat'])).out.match(/\w+\.txt/g)?.join(' ');
    expect(await files('a')).toBe('evil.txt one.txt two.txt');
    expect(await files('a', '--since-review')).toBe('two.txt');
    expect(await files('a', 'a-2')).toBe('one.txt');
    await ran(() => write('c.txt', 'c\n'), {run_id: 'c-1', task_id: 'c', ...decided});
    expect((await diff(['c', '--since-review'])).out).toBe('no files were changed\n');
    expect(await files('b', '--since-review')).toBe('b.txt');
    expect(await json(['a'])).toMatchObject({
      run_id: 'a-3',
      runs: ['a-1', 'a-2', 'a-3'],
      review_summary: {files: ['evil.txt', 'one.txt', 'two.txt']},
    });
  });

  test('shows a parent as the tasks below it together', async () => {
    const {ran, write, diff, json} = diffProject();
    const plan = planOf(
      task('p', {childIds: ['a', 'b']}),
      task('a', {parentId: 'p'}),
      task('b', {parentId: 'p'}),
    );
    write('blackbird.plan.json', planFileText(plan));
    expect(await diff(['p'])).toMatchObject({code: 1, out: ''});
    await ran(() => write('both.txt', 'a\n'), {created_at: '2026-01-01T00:00:01Z'});
    write('mine.txt', 'mine\n');
    await ran(() => write('both.txt', 'a\nb\n'), {
      run_id: 'b-1',
      task_id: 'b',
      created_at: '2026-01-01T00:00:02Z',
    });
    const {out} = await diff(['p']);
    expect(out).toContain('@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(out).not.toContain('mine');
    expect(await json(['p'])).toMatchObject({task_id: 'p', runs: ['a-1', 'b-1']});
  });

  test('says so when nothing was changed', async () => {
    const {ran, diff} = diffProject();
    await ran(() => {});
    for (const args of [['a'], ['a', '--stat']]) {
      expect(await diff(args)).toEqual({code: 0, err: '', out: 'no files were changed\n'});
    }
  });

  test('gives the summary to scripts', async () => {
    const {ran, write, json} = diffProject();
    const run = await ran(() => write('a.txt', 'one\n'));
    expect(await json(['a'])).toEqual({
      task_id: 'a',
      run_id: 'a-1',
      state: 'succeeded',
      runs: ['a-1'],
      baseline_tree: run.baseline_tree,
      result_tree: run.result_tree,
      side_effects: [],
      review_summary: {
        files: ['a.txt'],
        total_files: 1,
        diffstat: ' a.txt (new) | 1 +\n 1 file changed, 1 insertion(+)',
        snippets: [{file: 'a.txt', snippet: '@@ -0,0 +1 @@\n+one'}],
      },
    });
  });

  test('compares an unfinished run with the current files', async () => {
    const {insert, tracker, write, diff, json} = diffProject();
    const baseline = await tracker().snapshot();
    write('a.txt', 'so far\n');
    const stale = {baseline_tree: baseline ?? '', result_tree: baseline ?? ''};
    await insert(runRecord({phase: 'active', ...stale}));
    const {code, out, err} = await diff(['a']);
    expect({code, err}).toEqual({code: 0, err: 'note: run a-1 is running; this is its change so far\n'});
    expect(out).toContain('+so far\n');
    expect(await json(['a'])).toMatchObject({state: 'running', review_summary: {files: ['a.txt']}});
  });

  test('shows a paused run as it was when it paused', async () => {
    const {ran, write, diff} = diffProject();
    await ran(() => write('a.txt', 'one\n'), {
      state: 'paused',
      paused_at: now,
      pause_reason: 'user_interrupt',
    });
    write('a.txt', 'mine\n');
    expect((await diff(['a'])).out).toContain('+one\n');
  });

  test('leaves out runs that only reviewed', async () => {
    const {ran, write, diff} = diffProject();
    await ran(() => write('a.txt', 'one\n'));
    await ran(() => {}, {run_id: 'a-2', attempt: 2, run_type: 'review'});
    expect((await diff(['a'])).out).toContain('+one\n');
    expect((await diff(['a', 'a-2'])).out).toBe('no files were changed\n');
  });

  test('leaves out a run that its provider refused before the feedback was delivered', async () => {
    const {ran, write, diff} = diffProject();
    await ran(() => write('a.txt', 'one\n'));
    const refused = {kind: 'resume_rejected', message: 'no such session'} as const;
    await ran(() => {}, {
      run_id: 'a-2',
      attempt: 2,
      state: 'failed',
      failure: refused,
      resumed_from_run_id: 'a-1',
      feedback: 'use tabs',
    });
    expect((await diff(['a'])).out).toContain('+one\n');
    expect((await diff(['a', 'a-2'])).out).toBe('no files were changed\n');
  });

  test('colours only on a terminal', async () => {
    const {ran, write, diff, commit} = diffProject();
    write('a.txt', 'one\n-- two\n');
    commit();
    await ran(() => write('a.txt', 'one\n++ two\n'));
    const terminal = {isTerminal: true, columns: 80, hasColor: true};
    const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
    expect(
      withoutIds((await diff(['a'], terminal)).out)
        .split('\n')
        .slice(2),
    ).toEqual([
      bold('--- a/a.txt'),
      bold('+++ b/a.txt'),
      '\u001b[36m@@ -1,2 +1,2 @@\u001b[39m',
      ' one',
      '\u001b[31m--- two\u001b[39m',
      '\u001b[32m+++ two\u001b[39m',
      '',
    ]);
    const stat = await diff(['a', '--stat'], terminal);
    expect(stat.out).toContain(' a.txt | 2 \u001b[32m+\u001b[39m\u001b[31m-\u001b[39m\n');
    expect((await diff(['a'])).out).not.toContain('\u001b');
  });

  test('lets nothing in a file or its name control the terminal or pass for a line of the patch', async () => {
    const {ran, write, diff} = diffProject();
    await ran(() => {
      write('a\u001b]0;title\u0007\u202eb', 'x\n');
      write('b.txt', '\u001b[31mred\u001b[0m\u0007\nfirst\rdiff --git a/x b/x\r\n\u009b2J\u2028z\n');
    });
    const {out, code} = await diff(['a']);
    expect(code).toBe(0);
    expect(out).not.toMatch(controlCharacters);
    expect(out).toContain('\n+^[[31mred^[[0m^G\n+first^Mdiff --git a/x b/x^M\n+<U+009B>2J<U+2028>z\n');
    expect((await diff(['a', '--stat'])).out).not.toMatch(controlCharacters);
    expect((await diff(['a', '--json'])).out).not.toMatch(controlCharacters);
  });

  test('says why there is nothing to show', async () => {
    const {insert, diff, folder} = diffProject();
    const error = async (args: readonly string[]) => {
      const {code, out, err} = await diff([...args, '--json']);
      expect(out).toBe('');
      return {code, ...JSON.parse(err).error};
    };
    expect(await error(['a'])).toMatchObject({code: 'E_RUN_NOT_FOUND', message: 'no runs found for a'});
    expect(await error(['zzz'])).toMatchObject({code: 'E_TASK_NOT_FOUND'});
    const note = {files: [], diffstat: '', snippets: [], note: 'there is no git repository'};
    await insert(restingRun({state: 'succeeded', review_summary: note}));
    expect(await error(['a', 'a-9'])).toMatchObject({
      code: 'E_RUN_NOT_FOUND',
      message: 'task a has no run "a-9"',
    });
    expect(await error(['a'])).toMatchObject({
      code: 'E_DIFF_UNAVAILABLE',
      message: 'the files of run a-1 were not recorded',
      details: {reason: 'there is no git repository'},
    });
    const tree = 'a'.repeat(40);
    await insert(
      restingRun({
        state: 'failed',
        run_id: 'a-2',
        attempt: 2,
        baseline_tree: tree,
        result_tree: 'b'.repeat(40),
      }),
    );
    const {code, out, err} = await diff(['a']);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toMatch(/^error: the change cannot be shown: git no longer has the recorded files/);
    writeFileSync(path.join(folder, '.git/HEAD'), 'nonsense');
    expect(await error(['a', 'a-1'])).toMatchObject({code: 'E_DIFF_UNAVAILABLE'});
  });
});
