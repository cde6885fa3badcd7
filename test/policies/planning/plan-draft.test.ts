import {expect, test} from 'vitest';
import {
  draftMissing,
  edited,
  keptWith,
  newDraft,
  proposed,
} from '../../../src/machines/policies/planning/plan-draft.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';

const draft = {draftId: 'd1'};
const noAgent = new AppError('E_AGENT_NOT_FOUND', 'no claude', {
  details: [['provider', 'claude']],
  next: [{command: 'blackbird agents', why: 'see what is installed'}],
});

test('an error says what is kept of a draft, and how to continue', () => {
  expect(keptWith(noAgent, draft)).toMatchObject({
    code: 'E_AGENT_NOT_FOUND',
    message: 'no claude',
    details: [
      ['provider', 'claude'],
      ['draft', 'd1, kept with what you asked for'],
    ],
    next: [
      {command: 'blackbird agents', why: 'see what is installed'},
      {command: 'blackbird plan drafts open d1', why: 'then continue with the draft'},
    ],
  });
});

const bug = new TypeError('no');
const gone = draftMissing('d1');

test.each([
  ['there is no draft yet', noAgent, null],
  ['the draft is gone', gone, draft],
  ['it is a bug', bug, draft],
])('an error stays as it is when %s', (_, error, kept) => {
  expect(keptWith(error, kept)).toBe(error);
});

test('edits of a proposal are undone one by one, and no further', () => {
  const operation = (taskId: string) => ({type: 'delete', taskId, cascade: true}) as const;
  const wish = {kind: 'generate', text: 'A shop', taskIds: []} as const;
  const base = proposed(newDraft(wish, 'd1', '2026-01-10T22:00:00.000Z'), [operation('a')]);
  const once = edited(base, [operation('b'), operation('c')]);
  const twice = edited(once, []);
  expect(edited(twice, 'takeBack')).toEqual(once);
  expect(edited(once, 'takeBack')).toEqual(base);
  expect(() => edited(base, 'takeBack')).toThrow('this proposal has no edits to undo');
});
