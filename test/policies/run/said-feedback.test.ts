import {expect, test} from 'vitest';
import {isSaidIn, sayAlso} from '../../../src/machines/policies/run/said-feedback.ts';

test.each([
  {feedback: 'fix', text: 'fix', isSaid: true},
  {feedback: 'fix\n\nand test', text: 'fix', isSaid: true},
  {feedback: 'first\n\nfix\n\nlast', text: 'fix', isSaid: true},
  {feedback: 'first\n\ntwo\n\nparts', text: 'two\n\nparts', isSaid: true},
  // The same letters inside other words are not what was said.
  {feedback: 'please fix the tests', text: 'fix', isSaid: false},
  {feedback: 'fix\nthe tests', text: 'fix', isSaid: false},
  {feedback: '', text: 'fix', isSaid: false},
])('"$text" in "$feedback": $isSaid', ({feedback, text, isSaid}) => {
  expect(isSaidIn(feedback, text)).toBe(isSaid);
});

test('what was not heard comes first, and once', () => {
  expect(sayAlso('fix', 'please fix the tests')).toBe('fix\n\nplease fix the tests');
  expect(sayAlso('fix', 'fix\n\nplease')).toBe('fix\n\nplease');
  expect(sayAlso('', 'please')).toBe('please');
});
