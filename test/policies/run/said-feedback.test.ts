import {expect, test} from 'vitest';
import {isSaidIn, sayAlso, unsaidOf} from '../../../src/machines/policies/run/said-feedback.ts';

test.each([
  {feedback: 'fix', text: 'fix', isSaid: true},
  {feedback: 'fix\n\nand test', text: 'fix', isSaid: true},
  {feedback: 'first\n\nfix\n\nlast', text: 'fix', isSaid: true},
  {feedback: 'first\n\ntwo\n\nparts', text: 'two\n\nparts', isSaid: true},
  // The same letters inside other words do not count.
  {feedback: 'please fix the tests', text: 'fix', isSaid: false},
  {feedback: 'fix\nthe tests', text: 'fix', isSaid: false},
  {feedback: '', text: 'fix', isSaid: false},
])('"$text" in "$feedback": $isSaid', ({feedback, text, isSaid}) => {
  expect(isSaidIn(feedback, text)).toBe(isSaid);
});

test('feedback that was not delivered comes first, without repeats', () => {
  expect(sayAlso('fix', 'please fix the tests')).toBe('fix\n\nplease fix the tests');
  expect(sayAlso('fix', 'fix\n\nplease')).toBe('fix\n\nplease');
  expect(sayAlso('', 'please')).toBe('please');
});

test.each([
  {text: 'use tabs', feedback: 'use tabs', left: ''},
  {text: 'use tabs \n', feedback: 'use tabs', left: ''},
  {
    text: 'use tabs',
    feedback: 'first\n\nuse tabs\n\nComments on lines of the change:\n- a.ts:1: no',
    left: '',
  },
  {text: 'use tabs', feedback: 'do use tabs', left: 'use tabs'},
  {text: 'use tabs', feedback: '', left: 'use tabs'},
  // Typed in a shell after an existing draft, and sent alone.
  {text: 'not this\none\ntwo', feedback: 'one\ntwo', left: 'not this'},
  {
    text: 'not this\none\ntwo',
    feedback: 'two\n\nComments on lines of the change:\n- a: b',
    left: 'not this\none',
  },
  {text: 'not this\none', feedback: 'one more', left: 'not this\none'},
  {text: 'not this\n', feedback: '', left: 'not this\n'},
  {text: '  ', feedback: 'one', left: ''},
])('of the draft "$text", after "$feedback", "$left" remains to be sent', ({text, feedback, left}) => {
  expect(unsaidOf(text, feedback)).toBe(left);
});
