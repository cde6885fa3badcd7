import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {textWidth} from '../../src/ui/text/graphemes.ts';
import {pausedRun, restingRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {keys, sessionRow, tuiProject} from './tui-project.tsx';

const until = (check: () => void) => eventually(check);
const shop = () => planOf(family(task('p'), task('a'), task('b')), task('z'));

async function browsing(options: Parameters<typeof tuiProject>[0] = {}) {
  const project = tuiProject({plan: shop(), ...options});
  project.press(keys.enter);
  await project.sees('Plan');
  return project;
}

test('what is possible for a task is whole below its state when it does not fit next to it', async () => {
  const {sees} = await browsing({
    plan: planOf(task('a', {status: 'in_progress'})),
    runs: [pausedRun()],
  });
  await sees(/│ Ⅱ paused +│/);
  await sees('u continues its session, R starts again');
});

describe('the tree', () => {
  test('shows which of its rows are visible, like every list', async () => {
    const plan = planOf(...Array.from({length: 30}, (_, index) => task(`t${index}`)));
    const {press, lines, sees} = await browsing({plan});
    expect(lines()[1]).toMatch(/^┌ Plan ─+ 1–19 of 30 ┐/);
    press('G');
    await sees('12–30 of 30');
  });

  test('titles come first: a reason is shown next to one only whole, a state when enough of it fits', async () => {
    const {lines} = await browsing({
      plan: planOf(
        task('z', {title: 'Refunds', status: 'failed'}),
        task('short', {title: 'Keys', deps: ['z']}),
        task('long', {title: 'Repository layer of refunds', deps: ['z']}),
      ),
    });
    const rows = lines()
      .slice(2, 5)
      .map((line) => line.slice(0, 33));
    expect(rows).toEqual([
      '│ ❯  ✗ Refunds           failed │',
      '│    ⊘ Keys       needs Refunds │',
      '│    ⊘ Repository layer of ref… │',
    ]);
  });

  test('keys that arrive together are handled one by one', async () => {
    const {press, sees} = await browsing();
    press('gjj');
    await sees(/❯ +○ Task b/);
    press('G');
    await sees(/❯ +○ Task z/);
    press('g');
    await sees(/❯▾ ◦ Task p/);
  });

  test('collapses, and expands all', async () => {
    const {press, sees, seesNot} = await browsing();
    press('g', keys.space);
    await seesNot(/Task b {5,}/);
    press(keys.right);
    await sees(/Task b {5,}/);
    press('F');
    await seesNot(/Task b {5,}/);
  });

  test('search narrows while typing, enter keeps it, escape clears it', async () => {
    const {press, sees, seesNot} = await browsing();
    press('/', 'z', '?');
    await sees('/z?▏');
    press(keys.backspace);
    await seesNot('Task a');
    press(keys.enter);
    await sees(/❯ +○ Task z/);
    press(keys.escape);
    await sees('Task a');
  });

  test('the filter cycles', async () => {
    const {press, sees} = await browsing({plan: planOf(task('a', {status: 'done'}), task('b'))});
    press('f');
    await sees('Plan · open');
    press('f', 'f');
    await sees('no task matches the filter');
    press('f', 'f');
    await sees('✓ Task a');
  });
});

describe('the tabs', () => {
  const done = {plan: planOf(task('a', {status: 'done'})), runs: [restingRun({state: 'succeeded'})]};

  test.each([
    {key: '2', seen: 'readable log of a-1'},
    {key: '3', seen: '+ new'},
    {key: '4', seen: '✓ succeeded  a-1'},
    {key: '1', seen: 'Task a'},
  ])('$key', async ({key, seen}) => {
    const {press, sees} = await browsing(done);
    press(key);
    await sees(seen);
  });

  test('an ended run stays readable, raw too', async () => {
    const {press, sees} = await browsing(done);
    press('2', 'o');
    await sees('raw log of a-1');
  });
});

test('earlier runs stay readable, with their change', async () => {
  const {press, sees, tui} = await browsing({
    plan: planOf(task('a', {status: 'done'})),
    runs: [
      restingRun({run_id: 'a-1', state: 'failed', superseded_by_run_id: 'a-2'}),
      restingRun({run_id: 'a-2', state: 'succeeded', attempt: 2, restart_of_run_id: 'a-1'}),
    ],
  });
  press('2');
  await sees('readable log of a-2');
  press('<');
  await sees('readable log of a-1');
  await sees('✗ failed · run 1 of 2');
  press('<');
  await sees('there is no older run');
  // What is possible is still about the latest run.
  expect(tui.facts().run?.run_id).toBe('a-2');
  press('>');
  await sees('readable log of a-2');
});

describe('editing', () => {
  test('a task is added after the selected one, with an id derived from its title, and undone', async () => {
    const {press, sees, plans} = await browsing();
    press('g', 'j', 'a');
    await sees('New task under p');
    press('Écrire: le test', keys.enter, 'Why and how.', keys.ctrlS);
    await sees('added ecrire-le-test');
    await sees(/❯ +○ Écrire: le test/);
    expect([...(plans.plan.items.get('p')?.childIds ?? [])]).toEqual(['a', 'ecrire-le-test', 'b']);
    expect(plans.plan.items.get('ecrire-le-test')).toMatchObject({
      title: 'Écrire: le test',
      description: 'Why and how.',
      parentId: 'p',
      status: 'todo',
    });
    press('z');
    await sees('undone: added ecrire-le-test');
    expect(plans.plan).toEqual(shop());
  });

  test('a field is edited', async () => {
    const {press, sees, plans} = await browsing();
    press('g', 'j', 'i');
    await sees('Edit a');
    press(keys.down, keys.enter);
    await sees('Description');
    press(keys.escape);
    await sees(/❯ Description/);
    press(keys.enter);
    await sees('Description · a');
    press('More words', keys.ctrlS);
    await sees('changed a');
    expect(plans.plan.items.get('a')?.description).toBe('More words');
  });

  test('checks are edited one per line, and removed', async () => {
    const {press, sees, plans} = await browsing();
    const checks = async (...pressed: readonly string[]) => {
      press('i');
      await sees('Edit a');
      press(keys.down, keys.down, keys.down, keys.down, keys.enter);
      await sees('Checks: commands that must succeed');
      press(...pressed, keys.ctrlS);
      await sees('changed a');
    };
    press('g', 'j');
    await checks(' npm test ', keys.enter, keys.enter, 'npm run lint');
    expect(plans.plan.items.get('a')?.verify).toEqual(['npm test', 'npm run lint']);
    await sees('• npm run lint');
    await checks(...Array.from({length: 24}, () => keys.backspace));
    expect(plans.plan.items.get('a')).not.toHaveProperty('verify');
  });

  test('delete asks, includes all descendants, and can be undone', async () => {
    const {press, sees, plans} = await browsing();
    press('g', 'D');
    await sees('Delete p');
    press('y');
    await sees('deleted p');
    expect([...plans.plan.items.keys()]).toEqual(['z']);
    press('z');
    await sees('undone');
    expect(plans.plan).toEqual(shop());
  });

  test.each([
    {id: 'p', seen: 'The 2 tasks below it are deleted too'},
    {id: 'q', seen: 'The task below it is deleted too'},
    {id: 'z', seen: ' Dependencies on it are removed. z undoes it.'},
  ])('deleting $id shows how many tasks go with it', async ({id, seen}) => {
    const plan = planOf(family(task('p'), task('a'), task('b')), family(task('q'), task('c')), task('z'));
    const {press, sees} = await browsing({plan});
    press('g', ...Array.from({length: ['p', 'a', 'b', 'q', 'c', 'z'].indexOf(id)}, () => 'j'), 'D');
    await sees(`Delete ${id}`);
    await sees(seen);
  });

  test('after a deletion the next task is selected, or the previous one at the end', async () => {
    const tasks = ['a', 'b', 'c'].map((id) => task(id));
    const {press, sees} = tuiProject({plan: planOf(...tasks)});
    press(keys.enter, 'g', 'j', 'D');
    await sees('Delete b');
    press('y');
    await sees(/❯ +○ Task c/);
    press('D');
    await sees('Delete c');
    press('y');
    await sees(/❯ +○ Task a/);
  });

  test('a task that is added below a collapsed one is shown', async () => {
    const {press, sees} = await browsing();
    press('g', keys.left, 'A');
    await sees('New task under p');
    press('Below', keys.ctrlS);
    await sees(/❯ +○ Below/);
  });

  test('what was changed by others since is not undone', async () => {
    const {press, sees, plans} = await browsing();
    press('g', 'j', 's');
    await sees('Status of a');
    press('G', keys.enter);
    await sees('a is skipped');
    plans.plan = planOf(family(task('p'), task('a', {title: 'By another hand'}), task('b')), task('z'));
    press('z');
    await sees('the plan was changed by somebody else since');
    expect(plans.plan.items.get('a')?.title).toBe('By another hand');
  });

  test('a dependency is chosen from the allowed ones', async () => {
    const {press, sees, screen, plans} = await browsing();
    press('g', 'j', 'b');
    await sees('What a  Task a needs');
    expect(screen()).not.toContain('Task p');
    press('z', keys.space, keys.enter);
    await sees('changed the dependencies of a');
    expect(plans.plan.items.get('a')?.deps).toEqual(['z']);
  });

  test('a task is moved under another one, and among its siblings', async () => {
    const {press, sees, plans} = await browsing();
    press('G', 'm');
    await sees('Move z');
    press(keys.down, keys.enter);
    await sees('moved z');
    expect(plans.plan.items.get('p')?.childIds).toEqual(['a', 'b', 'z']);
    press('K');
    await until(() => expect(plans.plan.items.get('p')?.childIds).toEqual(['a', 'z', 'b']));
  });

  test('a refusal says why and changes nothing', async () => {
    const plan = planOf(task('a'), task('b', {deps: ['a']}));
    const {press, sees, plans} = await browsing({plan});
    press('g', 'b');
    await sees('What a  Task a needs');
    press(keys.space, keys.enter);
    await sees('cycle');
    await sees('E_PLAN_EDIT');
    expect(plans.plan).toEqual(plan);
  });
});

describe('text that cannot be stored', () => {
  test('is there again after the reason, for a new task', async () => {
    const {press, sees, plans} = await browsing();
    press('a');
    await sees('New task');
    plans.failNextUpdate();
    press('Refunds', keys.ctrlS);
    await sees('the disk is full');
    press(keys.enter);
    await sees(/New task.*Refunds/s);
    press(' again', keys.ctrlS);
    await sees('added');
    expect([...plans.plan.items.values()].map(({title}) => title)).toContain('Refunds again');
  });

  test('and for a field of a task', async () => {
    const {press, sees, plans} = await browsing();
    press('g', 'j', 'i');
    await sees('Edit a');
    press(keys.enter);
    await sees('Title · a');
    plans.failNextUpdate();
    press(' of mine', keys.ctrlS);
    await sees('the disk is full');
    press(keys.enter);
    await sees(/Title · a.*Task a of mine/s);
    press(keys.ctrlS);
    await sees('changed a');
    expect(plans.plan.items.get('a')?.title).toBe('Task a of mine');
  });
});

describe('the agent', () => {
  test('is chosen from the installed ones, and shown at once', async () => {
    const {press, sees, lines} = await browsing();
    press('w');
    await sees('The agent of this project');
    await sees(/codex +Codex +not installed: npm install -g codex/);
    await sees(/❯ claude +Claude Code +2.1.0 · logged in · in use/);
    press('j', keys.enter);
    await sees('demo runs the tasks of this project');
    expect(lines()[0]).toContain('demo · ');
  });

  test('that is not installed is never called in use, even if it was chosen', async () => {
    const {press, sees, seesNot} = await browsing({data: {provider: {id: 'codex', source: 'saved'}}});
    press('w');
    await sees(/codex +Codex +not installed: npm install -g codex/);
    await seesNot('in use');
  });

  test('that the environment overrides is saved, and the one in use is named', async () => {
    const {press, sees} = await browsing({agentInEnvironment: 'claude'});
    press('w');
    await sees(/demo +Demo agent/);
    press('j', keys.enter);
    await sees('demo is saved, but claude runs the tasks here');
  });
});

describe('sessions', () => {
  const idle = sessionRow({id: '2', name: 'idle', status: 'idle', isRunning: false});
  const gone = sessionRow({
    id: '3',
    name: 'gone',
    status: 'worktree missing',
    isRunning: false,
    canResume: false,
  });
  const atSessions = async () => {
    const project = await browsing({sessions: [sessionRow(), idle, gone]});
    project.press('S');
    await project.sees('refunds');
    return project;
  };

  test('are shown with their state: the selected one with its screen', async () => {
    const {press, sees, seesNot} = await atSessions();
    await sees('$ 1 works');
    press('j');
    await sees('it is not running; u starts it');
    await seesNot('$ 1 works');
  });

  test('a search leaves those it finds, and keys act on them', async () => {
    const {press, sees, seesNot} = await atSessions();
    press('/', 'missing');
    await sees('Sessions /missing▏');
    await sees('❯ gone');
    await seesNot('idle');
    press(keys.enter, 'D');
    await sees(/gone/);
    press(keys.escape);
    await sees('esc clear');
    press(keys.escape);
    await sees('idle');
    await sees('❯ gone');
  });

  test('one that could not start is not shown as starting', async () => {
    const {press, sees, screen} = await browsing({
      sessionFailure: new AppError('E_RUNNER_NOT_CONFIGURED', 'runner command not found on PATH: claude'),
    });
    press('S', 'n');
    await sees('New session');
    press('one', keys.enter);
    await sees('runner command not found on PATH: claude');
    press(keys.escape);
    await sees('name ❯ one');
    press(keys.escape);
    await sees('n starts one');
    expect(screen()).not.toContain('beginning one');
  });

  test('one that runs gets the terminal, one that does not is started by its own key', async () => {
    const {press, sees, tui} = await atSessions();
    press('j', keys.enter);
    await sees('enter: idle is not running; u starts it');
    press('j', 'u');
    await sees('u: gone is worktree missing');
    expect(tui.get().handover).toBe(null);
    press('k', 'u');
    expect(tui.get().handover).toEqual({type: 'session', id: '2'});
    tui.patch({handover: null});
    press('k', keys.enter);
    expect(tui.get().handover).toEqual({type: 'session', id: '1'});
  });

  test('are started, stopped, and killed after a question', async () => {
    const {press, sees, sessionCalls} = await atSessions();
    press('n');
    await sees('New session');
    press('hooks', keys.enter);
    await sees('session hooks is starting; enter attaches');
    press('x');
    await sees('sent Ctrl+C to refunds');
    press('X');
    await sees('Kill refunds?');
    press('y');
    await sees('killed refunds');
    expect(sessionCalls).toEqual(['stop 1', 'kill 1']);
  });

  test('are cleaned after a question, and after another one when work would be lost', async () => {
    const {press, sees, seesNot, sessionCalls} = await atSessions();
    press('D');
    await sees('Clean refunds?');
    press('y');
    await sees('worktree has uncommitted changes');
    press(keys.escape);
    await sees('Clean refunds anyway?');
    press('y');
    await seesNot('Clean refunds anyway?');
    await sees('cleaned refunds');
    expect(sessionCalls).toEqual(['clean 1', 'clean 1 --force']);
  });
});

test('n goes through what the filter attention shows', async () => {
  const open = {status: 'in_progress'} as const;
  const {press, sees} = await browsing({
    plan: planOf(task('a'), task('b', {status: 'failed'}), task('c', open), task('d', {status: 'done'})),
    runs: [pausedRun({task_id: 'c', run_id: 'c-1'})],
  });
  press('g', 'n');
  await sees(/❯ +✗ Task b/);
  press('n');
  await sees(/❯ +Ⅱ Task c/);
  press('n');
  await sees(/❯ +✗ Task b/);
});

test('a dialog is next to the plan from 100 columns on; what was typed stays when that changes', async () => {
  const {press, sees, lines, resize} = await browsing({size: {columns: 100, rows: 24}});
  press('a');
  await sees(/^┌ Plan ─+┐┌ New task ─+┐$/m);
  press('Third');
  await sees('Third');
  resize(99, 24);
  await until(() => expect(lines().join('\n')).not.toContain('┌ Plan'));
  await sees('Third');
  resize(120, 24);
  await sees(/^┌ Plan ─+┐┌ New task ─+┐$/m);
  await sees('Third');
  expect(lines().every((line) => textWidth(line) <= 120)).toBe(true);
});

describe('the mouse', () => {
  const wheel = (way: 'up' | 'down', column: number, row = 6) =>
    `\x1b[<${way === 'up' ? 64 : 65};${column};${row}M`;
  const longTask = () =>
    task('long', {description: Array.from({length: 60}, (_, n) => `line ${n}`).join('\n')});

  test('the wheel scrolls the pane under the pointer, whichever has the focus', async () => {
    const {press, sees, screen} = await browsing({plan: planOf(longTask(), task('z'))});
    expect(screen()).toContain('line 3');
    press(wheel('down', 60), wheel('down', 60));
    await sees('line 18');
    expect(screen()).not.toContain('Description');
    expect(screen()).toMatch(/❯ +○ Task long/);
    press(wheel('down', 5));
    await sees(/❯ +○ Task z/);
    press(wheel('up', 5));
    await sees(/❯ +○ Task long/);
  });

  test('a click selects a row of the tree, or focuses the other pane', async () => {
    const {press, sees, tui} = await browsing();
    press('\x1b[<0;60;5M');
    await until(() => expect(tui.get().browse.pane).toBe('detail'));
    press('\x1b[<0;5;6M');
    await sees(/❯ +○ Task z/);
    expect(tui.get().browse.pane).toBe('tree');
    press('\x1b[<0;5;20M');
    await sees(/❯ +○ Task z/);
  });
});

describe('a search in the pane on the right', () => {
  test('finds while typing, continues with n and N, and esc clears it, then goes back', async () => {
    const description = Array.from({length: 60}, (_, n) => (n % 20 === 10 ? `Cents ${n}` : `row ${n}`)).join(
      '\n',
    );
    const {press, sees, seesNot, screen, tui} = await browsing({plan: planOf(task('a', {description}))});
    press(keys.tab, '/', 'cent');
    await sees('/cent▏');
    press(keys.enter, 'n');
    await sees('Cents 30');
    press('n');
    await sees('Cents 50');
    press('N', 'N');
    await sees('Cents 10');
    expect(screen()).toContain('/cent ');
    press('/', 'zz');
    await sees('no match for centzz');
    press(keys.escape);
    await seesNot('/cent');
    expect(tui.get().browse).toMatchObject({pane: 'detail', query: ''});
    press(keys.escape);
    await until(() => expect(tui.get().browse.pane).toBe('tree'));
  });
});

test('help names every key from the tables, and scrolls', async () => {
  const {press, sees, seesNot} = await browsing();
  press('?');
  await sees(/ctrl\+c +pause/);
  press('G');
  await sees(/ctrl\+u +delete to line/);
  press('g');
  await sees(/ctrl\+c +pause/);
  press('q');
  await seesNot('stop after this task');
});

describe('any size', () => {
  const wide = planOf(
    task('long', {
      title: 'An endpoint 漢字漢字 with a title that no terminal is wide enough for, whatever it is 🎉',
    }),
    ...Array.from({length: 60}, (_, index) => task(`t${index}`, {deps: index > 0 ? [`t${index - 1}`] : []})),
  );
  test.each([
    {columns: 80, rows: 24},
    {columns: 40, rows: 12},
    {columns: 200, rows: 60},
    {columns: 64, rows: 10},
    {columns: 21, rows: 7},
  ])('$columns×$rows: every screen fits exactly', async ({columns, rows}) => {
    const {press, lines, resize, sees, frames} = tuiProject({plan: wide});
    resize(columns, rows);
    const fits = () => {
      expect(lines().length).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines().map((line) => textWidth(line)))).toBeLessThanOrEqual(columns);
    };
    await until(fits);
    for (const key of [
      keys.enter,
      '2',
      '3',
      '4',
      '1',
      keys.tab,
      keys.tab,
      'G',
      ',',
      keys.escape,
      'S',
      '?',
      '?',
    ]) {
      const before = frames();
      press(key);
      await until(() => expect(frames()).toBeGreaterThan(before));
      fits();
    }
    resize(80, 24);
    press('H', 'H');
    await sees('tasks done');
    expect(lines()).toHaveLength(24);
  });
});

