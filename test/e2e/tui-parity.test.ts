import {execFileSync} from 'node:child_process';
import {Command} from 'commander';
import {expect, test} from 'vitest';
import {Cli} from '../../src/cli/cli.ts';
import type {CliContext} from '../../src/cli/context.ts';
import {openTuiPorts} from '../../src/cli/tui/tui-composition.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {type TaskStatus, taskStatuses} from '../../src/services/contracts/task-status.ts';
import type {TuiPorts} from '../../src/ui/ports.ts';
import {demo, type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import fc, {runsOf} from '../helpers/fast-check.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {keys, tuiScreen} from '../ui/tui-screen.tsx';

const ids = ['a', 'b', 'c'] as const;
type Id = (typeof ids)[number];

/** Something a user can do, whichever way they do it. */
type Wish =
  | {readonly type: 'execute' | 'resume' | 'restart' | 'retry' | 'delete'; readonly id: Id}
  | {readonly type: 'status'; readonly id: Id; readonly status: TaskStatus}
  | {readonly type: 'title'; readonly id: Id}
  | {readonly type: 'deps'; readonly id: Id; readonly dep: Id};

const id = fc.constantFrom(...ids);
const wish: fc.Arbitrary<Wish> = fc.oneof(
  {weight: 6, arbitrary: fc.record({type: fc.constantFrom('execute', 'resume', 'restart', 'retry'), id})},
  {
    weight: 2,
    arbitrary: fc.record({type: fc.constant('status'), id, status: fc.constantFrom(...taskStatuses)}),
  },
  {weight: 1, arbitrary: fc.record({type: fc.constant('delete'), id})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('title'), id})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('deps'), id, dep: id})},
) as fc.Arbitrary<Wish>;

/** One task succeeds, one fails, one asks. */
const plan = () =>
  planOf(
    task('a', {prompt: demo('write a.txt done')}),
    task('b', {prompt: demo('fail no luck')}),
    task('c', {prompt: demo('ask colour Which? | red | blue', 'write c.txt done')}),
  );

const project = () => engineProject(plan(), {config: {execution: {parentReviewEnabled: false}}});

/** The action on the command line. */
function argsOf(wanted: Wish, current: EngineProject): readonly string[] {
  switch (wanted.type) {
    case 'execute':
    case 'retry':
      return [wanted.type, wanted.id];
    case 'resume': {
      const isAsking = current.latest(wanted.id)?.state === 'waiting';
      return ['resume', wanted.id, ...(isAsking ? ['--answer', 'colour=red'] : [])];
    }
    case 'restart':
      return ['restart', wanted.id, '--yes'];
    case 'delete':
      return ['delete', wanted.id, '--cascade-children', '--force'];
    case 'status':
      return ['set-status', wanted.id, wanted.status];
    case 'title':
      return ['edit', wanted.id, '--title', `Task ${wanted.id}!`];
    case 'deps':
      return ['deps', 'set', wanted.id, wanted.dep];
  }
}

/** The terminal UI over the same kind of project, with every port watched for its end. */
async function openScreen(current: EngineProject) {
  const context: CliContext = {
    name: 'blackbird',
    version: '1',
    cwd: current.folder,
    env: current.env,
    out: () => {},
    err: () => {},
    write: () => {},
    writeErr: () => {},
    onSignals: () => () => {},
    ask: async () => null,
    readAll: async () => '',
    isInteractive: false,
    stdout: {isTerminal: false, columns: 80, hasColor: false},
    stderr: {isTerminal: false, columns: 80, hasColor: false},
    now: () => new Date().toISOString(),
  };
  const ports = await openTuiPorts(new Cli(context), new Command(), () => {});
  let pending = 0;
  const counted =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      pending++;
      try {
        return await call(...args);
      } finally {
        pending--;
      }
    };
  const watched: TuiPorts = {
    ...ports,
    start: counted(ports.start),
    setStatus: counted(ports.setStatus),
    retry: counted(ports.retry),
    edit: counted(ports.edit),
  };
  const shown = tuiScreen(watched);
  const {tui} = shown;
  /** Nothing is in progress, and the screen shows what is on disk. */
  const settled = () =>
    eventually(() => {
      expect(pending).toBe(0);
      expect(tui.facts().isBusy).toBe(false);
      const {data} = tui.get();
      const tasks = data?.plan.type === 'plan' ? [...data.plan.plan.items.values()] : [];
      expect(tasks).toEqual(Object.values(JSON.parse(current.planText()).items));
      for (const each of ids) {
        expect(data?.runs.get(each)?.state).toBe(current.latest(each)?.state);
      }
    });
  return {...shown, settled};
}

type Screen = Awaited<ReturnType<typeof openScreen>>;

