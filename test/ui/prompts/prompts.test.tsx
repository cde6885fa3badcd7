import {describe, expect, test, vi} from 'vitest';
import {createActor} from 'xstate';
import {draftedQuestions} from '../../../src/machines/actors/draft-answers.actor.ts';
import type {Question} from '../../../src/services/contracts/run.ts';
import {ConfirmDialog} from '../../../src/ui/components/confirm-dialog.tsx';
import {lineOf} from '../../../src/ui/components/lines.tsx';
import {ScrollBox} from '../../../src/ui/components/scroll-box.tsx';
import {SelectList} from '../../../src/ui/components/select-list.tsx';
import {Editor} from '../../../src/ui/editor/editor.tsx';
import {ParentReviewNotice} from '../../../src/ui/prompts/parent-review-notice.tsx';
import {QuestionsPrompt} from '../../../src/ui/prompts/questions-prompt.tsx';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import {createMemoryDraftStore, memoryDrafts} from '../../fakes/memory-draft-store.ts';
import {settle} from '../../fakes/services.ts';
import {eventually} from '../../helpers/eventually.ts';
import {now} from '../../helpers/plans.ts';
import {keys, screenOf, someFiles} from './prompt-screen.tsx';

const task = {id: 'pay-04', title: 'Refund endpoint'};

describe('questions', () => {
  const asked: Question[] = [
    {id: 'db', prompt: 'Which database?\x1b[2J', options: ['postgres', 'sqlite']},
    {id: 'why', prompt: 'Why?'},
  ];
  const ask = async (
    questions: readonly Question[],
    {size = {columns: 80, rows: 23}, drafts = createMemoryDraftStore()} = {},
  ) => {
    const run = {task_id: 'a', run_id: 'a-1', questions: [...questions]};
    const actor = createActor(draftedQuestions({drafts, run, now: () => now}), {input: {questions}}).start();
    await settle();
    return {...screenOf(<QuestionsPrompt {...{actor, task, files: someFiles()}} {...size} />), actor};
  };

  test('with options are a list', async () => {
    expect((await ask(asked)).lines()).toEqual([
      ' ACTION REQUIRED   pay-04  Refund endpoint                      question 1 of 2',
      ' Which database?',
      '',
      '   1  postgres',
      '   2  sqlite',
      '   3  Another answer…',
      ' ↑ ↓ j k move   enter choose   esc answer later',
    ]);
  });

  test('a key that was already typed answers nothing', async () => {
    const {type, sees, actor} = await ask(asked);
    type(keys.enter);
    await sees('Select an answer first: its number, ↑ ↓ or j k, then enter.');
    expect(actor.getSnapshot().context).toMatchObject({index: 0, answers: ['', '']});
  });

  test('long options are read whole, and the selected one is visible in little space', async () => {
    const options = ['postgres', 'sqlite, which the tools of this project need anyway', 'none'];
    const long = [{id: 'db', prompt: 'Which?', options}];
    expect((await ask(long, {size: {columns: 30, rows: 20}})).lines().slice(3, -1)).toEqual([
      '   1  postgres',
      '   2  sqlite, which the tools',
      '      of this project need',
      '      anyway',
      '   3  none',
      '   4  Another answer…',
    ]);
    const {type, lines} = await ask(long, {size: {columns: 30, rows: 7}});
    expect(lines().slice(-3, -1)).toEqual(['   1  postgres', '   2  sqlite, which the tools']);
    type('2');
    await settle();
    expect(lines().slice(-3, -1)).toEqual([' ❯ 2  sqlite, which the tools', '      of this project need']);
    type('4');
    await settle();
    expect(lines().slice(-3, -1)).toEqual(['   3  none', ' ❯ 4  Another answer…']);
  });

  test('only the nine that have a key are numbered', async () => {
    const options = Array.from({length: 10}, (_, index) => `option ${index}`);
    const {lines} = await ask([{id: 'q', prompt: 'Which?', options}], {size: {columns: 40, rows: 30}});
    expect(lines().slice(-4, -1)).toEqual(['   9  option 8', '      option 9', '      Another answer…']);
  });

  test('are answered one after another by option and as text', async () => {
    const {type, sees, actor} = await ask(asked);
    type(`2${keys.enter}`);
    await sees('question 2 of 2');
    type('speed');
    await sees('speed');
    type(keys.ctrlS);
    await settle();
    expect(actor.getSnapshot().output).toEqual({
      outcome: 'answered',
      answers: [
        {id: 'db', value: 'sqlite'},
        {id: 'why', value: 'speed'},
      ],
    });
  });

  test('one can go back, and finds the answer as it was', async () => {
    const {type, sees} = await ask(asked);
    type(`jj${keys.enter}`);
    await sees('question 2 of 2');
    type(keys.escape);
    await sees('❯ 2  sqlite');
  });

  test('earlier answers are selected or written already', async () => {
    const drafts = createMemoryDraftStore();
    const {type, sees} = await ask(asked, {drafts});
    type(`jj${keys.enter}`);
    await sees('question 2 of 2');
    type('speed');
    await sees('speed');
    type(keys.ctrlC);

    await eventually(() =>
      expect(drafts.list()[0]?.texts.map(({text}) => text)).toEqual(['sqlite', 'speed']),
    );
    const again = await ask(asked, {drafts});
    await again.sees('❯ 2  sqlite');
    again.type(keys.enter);
    await again.sees('speed');
  });

  test('free text instead of an option', async () => {
    const {type, sees, actor} = await ask(asked.slice(0, 1));
    type(`G${keys.enter}`);
    await sees('Answer');
    type('mysql');
    await sees('mysql');
    type(keys.ctrlS);
    await settle();
    expect(actor.getSnapshot().output).toEqual({outcome: 'answered', answers: [{id: 'db', value: 'mysql'}]});
  });

  test('an empty answer is refused', async () => {
    const {type, sees, actor} = await ask(asked.slice(1));
    type(` ${keys.ctrlS}`);
    await sees('Write an answer first.');
    expect(actor.getSnapshot().status).toBe('active');
  });

  test('Ctrl+C postpones them', async () => {
    const {type, actor} = await ask(asked);
    type(keys.ctrlC);
    expect(actor.getSnapshot().output).toEqual({outcome: 'canceled'});
  });

  test('fit into 40 × 11, however long', async () => {
    const options = Array.from({length: 30}, (_, index) => `option ${index} ${'long '.repeat(20)}`);
    const {type, lines, sees} = await ask([{id: 'q', prompt: 'word '.repeat(300), options}], {
      size: {columns: 40, rows: 11},
    });
    const fits = () => {
      expect(lines().length).toBeLessThanOrEqual(11);
      for (const line of lines()) expect(textWidth(line)).toBeLessThanOrEqual(40);
    };
    fits();
    type(`G${keys.enter}`);
    await sees('Answer');
    fits();
  });
});