describe('hostile text', () => {
  const evil = 'x\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp.\r\ny';
  test('from the plan, the records and the settings never controls the terminal', async () => {
    const plan = planOf(
      task('a', {
        title: evil,
        description: evil,
        prompt: evil,
        notes: evil,
        acceptanceCriteria: [evil],
        verify: [evil],
        status: 'failed',
      }),
      task('b', {title: evil, deps: ['a']}),
    );
    const run = restingRun({
      state: 'failed',
      created_at: evil,
      provider_session_ref: evil,
      failure: {kind: 'agent_error', message: evil},
      resumed_from_run_id: evil,
    });
    const project = tuiProject({
      plan,
      runs: [run],
      config: {execution: {pauseGraceSeconds: evil}},
      sessions: [sessionRow({id: evil, name: evil, runner: evil, branch: evil, created: evil})],
    });
    const {press, screen, frames} = project;
    const allKeys = [
      ...[keys.enter, 'g', '2', '3', '4', '1', 'R', keys.ctrlC, 's', keys.ctrlC, 'D', keys.ctrlC],
      ...[
        'i',
        keys.down,
        keys.enter,
        keys.ctrlC,
        'b',
        keys.ctrlC,
        'm',
        keys.ctrlC,
        'A',
        keys.ctrlC,
        ',',
        'H',
        'S',
        'H',
      ],
    ];
    for (const key of allKeys) {
      const before = frames();
      press(key);
      await until(() => expect(frames()).toBeGreaterThan(before));
      expect(screen()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]|owned/);
    }
  });
});

