import {describe, expect, test, vi} from 'vitest';
import {type CheckpointWords, checkpointSlot} from '../../../src/machines/drafts.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {CheckpointPrompt, type CheckpointPromptProps} from '../../../src/ui/prompts/checkpoint-prompt.tsx';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import {draftDesk} from '../../fakes/memory-draft-store.ts';
import {changedRun} from '../../fakes/runs.ts';
import {eventually} from '../../helpers/eventually.ts';
import {keys, screenOf, someFiles} from './prompt-screen.tsx';

const patch = [
  'diff --git a/one.ts b/one.ts',
  '@@ -1,40 +1,40 @@',
  ...Array.from({length: 40}, (_, index) => `+line ${index}`),
  'diff --git a/two.ts b/two.ts',
  '@@ -1 +1 @@',
  '-\x1b[2Jold\rtrick',
  '+new',
  '',
].join('\n');

function prompt(props: Partial<CheckpointPromptProps> = {}) {
  const onDecide = vi.fn();
  const onLater = vi.fn();
  const loadDiff = vi.fn(async () => patch);
  const openDraft = (words: CheckpointWords) => draftDesk().open(checkpointSlot(changedRun(), words));
  const screen = screenOf(
    <CheckpointPrompt
      {...{task: {id: 'pay-04', title: 'Refund endpoint'}, run: changedRun(), files: someFiles()}}
      {...{columns: 80, rows: 23, onDecide, onLater, loadDiff, openDraft}}
      {...props}
    />,
  );
  return {...screen, onDecide, onLater, loadDiff};
}

test('shows what was done and what can be decided', () => {
  expect(prompt().lines()).toEqual([
    ' ACTION REQUIRED   pay-04  Refund endpoint          ✓ succeeded · 4m12s · $0.31',
    ' 2 files changed, 46 insertions(+), 3 deletions(-)',
    '   src/refunds/route.ts  44 +++++++++++++++++++++++−',
    '   test/refunds.test.ts   5 +++++',
    ` ─ src/refunds/route.ts ${'─'.repeat(55)}`,
    '    import x',
    "   +router.post('/refunds');",
    '   -    gone',
    '',
    '   Approve and continue',
    '   Approve and quit',
    '   Request changes',
    '   Reject changes',
    ' ↑ ↓ j k move   enter choose   d full diff   ctrl+c decide later',
  ]);
});

