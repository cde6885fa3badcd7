import {describe, expect, test, vi} from 'vitest';
import type {RunComments} from '../../../src/machines/actors/run-comments.ts';
import {checkpointSlot, type OpenCheckpointDraft} from '../../../src/machines/drafts.ts';
import type {LineComment} from '../../../src/services/contracts/comment.ts';
import {CheckpointPrompt, type CheckpointPromptProps} from '../../../src/ui/prompts/checkpoint-prompt.tsx';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import {lineComment} from '../../fakes/memory-comment-store.ts';
import {createMemoryDraftStore, memoryDrafts} from '../../fakes/memory-draft-store.ts';
import {deferred} from '../../fakes/memory-run-store.ts';
import {changedRun} from '../../fakes/runs.ts';
import {eventually} from '../../helpers/eventually.ts';
import {now} from '../../helpers/plans.ts';
import {keys, screenOf, someFiles} from './prompt-screen.tsx';

const patch = [
  'diff --git a/one.ts b/one.ts',
  '@@ -0,0 +1,40 @@',
  ...Array.from({length: 40}, (_, index) => `+line ${index}`),
  'diff --git a/two.ts b/two.ts',
  '@@ -1 +1 @@',
  '-\x1b[2Jold\rtrick',
  '+new',
  '',
].join('\n');

/** A command that was run to verify the work. */
const check = (fields: object) => ({
  round: 1,
  command: 'true',
  exit_code: 0,
  signal: null,
  started_at: now,
  seconds: 1,
  tail: '',
  log_file: '',
  log_digest: '',
  ...fields,
});

/** Comments that are on disk. */
function memoryComments(...known: readonly Partial<LineComment>[]) {
  let comments = known.map((each) => lineComment(each));
  const stored: RunComments = {
    list: async () => comments.map((comment) => ({comment, sentWith: null})),
    heard: async () => [],
    add: async (_, drafts) => {
      const added = drafts.map((draft, index) => lineComment({...draft, id: `new${index}`}));
      comments = [...comments, ...added];
      return added;
    },
    edit: async (_, id, text) => {
      comments = comments.map((each) => (each.id === id ? {...each, text} : each));
      return lineComment({id, text});
    },
    remove: async (_, id) => {
      comments = comments.filter((each) => each.id !== id);
      return lineComment({id});
    },
  };
  return {stored, texts: () => comments.map(({file, side, line, text}) => [file, side, line, text])};
}

/** Drafts, and what of them is on disk: the line and the text. */
function keptDrafts() {
  const store = createMemoryDraftStore();
  const openDrafts = memoryDrafts(store);
  const openDraft: OpenCheckpointDraft = (words, place) =>
    openDrafts.open(checkpointSlot(changedRun(), words, place));
  const kept = () => store.list().flatMap(({texts}) => texts.map(({id, text}) => [id, text]));
  return {openDraft, kept, flush: openDrafts.flush};
}

function prompt(props: Partial<CheckpointPromptProps> = {}) {
  const onDecide = vi.fn();
  const onLater = vi.fn();
  const onProgram = vi.fn();
  const openDraft: OpenCheckpointDraft = (words, place) =>
    memoryDrafts().open(checkpointSlot(changedRun(), words, place));
  const loadDiff = vi.fn(async () => ({task: patch, sinceReview: null}));
  const screen = screenOf(
    <CheckpointPrompt
      {...{task: {id: 'pay-04', title: 'Refund endpoint'}, run: changedRun(), files: someFiles()}}
      {...{
        columns: 80,
        rows: 23,
        onDecide,
        onLater,
        onProgram,
        loadDiff,
        openDraft,
        comments: memoryComments().stored,
      }}
      {...props}
    />,
  );
  return {...screen, onDecide, onLater, onProgram, loadDiff};
}