/** The same action with keys. What the screen refuses, it refuses without a dialog. */
async function pressFor(wanted: Wish, {press, tui, settled, screen}: Screen): Promise<void> {
  await settled();
  if (tui.get().ui.context.dialog) press(keys.ctrlC);
  await eventually(() => expect(tui.get().ui.context.dialog).toBe(null));
  press('g');
  const order = tui.facts().entries.findIndex((entry) => entry.id === wanted.id);
  if (order < 0) return;
  press('j'.repeat(order));
  expect(tui.get().browse.selectedId).toBe(wanted.id);
  /** Presses keys in the dialog once it is visible; when none opens, the action was refused. */
  const inDialog = async (text: string, ...sent: readonly string[]) => {
    const {dialog} = tui.get().ui.context;
    if (!dialog || dialog.type === 'message') return;
    await eventually(() => expect(screen()).toContain(text));
    press(...sent);
  };
  switch (wanted.type) {
    case 'execute':
      return press('E');
    case 'retry':
      return press('t');
    case 'resume':
      press('u');
      // Nothing is selected until a key moves there.
      await inDialog('Which?', keys.down, keys.enter);
      // It closes once the answer is written and its job has started.
      return eventually(() => expect(tui.get().ui.context.dialog?.type).not.toBe('questions'));
    case 'restart':
      press('R');
      return inDialog('Restart', 'y');
    case 'delete':
      press('D');
      return inDialog('Delete', 'y');
    case 'status':
      press('s');
      return inDialog('Status of', 'g', 'j'.repeat(taskStatuses.indexOf(wanted.status)), keys.enter);
    case 'title':
      press('i');
      await inDialog('Edit', keys.enter);
      if (tui.get().ui.context.dialog?.type !== 'edit') return;
      return inDialog('Title', '\x0b\x15', `Task ${wanted.id}!`, keys.ctrlS);
    case 'deps':
      // The picker toggles; exactly one is requested.
      press('b');
      return inDialog('needs', ...depKeys(wanted, tui));
  }
}

function depKeys({id: own, dep}: {readonly id: Id; readonly dep: Id}, tui: Screen['tui']): string[] {
  const {plan: current} = tui.facts();
  const choices = [...(current?.items.keys() ?? [])].filter((each) => each !== own);
  // Neither way lets a task depend on itself, or on a missing one.
  if (!choices.includes(dep)) return [keys.ctrlC];
  const had = current?.items.get(own)?.deps ?? [];
  return [
    ...choices.flatMap((each) => [...(had.includes(each) !== (each === dep) ? [keys.space] : []), keys.down]),
    keys.enter,
  ];
}

/** All fields of a record except times, owners and ids. */
function essence(current: EngineProject) {
  const {items}: {items: Record<string, object>} = JSON.parse(current.planText());
  const tasks = Object.values(items).map((each) => ({...each, createdAt: '', updatedAt: ''}));
  const runs = ids.map((each) => current.runs(each).map((run) => essenceOf(run, current.runs(each))));
  return {tasks, runs};
}

function essenceOf(run: RunRecord, all: readonly RunRecord[]) {
  const attemptOf = (runId: string | undefined) => all.find(({run_id}) => run_id === runId)?.attempt;
  return {
    attempt: run.attempt,
    state: run.state,
    type: run.run_type,
    provider: run.provider,
    resumable: run.resumable,
    failure: run.failure,
    questions: run.questions,
    answers: run.answers,
    segments: run.segments.length,
    exit: run.exit_code,
    result: run.result,
    decision: run.decision_state,
    restartOf: attemptOf(run.restart_of_run_id),
    resumedFrom: attemptOf(run.resumed_from_run_id),
    supersededBy: attemptOf(run.superseded_by_run_id),
  };
}

test('the Diff tab of a reviewed parent shows what diff prints', async () => {
  const reviewed = engineProject(
    planOf(
      family(
        task('p', {prompt: 'review it'}),
        task('a', {prompt: demo('write a.txt one')}),
        task('b', {prompt: demo('write b.txt two', 'write .blackbird/config.json {}')}),
      ),
    ),
  );
  execFileSync('git', ['init', '--quiet'], {cwd: reviewed.folder});
  const {code, err} = await reviewed.run(['execute']);
  expect({code, err}).toEqual({code: 0, err: ''});
  const {press, sees, screen, tui} = await openScreen(reviewed);
  press(keys.enter);
  await sees('Task p');
  press('g', 'd');
  await sees('whole task 2 files');
  expect(screen()).toContain('Beware   .blackbird/config.json was');
  expect(screen()).toContain('Said     the review passed');
  expect(tui.get().diffs.get(reviewed.latest('p')?.run_id ?? '')?.content?.task.text).toBe(
    (await reviewed.run(['diff', 'p'])).out,
  );
  press('j', 'c');
  await sees('c: comment on the tasks below it, at their checkpoints');
});

test('the same actions by keys and by commands leave the same records', {timeout: 240_000}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wish, {minLength: 2, maxLength: 6}), async (wishes) => {
      const [typed, pressed] = [project(), project()];
      const screen = await openScreen(pressed);
      screen.press(keys.enter);
      for (const each of wishes) {
        await typed.run(argsOf(each, typed));
        await pressFor(each, screen);
        await screen.settled();
        expect({after: each, ...essence(pressed)}).toEqual({after: each, ...essence(typed)});
      }
    }),
    {numRuns: runsOf(10), endOnFailure: true},
  );
});