describe('decisions', () => {
  test.each([
    {sent: `j${keys.enter}`, decision: {state: 'approved_continue'}},
    {sent: `jj${keys.enter}`, decision: {state: 'approved_quit'}},
    {
      sent: `${keys.up}${keys.enter}Too big${keys.ctrlS}`,
      decision: {state: 'rejected', why: 'Too big'},
    },
    {sent: `jjjjk${keys.down}${keys.enter}${keys.ctrlS}${keys.ctrlS}`, decision: {state: 'rejected'}},
    {
      sent: `${keys.down}jjj${keys.up}${keys.enter}cents${keys.ctrlS}`,
      decision: {state: 'changes_requested', feedback: 'cents'},
    },
  ])('$decision, typed at once', ({sent, decision}) => {
    const {type, onDecide} = prompt();
    type(sent);
    expect(onDecide.mock.calls).toEqual([[decision]]);
  });

  test('to reject asks for the reason, which is left out only on purpose', async () => {
    const {type, sees, onDecide} = prompt();
    type(`k${keys.enter}`);
    await sees('A later attempt is told. The files stay as they are.');
    type(keys.ctrlS);
    await sees('No reason is written. Ctrl+S again rejects without one.');
    type(`x\u007f${keys.ctrlS}`);
    expect(onDecide).not.toHaveBeenCalled();
    type(keys.ctrlS);
    expect(onDecide.mock.calls).toEqual([[{state: 'rejected'}]]);
  });

  test.each([
    {keys: 'j', label: 'Retry', decision: {state: 'retry'}},
    {keys: 'jjj', label: 'Accept as failed and continue', decision: {state: 'approved_continue'}},
    {keys: 'k', label: 'Accept as failed and quit', decision: {state: 'approved_quit'}},
  ])('of a run that failed: $label', async ({keys: sent, label, decision}) => {
    const {type, sees, onDecide} = prompt({run: {...changedRun(), state: 'failed'}});
    type(sent);
    await sees(`❯ ${label}`);
    type(keys.enter);
    expect(onDecide.mock.calls).toEqual([[decision]]);
  });

  test('Enter before anything is marked decides nothing, and says so', async () => {
    const {type, sees, onDecide, onLater} = prompt();
    type(keys.enter);
    await sees('Mark a choice first: ↑ ↓ or j k, then enter.');
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([0, 0]);
  });

  test('only the first one counts', () => {
    const {type, onDecide, onLater} = prompt();
    type(`j${keys.enter}j${keys.enter}${keys.ctrlC}`);
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([1, 0]);
  });

  test('an arrow that arrives in two pieces is an arrow', async () => {
    const {type, sees, onDecide} = prompt();
    type('\x1b');
    // Ink takes the escape for a key of its own by now.
    await new Promise((resolve) => setImmediate(resolve));
    type('[B');
    await sees('❯ Approve and continue');
    type(keys.enter);
    expect(onDecide.mock.calls).toEqual([[{state: 'approved_continue'}]]);
  });

  test('a paste decides nothing', () => {
    const {type, onDecide} = prompt();
    type(`\x1b[200~${keys.enter}\x1b[201~`);
    type(`some text with an enter${keys.enter}`);
    expect(onDecide).not.toHaveBeenCalled();
  });

  test.each(['', `jjj${keys.enter}half`, 'd'])('Ctrl+C after %j leaves it for later', (sent) => {
    const {type, onDecide, onLater} = prompt();
    type(sent + keys.ctrlC);
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([0, 1]);
  });
});

describe('request changes', () => {
  test('with a file named by @, over several lines', async () => {
    const {type, sees, onDecide} = prompt();
    type(`jjj${keys.enter}`);
    await sees('Request changes  pay-04');
    type(`cents${keys.enter}`);
    type('in @rou');
    await sees('❯ src/refunds/route.ts');
    type(keys.enter);
    await sees('in @src/refunds/route.ts');
    type(keys.ctrlS);
    expect(onDecide.mock.calls).toEqual([
      [{state: 'changes_requested', feedback: 'cents\nin @src/refunds/route.ts'}],
    ]);
  });

  test('needs words', async () => {
    const {type, sees, onDecide} = prompt();
    type(`jjj${keys.enter} ${keys.ctrlS}`);
    await sees('Write what should change first.');
    expect(onDecide).not.toHaveBeenCalled();
  });

  test('Esc goes back to the list, and what was written is still there', async () => {
    const {type, sees} = prompt();
    type(`jjj${keys.enter}`);
    type(`draft${keys.escape}`);
    await sees('❯ Request changes');
    type(keys.enter);
    await sees('draft');
  });

  test('is refused with the reason, and stepped over', async () => {
    const {type, lines, onDecide} = prompt({changesRefused: 'the agent kept no session'});
    expect(lines()).toContain('   Request changes  the agent kept no session');
    type(`jjj${keys.enter}no${keys.ctrlS}`);
    expect(onDecide.mock.calls).toEqual([[{state: 'rejected', why: 'no'}]]);
  });
});

describe('the full diff', () => {
  test('is loaded once, scrolls, and cannot reach the terminal', async () => {
    const {type, sees, lines, loadDiff} = prompt();
    type('d');
    await sees('1–21 of 46');
    expect(lines()[1]).toBe('diff --git a/one.ts b/one.ts');
    type('n');
    await sees('two.ts b/two.ts');
    expect(lines().slice(-5)).toEqual([
      'diff --git a/two.ts b/two.ts',
      '@@ -1 +1 @@',
      '-old^Mtrick',
      '+new',
      ' esc back   n next file   p previous   pgdn page',
    ]);
    type('q');
    await sees('ACTION REQUIRED');
    type('d');
    await sees('26–46 of 46');
    expect(loadDiff).toHaveBeenCalledTimes(1);
  });

  test('that cannot be had is said, and asked for again', async () => {
    const loadDiff = vi.fn(async () => Promise.reject(new Error('no tree')));
    const {type, sees} = prompt({loadDiff});
    type('d');
    await sees('The diff cannot be shown: no tree');
    type(keys.escape);
    await sees('ACTION REQUIRED');
    type('d');
    await eventually(() => expect(loadDiff).toHaveBeenCalledTimes(2));
  });

  test('of nothing says so', async () => {
    const {type, sees, lines} = prompt({loadDiff: async () => ''});
    type('d');
    await sees('no files were changed');
    expect(lines().at(-1)).toBe(' esc back');
  });
});