test('shows what was done, what was requested and what can be decided', async () => {
  const {lines, sees} = prompt({
    task: {id: 'pay-04', title: 'Refund endpoint', acceptanceCriteria: ['idempotent', '409 on repeat']},
    run: changedRun({
      result: 'Added POST /refunds.\n14 tests pass.',
      side_effects: [{kind: 'plan', text: 'the plan was edited: pay-06 (prompt)'}],
      verifications: [
        check({round: 1, command: 'npm test', exit_code: 1, tail: 'old news'}),
        check({round: 2, command: 'npm test', seconds: 12}),
        check({round: 2, command: 'npm run lint', seconds: 3}),
      ],
    }),
  });
  await sees('whole task 2 files');
  expect(lines()).toEqual([
    ' ACTION REQUIRED   pay-04  Refund endpoint          ✓ succeeded · 4m12s · $0.31',
    ' Beware   the plan was edited: pay-06 (prompt)',
    ' Said     Added POST /refunds.',
    '          14 tests pass.',
    ' Criteria • idempotent  • 409 on repeat',
    ' Checks   ✓ npm test 12s   ✓ npm run lint 3.0s',
    ' whole task 2 files +41 −1                                    0/2 viewed · 1/46',
    ' ▸ one.ts    +40 −0',
    '   two.ts    +1 −1',
    '›─ one.ts ────────────────────────────────────────────────────────────── +40 −0',
    '         @@ -0,0 +1,40 @@',
    ...Array.from({length: 7}, (_, index) => `    ${String(index + 1).padStart(2)} + line ${index}`),
    '   Approve and continue  y  the task is done and the plan continues',
    '   Approve and quit  Y  the task is done and nothing more starts',
    '   Request changes  r',
    '   Reject changes  x  the task has failed; the files stay as they are',
    ' enter choose  d diff  esc later  + all  n file  v viewed  ? keys  / search',
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
    {sent: `y${keys.enter}`, decision: {state: 'approved_continue'}},
    {sent: `dY${keys.enter}`, decision: {state: 'approved_quit'}},
    {sent: `yxno${keys.ctrlS}`, decision: {state: 'rejected', why: 'no'}},
    {sent: `rcents${keys.ctrlS}`, decision: {state: 'changes_requested', feedback: 'cents'}},
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

  test('rejecting asks for the reason, which is left out only on purpose', async () => {
    const {type, sees, onDecide} = prompt();
    type(`k${keys.enter}`);
    await sees('A later attempt will see it. Files stay for now.');
    type(keys.ctrlS);
    await sees('No reason is written. Ctrl+S again rejects without one.');
    type(`x\u007f${keys.ctrlS}`);
    expect(onDecide).not.toHaveBeenCalled();
    type(keys.ctrlS);
    expect(onDecide.mock.calls).toEqual([[{state: 'rejected'}]]);
  });

  test.each([
    {keys: 'j', label: 'Retry', decision: {state: 'retry'}},
    {keys: 't', label: 'Retry', decision: {state: 'retry'}},
    {keys: 'jjj', label: 'Accept as failed and continue', decision: {state: 'approved_continue'}},
    {keys: 'k', label: 'Accept as failed and quit', decision: {state: 'approved_quit'}},
    {keys: 'xY', label: 'Accept as failed and quit', decision: {state: 'approved_quit'}},
  ])('of a run that failed: $label', async ({keys: sent, label, decision}) => {
    const {type, sees, onDecide} = prompt({run: {...changedRun(), state: 'failed'}});
    type(sent);
    await sees(`❯ ${label}`);
    type(keys.enter);
    expect(onDecide.mock.calls).toEqual([[decision]]);
  });

  test('Enter before anything is selected decides nothing, and says so', async () => {
    const {type, sees, onDecide, onLater} = prompt();
    type(keys.enter);
    await sees('Select a choice first: ↑ ↓ or j k, then enter.');
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([0, 0]);
  });

  test.each(['y', 'Y', 'x', 'dy', 'r', 'c', 'z'])('the key %j alone decides nothing', async (sent) => {
    const {type, sees, onDecide, onLater} = prompt();
    await sees('whole task');
    type(sent);
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([0, 0]);
  });

  test.each([
    ['the diff', 'd', keys.escape],
    ['the list of keys', '?', keys.escape],
    ['the zoomed diff', 'z', 'q'],
  ])('what was marked before reading %s is not marked afterwards', async (_, open, close) => {
    const {type, lines, sees, onDecide} = prompt();
    type('y');
    await sees('❯ Approve and continue');
    type(open);
    await eventually(() => expect(lines().join()).not.toContain('Approve'));
    type(close);
    await sees('Approve and continue');
    expect(lines().join()).not.toContain('❯ Approve');
    type(keys.enter);
    expect(onDecide).not.toHaveBeenCalled();
  });

  test('only the first one counts', () => {
    const {type, onDecide, onLater} = prompt();
    type(`j${keys.enter}j${keys.enter}${keys.ctrlC}`);
    expect([onDecide.mock.calls.length, onLater.mock.calls.length]).toEqual([1, 0]);
  });

  test('an arrow that arrives in two pieces is an arrow', async () => {
    const {type, sees, onDecide} = prompt();
    type('\x1b');
    // Ink takes the escape for a key by now.
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

  test('Esc leaves it for later, from within the diff with two', async () => {
    const {type, sees, onLater} = prompt();
    await sees('whole task');
    type('d');
    await sees('esc decide');
    type(keys.escape);
    await sees('esc later');
    expect(onLater).not.toHaveBeenCalled();
    type(keys.escape);
    await eventually(() => expect(onLater).toHaveBeenCalledTimes(1));
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

  test('needs text', async () => {
    const {type, sees, onDecide} = prompt();
    type(`jjj${keys.enter} ${keys.ctrlS}`);
    await sees('Write what should change first.');
    expect(onDecide).not.toHaveBeenCalled();
  });

  test('Esc goes back to the list, and keeps what was written', async () => {
    const {type, sees} = prompt();
    type(`jjj${keys.enter}`);
    type(`draft${keys.escape}`);
    await sees('❯ Request changes');
    type(keys.enter);
    await sees('draft');
  });

  test('is refused with the reason, and skipped', async () => {
    const {type, lines, onDecide} = prompt({changesRefused: 'the agent kept no session'});
    expect(lines()).toContain('   Request changes  the agent kept no session');
    type('r');
    type(`jjj${keys.enter}no${keys.ctrlS}`);
    expect(onDecide.mock.calls).toEqual([[{state: 'rejected', why: 'no'}]]);
  });
});

describe('the diff', () => {
  test('is loaded once, goes from file to file, and cannot control the terminal', async () => {
    const {type, sees, lines, loadDiff} = prompt();
    await sees('whole task');
    type('dn');
    await sees('▸ two.ts');
    expect(lines().slice(-6)).toEqual([
      '    40 + line 39',
      '❯─ two.ts ─────────────────────────────────────────────────────────────── +1 −1',
      '         @@ -1 +1 @@',
      '  1    - ^[[2Jold^Mtrick',
      '     1 + new',
      ' esc decide  + all  n file  v viewed  ? keys  / search  z zoom',
    ]);
    type('q');
    await sees('Approve and continue');
    expect(loadDiff).toHaveBeenCalledTimes(1);
  });

  test('that is unavailable is reported, and the decision can still be made', async () => {
    const {type, sees, onDecide} = prompt({loadDiff: async () => Promise.reject(new Error('no tree'))});
    await sees('The diff cannot be shown: no tree');
    type(`y${keys.enter}`);
    expect(onDecide.mock.calls).toEqual([[{state: 'approved_continue'}]]);
  });

  test.each([
    {summary: undefined, line: ' no files were changed'},
    {
      summary: {files: [], diffstat: '', snippets: [], note: 'git is not installed'},
      line: ' git is not installed',
    },
  ])('that is empty says so: $line', async ({summary, line}) => {
    const {review_summary: _, ...run} = changedRun();
    const {lines, sees} = prompt({
      run: {...run, ...(summary ? {review_summary: summary} : {})},
      loadDiff: async () => ({task: '', sinceReview: null}),
    });
    await sees('whole task 0 files');
    expect(lines()[2]).toBe(line);
  });

  test('o opens the editor at the line, | the pager with what is shown', async () => {
    const {type, sees, onProgram} = prompt();
    await sees('whole task');
    type('djjjo|');
    expect(onProgram.mock.calls).toEqual([
      [{type: 'editor', file: 'one.ts', line: 2}],
      [{type: 'pager', patch}],
    ]);
  });

  test('without an editor o says how to set one', async () => {
    const {type, sees, onProgram} = prompt({editorRefused: 'no editor is set'});
    await sees('whole task');
    type('o');
    await sees('no editor is set');
    expect(onProgram).not.toHaveBeenCalled();
  });
});

describe('comments on lines', () => {
  test('are written, shown under their line, counted, changed and removed', async () => {
    const {stored, texts} = memoryComments();
    const {type, sees, lines} = prompt({comments: stored});
    await sees('whole task');
    type('c');
    await sees('select a line of the file first: d, then j and k');
    type('djjjc');
    await sees('Comment  one.ts:2');
    expect(lines().join('\n')).toMatch(/one\.ts:2\n \+ \S/);
    expect(lines().at(-1)).toContain('ctrl+s keep');
    type('Why?');
    type(keys.ctrlS);
    await sees('1 comment ·');
    expect(lines()).toContain('         ┃ Why?');
    expect(texts()).toEqual([['one.ts', 'new', 2, 'Why?']]);
    type(keys.enter);
    await sees('Comment  one.ts:2');
    type(' Twice!');
    type(keys.ctrlS);
    await sees('┃ Why? Twice!');
    type(keys.backspace);
    await eventually(() => expect(texts()).toEqual([]));
  });

  test('that were sent before stay with the diff, marked, next to the request', async () => {
    const {stored} = memoryComments();
    const sent = lineComment({file: 'one.ts', side: 'new', line: 2, text: 'Use cents'});
    const feedback = 'Be quick\n\nComments on lines of the change:\n- one.ts:2: Use cents';
    const {type, sees, lines} = prompt({
      comments: {...stored, heard: async () => [sent]},
      run: changedRun({feedback, comment_ids: [sent.id]}),
    });
    await sees('┃ Use cents (sent)');
    const shown = lines().join('\n');
    expect(shown).toMatch(/ Asked +Be quick\n +with 1 comment\n/);
    expect(shown).not.toContain('1 comment ·');
    type('djjjc');
    await sees('What about this line?');
  });

  test('are drafts until they are stored: Esc and Ctrl+C lose nothing, Ctrl+X discards them', async () => {
    const drafts = memoryDrafts();
    const openDraft: OpenCheckpointDraft = (words, place) =>
      drafts.open(checkpointSlot(changedRun(), words, place));
    const first = prompt({openDraft});
    await first.sees('whole task');
    first.type('djjc');
    await first.sees('Comment  one.ts:1');
    first.type('Half a');
    first.type(keys.escape);
    await first.sees('Kept as a draft that is not sent; c on this line opens it.');
    first.type('c');
    await first.sees('Half a');
    first.type(' word');
    first.type(keys.ctrlC);
    await drafts.flush();
    const second = prompt({openDraft});
    await second.sees('whole task');
    second.type('djjc');
    await second.sees('Half a word');
    second.type('\x18');
    await second.sees('esc decide');
    second.type('c');
    await second.sees('What about this line?');
  });

  test('that are removed leave the draft on another line', async () => {
    const {stored, texts} = memoryComments({file: 'one.ts', line: 2});
    const {openDraft, kept, flush} = keptDrafts();
    const {type, sees, lines} = prompt({comments: stored, openDraft});
    await sees('1 comment ·');
    type('djjc');
    await sees('Comment  one.ts:1');
    type('Half a');
    type(keys.escape);
    await sees('Kept as a draft');
    type(`j${keys.backspace}`);
    await sees('Removed. c on this line brings it back.');
    // Read again after the change and all that follows from it.
    await eventually(() => expect(lines().join()).not.toContain('1 comment ·'));
    expect(texts()).toEqual([]);
    await flush();
    const {text} = lineComment();
    expect(kept()).toEqual([
      ['new:1:one.ts', 'Half a'],
      ['new:2:one.ts', text],
    ]);
    type('c');
    await sees('Your draft is back');
    type(keys.ctrlS);
    await eventually(() => expect(texts()).toEqual([['one.ts', 'new', 2, text]]));
  });

  test('started while another is stored have their own draft', async () => {
    const {stored, texts} = memoryComments();
    const written = deferred();
    const add: RunComments['add'] = async (...given) => {
      await written.promise;
      return stored.add(...given);
    };
    const {openDraft, kept, flush} = keptDrafts();
    const {type, sees} = prompt({comments: {...stored, add}, openDraft});
    await sees('whole task');
    type('djjc');
    await sees('Comment  one.ts:1');
    type(`First${keys.ctrlS}`);
    await sees('esc decide');
    type('jc');
    await sees('Comment  one.ts:2');
    type('Second');
    written.resolve();
    await eventually(() => expect(texts()).toEqual([['one.ts', 'new', 1, 'First']]));
    type(', longer');
    await eventually(async () => {
      await flush();
      expect(kept()).toEqual([['new:2:one.ts', 'Second, longer']]);
    });
  });

  test('on a deleted line are about the file as it was', async () => {
    const {stored, texts} = memoryComments();
    const {type, sees} = prompt({comments: stored});
    await sees('whole task');
    type('dnjjc');
    await sees('Comment  two.ts:1');
    type('Keep');
    type(keys.ctrlS);
    await sees('┃ Keep');
    expect(texts()).toEqual([['two.ts', 'old', 1, 'Keep']]);
  });

  test('that a choice leaves unsent are named while it is selected, and in the editor of a reason', async () => {
    const {stored, texts} = memoryComments({file: 'one.ts', line: 1}, {file: 'one.ts', line: 2, id: 'c2'});
    const {type, sees} = prompt({comments: stored});
    await sees('2 comments ·');
    type('y');
    await sees('2 comments stay unsent. r sends them, enter continues without.');
    type('jj');
    await sees('esc');
    type('x');
    await sees('Reject changes  pay-04  2 comments not sent');
    expect(texts()).toHaveLength(2);
  });

  test('are enough to request changes', async () => {
    const {stored} = memoryComments({file: 'one.ts', line: 1});
    const {type, sees, onDecide} = prompt({comments: stored});
    await sees('1 comment ·');
    type('r');
    await sees('Request changes  pay-04  with 1 comment');
    type(keys.ctrlS);
    expect(onDecide.mock.calls).toEqual([[{state: 'changes_requested', feedback: ''}]]);
  });

  test('that cannot be stored are reported', async () => {
    const {stored} = memoryComments();
    const comments = {...stored, add: async () => Promise.reject(new Error('disk full'))};
    const {type, sees} = prompt({comments});
    await sees('whole task');
    type('djjc');
    await sees('Comment  one.ts:1');
    type(`x${keys.ctrlS}`);
    await sees('disk full');
  });
});

describe('what is known of the run', () => {
  test('a failure, sanitised', () => {
    const failure = {kind: 'agent_error', message: 'it\x1b[2J broke'} as const;
    const lines = prompt({run: changedRun({state: 'failed', failure})}).lines();
    expect(lines[0]).toContain('✗ failed · 4m12s');
    expect(lines[1]).toBe(' Failed   it broke');
  });

  test('failed checks show how, and their full view shows the end of their output', async () => {
    const verifications = [
      check({command: 'npm test', exit_code: 2, tail: 'not ok\x1b[2J 7\n'}),
      check({command: 'sleep 9', exit_code: null, signal: 'SIGKILL', timed_out: true, seconds: 600}),
      check({command: 'lint', exit_code: null, signal: 'SIGSEGV'}),
    ];
    const {lines, type, sees} = prompt({run: changedRun({verifications})});
    expect(lines()[1]).toBe(' Checks   ✗ npm test exit 2 1.0s   ✗ sleep 9 took too long 10m00s   ✗ lint');
    expect(lines()[2]).toBe('          ended by SIGSEGV 1.0s');
    await sees('whole task');
    type('+');
    await sees('not ok 7');
  });

  test('every key is listed, in place of the diff', async () => {
    const {type, sees, lines} = prompt();
    await sees('whole task');
    type('d?');
    await sees('mark the file as viewed');
    expect(lines().at(-1)).toContain(' esc back');
    type('G');
    await sees('these keys, or the diff');
    type('+');
    await sees('What was said about it');
    type('?');
    await sees('mark the file as viewed');
    type('?');
    await sees('whole task');
    // It was opened from the diff, so that is what it returns to.
    expect(lines().join()).not.toContain('Approve and continue');
    type(`?${keys.escape}`);
    await sees('whole task');
    expect(lines().join()).not.toContain('Approve and continue');
    type(keys.escape);
    await sees('Approve and continue');
    // Next to the choices, too, all of them can be read.
    type('?G');
    await sees('these keys, or the diff');
    type(keys.escape);
    await sees('Approve and continue');
  });

  test("side effects come first, whole and sanitised, and the agent's last message can be read whole", async () => {
    const text = `the plan was edited: b (prompt)\u001b[2J, ${'c (added), '.repeat(7)}d (removed)`;
    const result = Array.from({length: 30}, (_, index) => `word ${index}`).join('\n');
    const {lines, type, sees} = prompt({run: changedRun({result, side_effects: [{kind: 'plan', text}]})});
    const shown = lines();
    expect(shown[1]).toMatch(/^ Beware {3}the plan was edited: b \(prompt\)\^\[\[2J, c \(added\)/);
    expect(shown[2]).toMatch(/^ {10}.*d \(removed\)$/);
    expect(shown[3]).toBe(' Said     word 0');
    expect(shown[4]).toBe('          word 1 … (+)');
    await sees('whole task');
    type('d+');
    await sees('word 15');
    type('G');
    await sees('word 29');
    type(keys.escape);
    await sees('whole task');
  });
});

test('each kind of side effect has its row before any is quoted, and what is cut is counted', async () => {
  const edits = Array.from({length: 8}, (_, index) => ({
    task: `t${index}`,
    field: 'prompt',
    before: 'kind',
    after: 'evil '.repeat(20),
  }));
  const named = edits.map(({task}) => `${task} (prompt)`).join(', ');
  const {lines, type, sees} = prompt({
    run: changedRun({
      result: 'Done.',
      side_effects: [
        {kind: 'plan', text: `the plan was edited: ${named}`, edits},
        {kind: 'ignored_files', text: 'ignored files were changed: .env'},
        {kind: 'ignored_files', text: 'ignored files were changed: .cache'},
        {kind: 'settings', text: 'the settings were changed'},
        {kind: 'git_settings', text: 'a hook of git was changed: pre-commit'},
      ],
    }),
  });
  await sees('whole task');
  expect(lines().slice(1, 9)).toEqual([
    ' Beware   the plan was edited: t0 (prompt), t1 (prompt), t2 (prompt), t3',
    '          (prompt), t4 (prompt), t5 (prompt), t6 (prompt), t7 (prompt)',
    '          ignored files were changed: .env',
    '          the settings were changed',
    '          a hook of git was changed: pre-commit',
    '          ignored files were changed: .cache',
    '          t0 (prompt): "kind" → "evil evil evil evil evil evil evi… +7 more (+)',
    ' Said     Done.',
  ]);
  expect(lines().at(-1)).toContain('  + all  ');
  type('+');
  await sees(/What was said about it {2}\(\+ goes back\) {2}\d+ more below: pgdn/);
  type('\x1b[6~\x1b[6~\x1b[6~');
  await sees('Said     Done.');
  expect(lines().join('\n')).not.toContain('more below');
});

describe('sizes', () => {
  const many = [
    ...Array.from({length: 40}, (_, index) => [
      `diff --git a/src/folder-${index}/a-rather-long-name-of-a-file.ts b/src/folder-${index}/a-rather-long-name-of-a-file.ts`,
      '@@ -0,0 +1,2 @@',
      `+${'日本'.repeat(80)}`,
      `+\t${'word '.repeat(60)}`,
    ]).flat(),
    '',
  ].join('\n');
  const run = changedRun({
    result: 'said '.repeat(100),
    side_effects: [{kind: 'settings', text: 'the settings were changed'}],
  });

  test.each([
    {columns: 80, rows: 23},
    {columns: 40, rows: 11},
    {columns: 59, rows: 11},
    {columns: 60, rows: 8},
    {columns: 196, rows: 56},
  ])('$columns × $rows is never exceeded in any view', async ({columns, rows}) => {
    const {type, lines, sees} = prompt({
      columns,
      rows,
      run,
      loadDiff: async () => ({task: many, sinceReview: many}),
    });
    const fits = () => {
      expect(lines().length).toBeLessThanOrEqual(rows);
      for (const line of lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    };
    await sees(/\[whole.*\(T\)/);
    fits();
    expect(lines().join('\n')).toMatch(/Beware(.|\n)* {3}Approve and continue(.|\n)*Reject changes/);
    for (const key of ['d', 'w', 'G', 'z', 'T', '+', '?', 'z', 'w', 'l', 'k']) {
      type(key);
      await new Promise((resolve) => setImmediate(resolve));
      fits();
    }
    type('/word');
    await sees('/word');
    fits();
    type(`${keys.enter}r`);
    type('word '.repeat(200));
    await sees('ctrl+s send');
    fits();
    type('@');
    await sees('enter take file');
    fits();
  });
});
