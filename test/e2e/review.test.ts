import {execFileSync, spawnSync} from 'node:child_process';
import {readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {builtCli} from '../helpers/built-cli.ts';
import {demo, type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {lines} from '../helpers/run-cli.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

// The built program stops after each task, with the built-in agent.

const config = {execution: {stopAfterEachTask: true}};
const plan = () =>
  planOf(
    task('a', {prompt: demo('write src/a.txt hello')}),
    task('b', {prompt: demo('append done.txt b'), deps: ['a']}),
  );

/** A repository in which every task ends at a checkpoint. */
function reviewed(): EngineProject {
  const project = engineProject(plan(), {config});
  execFileSync('git', ['init', '--quiet'], {cwd: project.folder});
  return project;
}

const steady = (text: string) =>
  text.replaceAll(/\d+(\.\d+)?s\b/g, '<time>').replaceAll(/\d+(\.\d+k)? tokens/g, '<n> tokens');

const howToDecide = [
  'a waits for your decision. See it with: blackbird diff a',
  'Decide with: blackbird review a',
  '             blackbird review a --approve',
  '             blackbird review a --approve-quit',
  '             blackbird review a --request-changes [text]',
  '             blackbird review a --reject [reason]',
];

const takeBack = 'Take its changes out of the files with: blackbird undo a';
const goOn = (taskId: string) => [
  `Continue in its session with: blackbird resume ${taskId}`,
  `Start it again with: blackbird retry ${taskId}, then blackbird execute`,
];

describe('without a terminal', () => {
  test('execute stops at the first checkpoint with the commands to decide, every time', async () => {
    const project = reviewed();
    const {code, out, err} = await project.run(['execute']);
    expect({code, err}).toEqual({code: 4, err: ''});
    expect(steady(out)).toBe(
      lines('▶ a  Task a  (demo)', '! a  finished  <time>  1 file  <n> tokens', ...howToDecide),
    );
    expect(project.latest('a')).toMatchObject({
      state: 'succeeded',
      decision_required: true,
      decision_state: 'pending',
      review_summary: {files: ['src/a.txt'], total_files: 1},
    });
    for (const args of [['execute'], ['execute', 'b', '--no-review'], ['review']]) {
      expect(await project.run(args)).toMatchObject({code: 4, err: '', out: lines(...howToDecide)});
    }
    expect(project.runs('b')).toEqual([]);
    expect((await project.run(['list', '--all'])).out).toMatch(/^a +in_progress +DECISION +Task a/m);
    expect((await project.run(['execute', '--dry-run'])).out).toBe(
      lines(
        'demo · no checks · a checkpoint after each task · no commits · no budget',
        'first: a waits for your decision',
        'no ready tasks',
      ),
    );
    expect((await project.run(['why', 'b'])).out).toContain('waits for your decision\n');
    expect((await project.run(['runs', 'a'])).out).toContain('succeeded (decision pending)');
    expect((await project.run(['diff', 'a', '--stat'])).out).toContain('src/a.txt (new) | 1 +');
  });

  test('approve continues the plan to the next checkpoint; approve and quit does not', async () => {
    const project = reviewed();
    await project.run(['execute']);
    const {code: first, out} = await project.run(['review', '--approve']);
    expect(first).toBe(4);
    expect(out).toMatch(/^✓ a {2}approved\n▶ b /);
    expect(out).toContain('b waits for your decision');
    expect(project.statuses()).toEqual({a: 'done', b: 'in_progress'});
    expect(await project.run(['review', 'b', '--approve-quit'])).toMatchObject({
      code: 0,
      err: '',
      out: lines('✓ b  approved', 'b is done · no ready tasks remaining'),
    });
    expect(project.statuses()).toEqual({a: 'done', b: 'done'});
    const {code, err} = await project.run(['review', 'b', '--approve']);
    expect({code, err}).toEqual({code: 1, err: expect.stringContaining('E_NO_DECISION')});
    expect(await project.run(['review'])).toMatchObject({
      code: 1,
      out: '',
      err: lines(
        'error: no task waits for a decision',
        '  code  E_NO_DECISION',
        '  next  blackbird status  see what is running and what needs you',
      ),
    });
  });

  test('approving the last child shows what the review of its parent sent back', async () => {
    const family = planOf(
      task('p', {prompt: demo('send-back a fixed.txt needs fixed.txt'), childIds: ['a']}),
      task('a', {prompt: demo('append done.txt a'), parentId: 'p'}),
    );
    const project = engineProject(family, {config});
    await project.run(['execute']);
    expect(await project.run(['review', 'a', '--approve'])).toMatchObject({
      code: 4,
      err: '',
      out: lines(
        ...['✓ a  approved', 'running parent review for p', 'parent review failed for p', 'resume tasks: a'],
        ...['feedback: needs fixed.txt', 'next step: blackbird resume a'],
        'all of it, and how to overrule it: blackbird feedback list',
      ),
    });
  });

  test('reject marks run and task as failed; retry makes the task ready again', async () => {
    const project = reviewed();
    await project.run(['execute']);
    const {code, out} = await project.run(['review', 'a', '--reject', 'Too big']);
    expect({code, out}).toEqual({
      code: 0,
      out: lines('✗ a  rejected', 'a failed · no ready tasks remaining', 'failed: a', ...goOn('a'), takeBack),
    });
    expect(project.latest('a')).toMatchObject({
      state: 'failed',
      failure: {kind: 'rejected', message: 'rejected at the checkpoint: Too big'},
      decision_feedback: 'Too big',
      decision_state: 'rejected',
    });
    expect(project.statuses()).toEqual({a: 'failed', b: 'todo'});
    expect(project.text('src/a.txt')).not.toBe('');
    expect(await project.run(['retry', 'a'])).toMatchObject({
      code: 0,
      out: 'reset a to todo\nRun it in a new conversation with: blackbird execute a\n',
    });
  });

  test('requested changes come from stdin, go to the same session, and end at a checkpoint', async () => {
    const project = reviewed();
    await project.run(['execute']);
    const feedback = `use tabs\n${demo('append heard.txt x')}`;
    const {status, stdout, stderr} = spawnSync(
      process.execPath,
      [builtCli, 'review', '--request-changes', '-'],
      {
        cwd: project.folder,
        env: project.env as NodeJS.ProcessEnv,
        input: `${feedback}\n`,
        encoding: 'utf8',
      },
    );
    expect({status, stderr}).toEqual({status: 4, stderr: ''});
    expect(stdout).toContain('▶ a  Task a  (demo, resumed)\n');
    expect(project.text('heard.txt')).toBe('x\n');
    const [one, two] = project.runs('a');
    expect(one).toMatchObject({decision_state: 'changes_requested', decision_feedback: feedback});
    expect(two).toMatchObject({
      feedback,
      decision_state: 'pending',
      resumed_from_run_id: one?.run_id,
      provider_session_ref: one?.provider_session_ref,
    });
  });

  test('changes without a session are refused with the whole diagnosis, and the decision stays open', async () => {
    const project = engineProject(plan(), {config, env: {BLACKBIRD_AGENT_CMD: 'true'}});
    await project.run(['execute']);
    const {code, err} = await project.run(['review', 'a', '--request-changes', 'use tabs']);
    expect(code).toBe(1);
    for (const text of ['cannot resume a', 'no session ref', 'E_RESUME_REFUSED', 'blackbird restart a'])
      expect(err).toContain(text);
    expect(project.runs('a')).toMatchObject([{decision_state: 'pending'}]);
  });

  test('after changes that the provider refused, only a decision or a restart is possible', async () => {
    const project = reviewed();
    await project.run(['execute']);
    rmSync(`${project.folder}/.blackbird/demo-sessions`, {recursive: true});
    const {code, err} = await project.run(['review', 'a', '--request-changes', 'use tabs']);
    expect(code).toBe(1);
    for (const text of ['E_RESUME_REJECTED', 'blackbird restart a', 'blackbird review a'])
      expect(err).toContain(text);
    for (const args of [
      ['retry', 'a'],
      ['set-status', 'a', 'done'],
      ['resume', 'a'],
    ]) {
      expect(await project.run(args)).toMatchObject({
        code: 1,
        err: expect.stringContaining('E_DECISION_PENDING'),
      });
    }
    expect((await project.run(['diff', 'a', '--stat'])).out).toContain('src/a.txt (new) | 1 +');
    expect((await project.run(['review', 'a', '--approve'])).out).toContain('✓ a  approved\n');
  });

  test('approving a failed run leaves its task failed, and says so', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('fail no way')})), {config});
    await project.run(['execute']);
    expect(await project.run(['review', 'a', '--approve'])).toMatchObject({
      code: 3,
      err: '',
      out: lines('✗ a  accepted as failed', '1 failed · no ready tasks remaining', 'failed: a', ...goOn('a')),
    });
    expect(project.statuses()).toEqual({a: 'failed'});
  });

  test('restart requires --yes in the words of the checkpoint', async () => {
    const project = reviewed();
    await project.run(['execute']);
    const {code, err} = await project.run(['restart', 'a']);
    expect({code, err}).toEqual({
      code: 1,
      err: lines(
        'error: a waits for your decision; pass --yes to run it again',
        '  code  E_CONFIRMATION_REQUIRED',
        '  next  blackbird restart a --yes  start again; its history is kept',
      ),
    });
  });

  test.each([
    {args: ['review', 'a', '--approve', '--reject'], code: 'E_USAGE'},
    {args: ['review', 'a', '--request-changes', '  '], code: 'E_NO_INPUT'},
  ])('$args is a usage error', async ({args, code}) => {
    const project = reviewed();
    expect(await project.run(args)).toMatchObject({code: 2, err: expect.stringContaining(code)});
  });

  test.each([
    ['set-status', 'a', 'done'],
    ['retry', 'a'],
    ['resume', 'a'],
  ])('%s refuses at a checkpoint, with the commands to decide', async (...args) => {
    const project = reviewed();
    await project.run(['execute']);
    const {code, err} = await project.run(args);
    expect(code).toBe(1);
    expect(err).toContain('E_DECISION_PENDING');
    expect(err).toContain('blackbird review a --approve');
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});
  });

  test('comments on lines are kept, listed, removed, and sent with the request', async () => {
    const project = reviewed();
    await project.run(['execute']);
    for (const file of ['../a.txt', '/etc/passwd', 'b.txt']) {
      const args = ['review', 'a', '--comment', 'src/a.txt:1=fine', '--comment', `${file}:1=no`];
      const {code, err} = await project.run(args);
      expect({code, err}).toEqual({
        code: 2,
        err: lines(
          `error: a did not change "${file}"`,
          ...['  changed  src/a.txt', '  usage    blackbird review [options] [taskId]'],
          '  code     E_USAGE',
          '  next     blackbird diff a --stat  see what it changed',
        ),
      });
    }
    const beyond = await project.run(['review', 'a', '--comment', 'src/a.txt:-1=x']);
    expect(beyond).toMatchObject({code: 2, err: expect.stringContaining('lines  none before the change')});
    expect((await project.run(['review', '--comments'])).out).toBe(lines('no comments'));
    await project.run([
      ...['review', 'a', '--comment', 'src/a.txt:1=Say\u001b[2J more'],
      ...['--comment', 'src/a.txt:1=x'],
    ]);
    const listed = async () => JSON.parse((await project.run(['review', 'a', '--comments', '--json'])).out);
    const [first, second] = await listed();
    expect((await project.run(['review', 'a', '--remove-comment', second.id])).code).toBe(0);
    expect((await project.run(['review', 'a', '--comments'])).out).toBe(
      lines(`${first.id}  src/a.txt:1`, '  Say more'),
    );
    await project.run(['review', 'a', '--request-changes']);
    expect(project.latest('a')).toMatchObject({
      feedback: 'Comments on lines of the change:\n- src/a.txt:1: Say\u001b[2J more',
      comment_ids: [first.id],
    });
    const sentWith = project.latest('a')?.run_id;
    expect(await listed()).toEqual([{...first, sent_with: sentWith}]);
    const {code, err} = await project.run(['review', 'a', '--remove-comment', first.id]);
    expect({code, err}).toEqual({code: 1, err: expect.stringContaining('E_COMMENT_SENT')});
  });

  test('an unreadable record: the suggested commands get past it', async () => {
    const project = reviewed();
    await project.run(['execute']);
    await project.run(['review', 'a', '--request-changes', 'more']);
    const broken = project.latest('a')?.run_id;
    project.write(`.blackbird/runs/a/${broken}.json`, '{');
    const refused = await project.run(['execute', '--json']);
    const {next} = JSON.parse(refused.err.trimEnd().split('\n').at(-1) ?? '').error;
    const [move, decide] = next.map(({command}: {command: string}) => command.split(' '));
    expect([refused.code, move[0], decide]).toEqual([1, 'mv', ['blackbird', 'review', 'a', '--approve']]);
    execFileSync('mv', move.slice(1));
    expect(await project.run(decide.slice(1))).toMatchObject({err: ''});
    expect(project.statuses()).toEqual({a: 'done', b: 'in_progress'});
  });

  test('an approval is withdrawn until the next task has started', async () => {
    const project = reviewed();
    await project.run(['execute']);
    await project.run(['review', 'a', '--approve-quit']);
    expect(await project.run(['review', 'a', '--withdraw'])).toMatchObject({
      code: 0,
      err: '',
      out: lines('the approval of a is withdrawn; it waits for your decision'),
    });
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    expect((await project.run(['runs', 'a', '--verbose'])).out).toContain('approved quit, withdrawn');
    await project.run(['review', 'a', '--approve']);
    const {code, err} = await project.run(['review', 'a', '--withdraw']);
    expect({code, err}).toEqual({
      code: 1,
      err: expect.stringContaining('error: the approval of a stands: the next task has started\n'),
    });
  });

  test('scripts get events, and that a user is needed', async () => {
    const project = reviewed();
    const {code, out} = await project.run(['execute', '--json']);
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(4);
    const message = 'a waits for your decision';
    const stopped = {event: 'job.stopped', reason: 'decision_required', task_id: 'a', message};
    const why = 'waits for your decision';
    const obstacles = [{task_id: 'a', needs: 'person', why, command: expect.stringContaining(' a')}];
    expect(events.at(-1)).toEqual({...stopped, obstacles});
    expect(events.at(-2)).toMatchObject({event: 'run.updated', run: {decision_state: 'pending'}});
    for (const args of [['execute'], ['review']]) {
      expect(JSON.parse((await project.run([...args, '--json'])).out)).toMatchObject(stopped);
    }
  });

  test('--review and --no-review override the setting', async () => {
    const off = reviewed();
    expect((await off.run(['execute', '--no-review'])).code).toBe(0);
    expect(off.latest('a')).not.toHaveProperty('decision_required');
    const on = engineProject(plan());
    expect((await on.run(['execute', '--review'])).code).toBe(4);
  });
});