describe('what is known of the run', () => {
  const second = (changes: Partial<RunRecord>) => prompt({run: changedRun(changes)}).lines();
  test('a failure', () => {
    const lines = second({state: 'failed', failure: {kind: 'agent_error', message: 'it\x1b[2J broke'}});
    expect(lines[0]).toContain('✗ failed · 4m12s');
    expect(lines[2]).toBe(' ✗ it broke');
  });
  test('what the task did besides comes before its files, whole and harmless', () => {
    const text = `the plan was edited: b (prompt)\u001b[2J, ${'c (added), '.repeat(8)}d (removed)`;
    const {lines} = prompt({run: changedRun({side_effects: [{kind: 'plan', text}]})});
    const shown = lines();
    expect(shown[2]).toMatch(/^ ! the plan was edited: b \(prompt\), c \(added\)/);
    expect(shown[3]).toMatch(/^ {3}.*d \(removed\)$/);
  });
  test.each([
    {summary: undefined, line: ' no files were changed'},
    {
      summary: {files: [], diffstat: '', snippets: [], note: 'git is not installed'},
      line: ' git is not installed',
    },
    {summary: {files: ['a.ts'], diffstat: '', snippets: []}, line: ' 1 file changed'},
    {summary: {files: ['a.ts'], diffstat: '', snippets: [], total_files: 30}, line: ' 30 files changed'},
  ])('$line', ({summary, line}) => {
    const {review_summary: _, ...run} = changedRun();
    expect(second(summary ? {review_summary: summary} : {})[1]).toBeDefined();
    const shown = prompt({run: {...run, ...(summary ? {review_summary: summary} : {})}}).lines();
    expect(shown[1]).toBe(line);
  });
});

describe('sizes', () => {
  const many = changedRun({
    review_summary: {
      files: Array.from({length: 25}, (_, index) => `src/folder-${index}/a-rather-long-name-of-a-file.ts`),
      total_files: 40,
      diffstat: '',
      snippets: [{file: 'a.ts', snippet: `@@ -1 +1 @@\n+${'日本'.repeat(80)}`}],
    },
  });
  test.each([
    {columns: 80, rows: 23},
    {columns: 40, rows: 11},
    {columns: 59, rows: 11},
    {columns: 60, rows: 8},
    {columns: 100, rows: 40},
  ])('$columns × $rows is never exceeded in any view', async ({columns, rows}) => {
    const {type, lines, sees} = prompt({columns, rows, run: many});
    const fits = () => {
      expect(lines().length).toBeLessThanOrEqual(rows);
      for (const line of lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    };
    fits();
    expect(lines().join('\n')).toMatch(/ {3}Approve and continue(.|\n)*Reject changes/);
    type('d');
    await sees('line 1');
    fits();
    type(`qjjj${keys.enter}`);
    type('word '.repeat(200));
    await sees('ctrl+s send');
    fits();
    type('@');
    await sees('enter take file');
    fits();
  });

  test('what does not fit is scrolled', async () => {
    const {type, lines, sees} = prompt({columns: 40, rows: 11, run: many});
    expect(lines().slice(0, 3)).toEqual([
      ' ACTION REQUIRED  ✓ succeeded · 4m12s',
      ' pay-04  Refund endpoint',
      ' 40 files changed             1–3 of 28',
    ]);
    expect(lines().at(-1)).toBe(' enter choose  d diff  ctrl+c later');
    type(keys.pageDown);
    await sees('3–5 of 28');
  });
});
