import {expect, test} from 'vitest';
import {choicesAt} from '../../../src/machines/policies/review/checkpoint-choices.ts';

const told = (state: 'succeeded' | 'failed') =>
  choicesAt({state}).map(({label, option, words, answer}) => [label, option, words, answer(' why ')]);

test('a run that succeeded can be approved, sent back or rejected', () => {
  expect(told('succeeded')).toEqual([
    ['Approve and continue', '--approve', 'none', {state: 'approved_continue'}],
    ['Approve and quit', '--approve-quit', 'none', {state: 'approved_quit'}],
    [
      'Request changes',
      '--request-changes [text]',
      'required',
      {state: 'changes_requested', feedback: ' why '},
    ],
    ['Reject changes', '--reject [reason]', 'optional', {state: 'rejected', why: 'why'}],
  ]);
});

test('a run that failed can be retried, sent back or accepted as failed', () => {
  expect(told('failed')).toEqual([
    ['Retry', '--retry', 'none', {state: 'retry'}],
    [
      'Request changes',
      '--request-changes [text]',
      'required',
      {state: 'changes_requested', feedback: ' why '},
    ],
    ['Accept as failed and continue', '--approve', 'none', {state: 'approved_continue'}],
    ['Accept as failed and quit', '--approve-quit', 'none', {state: 'approved_quit'}],
  ]);
});