const kills = Number(process.env.BLACKBIRD_TEST_REVIEW_KILLS ?? 5);

test(`SIGKILL at ${kills} moments of requested changes neither loses nor repeats them`, {
  timeout: 60_000 + kills * 30_000,
}, async () => {
  const feedback = demo('append heard.txt x');
  for (let kill = 0; kill < kills; kill++) {
    const project = reviewed();
    await project.run(['execute']);
    const running = project.start(['review', 'a', '--request-changes', feedback]);
    await Promise.race([running.ended, delay(120 + (kill * 600) / kills)]);
    running.child.kill('SIGKILL');
    await running.ended;
    await eventually(() => expect(project.agents()).toEqual([]));
    const [first] = project.runs('a');
    const wasStored = first?.decision_state === 'changes_requested';
    // Killed before the decision was on disk: nothing was decided.
    if (!wasStored) await project.run(['review', 'a', '--request-changes', feedback]);
    const {out} = await project.run(['execute']);
    if (/blackbird resume a/.test(out)) await project.run(['resume', 'a']);
    else if (/blackbird restart a/.test(out)) throw new Error(`the session was lost:\n${out}`);
    const ran = project.runs('a').filter(({state}) => state !== 'canceled');
    expect({kill, decisions: ran.map(({decision_state}) => decision_state)}).toEqual({
      kill,
      decisions: ['changes_requested', 'pending'],
    });
    expect(project.text('heard.txt')).toBe('x\n');
    expect((await project.run(['review', 'a', '--approve-quit'])).code).toBe(0);
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  }
});