describe('parent review', () => {
  const notice = (size = {columns: 80, rows: 23}, stuck: readonly string[] = []) => {
    const onChoose = vi.fn();
    const sentBack = [
      {id: 'pay-01', title: 'Schema', feedback: 'Use cents.\x1b]0;x\x07'},
      {id: 'pay-02', title: 'Layer', feedback: 'Use cents.\x1b]0;x\x07'},
      {
        id: 'pay-03',
        title: 'Keys',
        feedback: Array.from({length: 30}, (_, line) => `point ${line}`).join('\n'),
      },
    ].map((task) => ({...task, canResume: !stuck.includes(task.id)}));
    const parent = {id: 'pay', title: 'Payments'};
    return {...screenOf(<ParentReviewNotice {...{parent, sentBack, onChoose}} {...size} />), onChoose};
  };

  test('shows which tasks go back and why', () => {
    const lines = notice({columns: 80, rows: 14}).lines();
    expect(lines).toEqual([
      ' ACTION REQUIRED   pay  Payments',
      ' Not passed: 3 tasks are sent back                                    1–7 of 34',
      ' ↩ pay-01  Schema',
      ' ↩ pay-02  Layer',
      '   Use cents.',
      ' ↩ pay-03  Keys',
      '   point 0',
      '   point 1',
      '   point 2',
      '   Resume these tasks now',
      '   Edit the feedback, or leave a task out',
      '   Decide later',
      '   Dismiss the feedback',
      ' ↑ ↓ j k move   enter choose   esc decide later   pgup pgdn scroll',
    ]);
  });

  test('a task without a session is named, and is not resumed with the others', () => {
    const lines = notice({columns: 80, rows: 14}, ['pay-02']).lines();
    expect(lines[3]).toBe(' ↩ pay-02  Layer  (no session)');
    expect(lines[9]).toBe('   Resume these tasks now  all but 1');
  });

  test('without any session nothing is resumed, and the rest can still be chosen', () => {
    const {lines, type, onChoose} = notice(undefined, ['pay-01', 'pay-02', 'pay-03']);
    expect(lines().at(-5)).toBe('   Resume these tasks now  no session to continue in: esc, then R restarts');
    type(`jjj${keys.enter}`);
    expect(onChoose.mock.calls).toEqual([['dismiss']]);
  });

  test.each([
    {sent: `${keys.enter}j${keys.enter}`, choice: 'resume'},
    {sent: `jjj${keys.enter}`, choice: 'later'},
    {sent: `k${keys.enter}`, choice: 'dismiss'},
    {sent: `jj${keys.enter}${keys.enter}jj${keys.enter}`, choice: {type: 'edit', taskId: 'pay-02'}},
    {sent: `jj${keys.enter}jjjx`, choice: {type: 'leaveOut', taskId: 'pay-03'}},
    {sent: keys.ctrlC, choice: 'later'},
  ])('$choice', ({sent, choice}) => {
    const {type, onChoose} = notice();
    type(sent + keys.enter);
    expect(onChoose.mock.calls).toEqual([[choice]]);
  });

  test('scrolls, within 40 × 11', async () => {
    const {type, sees, lines} = notice({columns: 40, rows: 11});
    type(keys.pageDown);
    await sees('4–7 of 34');
    expect(lines().length).toBeLessThanOrEqual(11);
    for (const line of lines()) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });
});

