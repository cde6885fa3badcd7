import {expect, test} from 'vitest';
import {draftMissing, keptWith} from '../../../src/machines/policies/planning/plan-draft.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';

const draft = {draftId: 'd1'};
const noAgent = new AppError('E_AGENT_NOT_FOUND', 'no claude', {
  details: [['provider', 'claude']],
  next: [{command: 'blackbird agents', why: 'see what is installed'}],
});

test('an error says what is kept of a draft, and how it goes on', () => {
  expect(keptWith(noAgent, draft)).toMatchObject({
    code: 'E_AGENT_NOT_FOUND',
    message: 'no claude',
    details: [
      ['provider', 'claude'],
      ['draft', 'd1, kept with what you asked for'],
    ],
    next: [
      {command: 'blackbird agents', why: 'see what is installed'},
      {command: 'blackbird plan drafts open d1', why: 'then go on with the draft'},
    ],
  });
});

const bug = new TypeError('no');
const gone = draftMissing('d1');

test.each([
  ['there is no draft yet', noAgent, null],
  ['the draft is gone', gone, draft],
  ['it is a bug', bug, draft],
])('an error stays as it is where %s', (_, error, kept) => {
  expect(keptWith(error, kept)).toBe(error);
});
