import {describe, expect, test} from 'vitest';
import {
  feedbackWith,
  parseComment,
  requireChanged,
  requireLine,
  sentWith,
  unsentWords,
} from '../../../src/machines/policies/review/line-comments.ts';
import type {ChangedFile} from '../../../src/services/contracts/changes.ts';
import {lineComment} from '../../fakes/memory-comment-store.ts';
import {pausedRun, restingRun, sessionRef} from '../../fakes/runs.ts';

describe('a comment on the command line', () => {
  test.each([
    ['src/a.ts:12=Why?', {file: 'src/a.ts', side: 'new', line: 12, text: 'Why?'}],
    ['src/a.ts:-12=Why?', {file: 'src/a.ts', side: 'old', line: 12, text: 'Why?'}],
    ['a=b:c.ts:3= x:4=5\ny ', {file: 'a=b:c.ts', side: 'new', line: 3, text: 'x:4=5\ny'}],
    ['a:999999999=x', {file: 'a', side: 'new', line: 999_999_999, text: 'x'}],
  ])('%j is read', (given, draft) => {
    expect(parseComment(given)).toEqual(draft);
  });

  test.each([
    ['src/a.ts', 'E_USAGE'],
    ['src/a.ts:12', 'E_USAGE'],
    [':12=x', 'E_USAGE'],
    ['a:0=x', 'E_USAGE'],
    ['a:1000000000=x', 'E_USAGE'],
    ['a:b=x', 'E_USAGE'],
    ['a:1= ', 'E_NO_INPUT'],
  ])('%j is refused', (given, code) => {
    expect(() => parseComment(given)).toThrow(expect.objectContaining({code}));
  });
});

describe('the file of a comment', () => {
  const lines = {added: 1, removed: 1};
  const files: ChangedFile[] = [
    {path: 'a.ts', kind: 'changed', lines},
    {path: 'new.ts', from: 'old.ts', kind: 'renamed', lines},
  ];
  const check = (file: string, side: 'old' | 'new') => () =>
    requireChanged({file, side, line: 1, text: 'x'}, files, 't');

  test.each([
    ['a.ts', 'new'],
    ['a.ts', 'old'],
    ['new.ts', 'new'],
    ['old.ts', 'old'],
  ] as const)('%s may be commented on its %s side', (file, side) => {
    expect(check(file, side)).not.toThrow();
  });

  test.each(['old.ts', 'b.ts', './a.ts', '../a.ts', '/etc/passwd', '__proto__'])(
    '%s is refused: it is not in the change',
    (file) => {
      expect(check(file, 'new')).toThrow(
        expect.objectContaining({
          code: 'E_USAGE',
          message: `t did not change ${JSON.stringify(file)}`,
          details: [
            ['changed', 'a.ts'],
            ['changed', 'new.ts'],
          ],
        }),
      );
    },
  );
});

describe('the line of a comment', () => {
  const check = (line: number, side: 'old' | 'new', count: number) => () =>
    requireLine({file: 'a.ts', side, line, text: 'x'}, count, 't');

  test('may be any line of the file', () => {
    expect(check(1, 'new', 1)).not.toThrow();
    expect(check(12, 'old', 12)).not.toThrow();
  });

  test.each([
    {line: 13, side: 'new', count: 12, when: 'after', lines: '1 to 12 after the change'},
    {line: 2, side: 'old', count: 1, when: 'before', lines: '1 to 1 before the change'},
    {line: 1, side: 'old', count: 0, when: 'before', lines: 'none before the change'},
  ] as const)('$line of $count is refused on the $side side', ({line, side, count, when, lines}) => {
    expect(check(line, side, count)).toThrow(
      expect.objectContaining({
        code: 'E_USAGE',
        message: `"a.ts" has no line ${line} ${when} the change of t`,
        details: [['lines', lines], expect.anything()],
      }),
    );
  });
});

const kept = "1 comment on it's was not sent and is kept: blackbird review 'it'\\''s' --comments";
const session = {provider_session_ref: sessionRef, resumable: true};
test.each([
  [0, 'approved_continue', session, null],
  [
    1,
    'approved_quit',
    session,
    `${kept}. To send it: blackbird review 'it'\\''s' --withdraw, then blackbird review 'it'\\''s' --request-changes`,
  ],
  [
    1,
    'approved_continue',
    session,
    `${kept}. To have it changed anyway: blackbird resume 'it'\\''s' --feedback <text>`,
  ],
  [
    1,
    'approved_quit',
    {...session, commit: {sha: '3f2a9c1d'}},
    `${kept}. To have it changed anyway: blackbird resume 'it'\\''s' --feedback <text>`,
  ],
  [1, 'approved_continue', {}, kept],
  [
    2,
    'rejected',
    session,
    "2 comments on it's were not sent and are kept: blackbird review 'it'\\''s' --comments",
  ],
] as const)('of %i unsent comments after %s of a run with %j is said: %j', (count, decision, run, words) => {
  expect(unsentWords(restingRun({state: 'succeeded', task_id: "it's", ...run}), count, decision)).toBe(words);
});

describe('the feedback', () => {
  const comment = lineComment();

  test.each([
    ['words', [], 'words'],
    ['', [comment], 'Comments on lines of the change:\n- src/a.ts:3: Why twice?'],
    [' words ', [comment], 'words\n\nComments on lines of the change:\n- src/a.ts:3: Why twice?'],
  ])('of %j and %j', (words, comments, feedback) => {
    expect(feedbackWith(words, comments)).toBe(feedback);
  });
});

describe('a comment was sent', () => {
  const carrier = {run_id: 'a-2', attempt: 2, resumed_from_run_id: 'a-1', feedback: 'x', comment_ids: ['c1']};

  test.each([
    ['by no run', [restingRun({state: 'succeeded'})], null],
    ['by the run that carries it', [restingRun({state: 'succeeded', ...carrier})], 'a-2'],
    ['by one that paused with it', [pausedRun(carrier)], 'a-2'],
    ['not by one that never started', [restingRun({state: 'canceled', segments: [], ...carrier})], null],
    [
      'not by one that the provider refused',
      [restingRun({state: 'failed', ...carrier, failure: {kind: 'resume_rejected', message: ''}})],
      null,
    ],
  ] as const)('%s', (_, runs, runId) => {
    expect(sentWith('c1', runs)).toBe(runId);
    expect(sentWith('c2', runs)).toBeNull();
  });
});