describe('a confirmation', () => {
  const dialog = () => {
    const said: string[] = [];
    const on = {onConfirm: () => said.push('yes'), onCancel: () => said.push('no')};
    const words = {title: 'Restart pay-04?', message: 'The run is kept as history.', confirmLabel: 'Restart'};
    return {...screenOf(<ConfirmDialog {...words} {...on} columns={60} rows={10} />), said};
  };
  test.each([
    {sent: keys.enter, answer: 'no'},
    {sent: `j${keys.enter}`, answer: 'yes'},
    {sent: 'y', answer: 'yes'},
    {sent: 'n', answer: 'no'},
    {sent: keys.ctrlC, answer: 'no'},
  ])('$sent means $answer, once', ({sent, answer}) => {
    const {type, said} = dialog();
    type(`${sent}y`);
    expect(said).toEqual([answer]);
  });
  test('shows what it is about', () => {
    expect(dialog().lines()).toEqual([
      ' Restart pay-04?',
      ' The run is kept as history.',
      '',
      ' ❯ Cancel',
      '   Restart',
      ' y restart   n esc cancel   ↑ ↓ move   enter choose',
    ]);
  });
});

test('a long confirmation leaves out its middle, not what happens to all of it', () => {
  const message = [...Array.from({length: 20}, (_, index) => `file ${index}`), 'Later edits stay.'].join(
    '\n',
  );
  const words = {title: 'Undo a?', message, confirmLabel: 'Undo', onConfirm: () => {}, onCancel: () => {}};
  const {lines} = screenOf(<ConfirmDialog {...words} columns={60} rows={11} />);
  expect(lines()).toEqual([
    ' Undo a?',
    ...[' file 0', ' file 1', ' … 16 lines more', ' file 18', ' file 19', ' Later edits stay.'],
    '',
    ...[' ❯ Cancel', '   Undo', ' y undo   n esc cancel   ↑ ↓ move   enter choose'],
  ]);
});

test('a list is chosen from', async () => {
  const chosen: unknown[] = [];
  const {type, sees} = screenOf(
    <SelectList
      items={[{label: 'one'}, {label: 'two', isDisabled: true}, {label: 'three'}]}
      columns={20}
      onChoose={(index) => chosen.push(index)}
      onCancel={() => chosen.push('cancel')}
    />,
  );
  type('j');
  await sees('❯ three');
  type(keys.enter + keys.escape);
  await eventually(() => expect(chosen).toEqual([2, 'cancel']));
});

test('a box scrolls and is closed', async () => {
  const onClose = vi.fn();
  const lines = Array.from({length: 20}, (_, index) => lineOf(`line ${index}`));
  const {type, sees} = screenOf(<ScrollBox title="Text" {...{lines, onClose}} columns={30} rows={6} />);
  type('G');
  await sees('16–20 of 20');
  type('q');
  expect(onClose).toHaveBeenCalledTimes(1);
});

const answersSlot = {kind: 'edits', taskId: 'a', runId: '', id: 'title', prompt: 'old'} as const;

test('an editor opens with the stored draft, and discards it with its own key', async () => {
  const drafts = createMemoryDraftStore();
  const said: string[] = [];
  const open = () =>
    screenOf(
      <Editor
        {...{title: 'Note', initialText: 'old', files: someFiles(), columns: 70, rows: 8}}
        openDraft={() => memoryDrafts(drafts).open(answersSlot)}
        onSubmit={(text) => said.push(`sent ${text}`)}
        onCancel={(isKept) => said.push(isKept ? 'left with a draft' : 'left')}
        onDiscard={() => said.push('discarded')}
      />,
    );
  const first = open();
  await settle();
  first.type('er');
  await first.sees('older');
  first.unmount();
  await eventually(() =>
    expect(drafts.list().map(({texts}) => texts)).toEqual([[{id: 'title', prompt: 'old', text: 'older'}]]),
  );
  const again = open();
  await again.sees('Your draft is back. ctrl+s sends, ctrl+x drops it.');
  await again.sees('older');
  again.type('\x18');
  await eventually(() => expect([said, drafts.list()]).toEqual([['discarded'], []]));
});

test('an editor alone returns what was written', async () => {
  const said: string[] = [];
  const {type, sees} = screenOf(
    <Editor
      {...{title: 'Note', initialText: 'old', files: someFiles(), columns: 40, rows: 8}}
      openDraft={() => memoryDrafts().open(answersSlot)}
      onSubmit={(text) => said.push(`sent ${text}`)}
      onCancel={(isKept) => said.push(isKept ? 'left with a draft' : 'left')}
      onDiscard={() => said.push('discarded')}
    />,
  );
  type(' @my');
  await sees('❯ docs/my file.md');
  type('\t');
  await sees('old @"docs/my file.md"');
  type(`x${keys.ctrlS}y${keys.escape}`);
  await eventually(() => expect(said).toEqual(['sent old @"docs/my file.md" x', 'left with a draft']));
});