test('without colours every state is still a symbol and a word', async () => {
  const {press, sees, tui} = await browsing({
    plan: planOf(
      task('a', {status: 'done'}),
      task('b', {status: 'failed'}),
      task('c', {status: 'skipped'}),
      task('d', {status: 'blocked'}),
      task('e', {status: 'queued'}),
      task('f', {deps: ['b']}),
    ),
  });
  press('g');
  for (const row of ['❯  ✓ Task a', '✗ Task b', '– Task c', '⊘ Task d', '◌ Task e', '⊘ Task f'])
    await sees(row);
  for (const word of [/b +failed/, /c +skipped/, /d +blocked/, /e +queued/, /f +needs Task b/])
    await sees(word);
  expect(tui.get().ui.hasTag('plan')).toBe(true);
});

describe('the tab Diff', () => {
  const reviewed = (fields: Partial<RunRecord> = {}) =>
    tuiProject({
      plan: planOf(task('a', {status: 'done', acceptanceCriteria: ['it works']})),
      runs: [
        restingRun({
          state: 'succeeded',
          result: 'Did it.',
          side_effects: [{kind: 'settings', text: 'the settings were changed'}],
          ...fields,
        }),
      ],
    });

  test('shows what a checkpoint shows, and d reads it', async () => {
    const {press, sees, lines} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    const right = lines().map((line) => line.slice(33).replaceAll(/[│┌┐]/g, '').trim());
    expect(right.slice(2, 10)).toEqual([
      'Beware   the settings were changed',
      'Said     Did it.',
      'Criteria • it works',
      'whole task 1 file +1 −1  0/1 viewed · 1/4',
      '❯─ a ─────────────────────────────── +1 −1',
      '@@ -1 +1 @@',
      '1 - old',
      '1 + new',
    ]);
    press('T');
    await sees('T: nobody reviewed it before: this is the whole task');
  });

  test('z gives it the whole screen, Esc reverts it', async () => {
    const {press, sees, seesNot} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    press('z');
    await seesNot('Plan ─');
    press(keys.escape);
    await sees('Plan ─');
    press(keys.escape);
    await sees('›─ a');
    press('z');
    await sees('z: there is nothing to undo');
  });

  test('marks stay while other tabs and tasks are viewed', async () => {
    const {press, sees} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    press('v');
    await sees('1/1 viewed');
    press('1');
    await sees('it works');
    press('3');
    await sees('1/1 viewed');
  });

  test('has its own search; n and N are not for it', async () => {
    const {press, sees} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    press('/', 'ne');
    await sees('/ne█');
    press(keys.enter);
    await sees('❯ 1 + new');
    press('/', 'zzz');
    await sees('nothing contains “zzz”');
    press(keys.escape);
    await sees('0/1 viewed');
  });

  test('o and | hand over the terminal', async () => {
    const {press, sees, tui} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    press('j', 'j', 'o');
    expect(tui.get().handover).toEqual({
      type: 'program',
      program: {type: 'editor', file: 'a', line: 1},
    });
    press('|');
    expect(tui.get().handover).toMatchObject({type: 'program', program: {type: 'pager'}});
  });

  test('c is for a task at its checkpoint, and leads there', async () => {
    const {press, sees} = reviewed();
    press(keys.enter, 'd');
    await sees('+ new');
    press('j', 'j', 'c');
    await sees('c: comments are for a task at its checkpoint');
  });
});