describe.skipIf(!hasTmux)('on a terminal of 80 by 24', () => {
  const small = {columns: 80, rows: 24};

  test('the prompt shows the change; j and k choose; changes are written and sent; the plan continues', async () => {
    const project = reviewed();
    const terminal = openTerminal({...project, ...small});
    terminal.type('blackbird execute');
    const shown = await terminal.until(/whole task 1 file[\s\S]*esc later/);
    for (const text of ['ACTION REQUIRED', 'a  Task a', 'succeeded', 'esc later', 'src/a.txt', '+ hello'])
      expect(shown).toContain(text);
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(shown).not.toContain('❯');
    terminal.press('j', 'j', 'j', 'j', 'k');
    await terminal.until('❯ Request changes');
    terminal.press('Enter');
    await terminal.until('Request changes  a');
    terminal.press(...'use'.split(''), 'Space', '@', 's', 'r', 'c');
    await terminal.until('❯ src/a.txt');
    terminal.press('Enter');
    await terminal.until('use @src/a.txt');
    terminal.press('C-s');
    await eventually(() => expect(project.runs('a')).toMatchObject([{}, {decision_state: 'pending'}]));
    expect(project.runs('a')[0]).toMatchObject({
      decision_state: 'changes_requested',
      decision_feedback: expect.stringContaining('use @src/a.txt'),
    });
    // The second run changed nothing: the review covers the whole task.
    await terminal.until('[whole task 1 file');
    terminal.press('j', 'Enter');
    await eventually(() => expect(project.latest('b')).toMatchObject({decision_state: 'pending'}));
    await terminal.until(/ACTION REQUIRED +b {2}Task b/);
    terminal.press('Up');
    await terminal.until('❯ Reject changes');
    terminal.press('Enter');
    await terminal.until('Why? A later attempt will see it.');
    terminal.type('no');
    await terminal.until('no');
    terminal.press('C-s');
    const end = await terminal.until('[3]>');
    expect(end).toContain('✓ a  approved');
    expect(end).toContain('✗ b  rejected');
    expect(project.statuses()).toEqual({a: 'done', b: 'failed'});
  });

  test('Ctrl+C leaves the decision open, the terminal as it was, and the next execute asks again', async () => {
    const project = reviewed();
    const terminal = openTerminal({...project, ...small});
    terminal.type('blackbird execute');
    await terminal.until(/esc later/);
    terminal.press('C-c');
    const left = await terminal.until('[4]>');
    expect(left).toContain('Decide with: blackbird review a\n');
    expect(left).not.toContain('ACTION REQUIRED');
    expect(project.latest('a')).toMatchObject({decision_state: 'pending'});
    terminal.type('blackbird execute');
    await terminal.until('ACTION REQUIRED');
    terminal.press('j', 'j', 'Enter');
    await terminal.until(/\[0\]>$/);
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('changes for stdin may be typed and pasted in several lines; Ctrl+C keeps them as a draft', async () => {
    const project = reviewed();
    await project.run(['execute']);
    const terminal = openTerminal({...project, ...small});
    terminal.type('blackbird review a --request-changes -');
    await terminal.until('What should be different?');
    terminal.type('not this');
    terminal.press('C-c');
    await terminal.until('[130]>');
    expect(terminal.screen()).toContain('What you wrote is kept. Continue with: blackbird review a');
    expect(project.text('.blackbird/drafts/a.feedback.json')).toContain('"text": "not this"');
    expect(project.runs('a')).toMatchObject([{decision_state: 'pending'}]);
    terminal.type('clear; blackbird review a --request-changes -');
    await terminal.until('What should be different?');
    terminal.paste('one\ntwo\n');
    terminal.type('three');
    terminal.press('C-d');
    await terminal.until('ACTION REQUIRED');
    expect(project.runs('a')).toMatchObject([
      {decision_feedback: 'one\ntwo\nthree'},
      {decision_state: 'pending'},
    ]);
    terminal.press('j', 'Enter');
    await terminal.until('✓ a  approved');
  });

  test('a decision in another terminal: the waiting prompt closes, says so and continues', async () => {
    const project = reviewed();
    const terminal = openTerminal({...project, ...small});
    terminal.type('blackbird execute');
    await terminal.until('   Approve and continue');
    expect(await project.run(['review', 'a', '--approve'])).toMatchObject({
      code: 0,
      err: '',
      out: lines('a: approved; the job that waited for it continues'),
    });
    await terminal.until(/ACTION REQUIRED +b {2}Task b/);
    expect(project.latest('a')).toMatchObject({decision_state: 'approved_continue'});
    expect(await project.run(['review', 'b', '--reject', 'no'])).toMatchObject({
      code: 0,
      out: lines('b: rejected; the job that waited for it ends'),
    });
    const end = await terminal.until('[3]>');
    expect(end).toContain('b was decided in another terminal: rejected');
    const left = readdirSync(path.join(project.folder, '.blackbird/runs/b'));
    expect(left.filter((name) => name.includes('decision'))).toEqual([]);
  });

  test('SIGTERM closes the question and leaves it open', async () => {
    const project = reviewed();
    const terminal = openTerminal({...project, ...small});
    terminal.type('blackbird execute & echo $! > pid; fg');
    await terminal.until('ACTION REQUIRED');
    process.kill(Number(project.text('pid')), 'SIGTERM');
    const left = await terminal.until('[4]>');
    expect(left).toContain('Decide with: blackbird review a\n');
    expect(project.latest('a')).toMatchObject({decision_state: 'pending'});
  });
});
