import {expect, test} from 'vitest';
import {containsText, precededBy, unsentPart} from '../../../src/machines/policies/run/feedback-text.ts';

test.each([
  {feedback: 'fix', text: 'fix', isContained: true},
  {feedback: 'fix\n\nand test', text: 'fix', isContained: true},
  {feedback: 'first\n\nfix\n\nlast', text: 'fix', isContained: true},
  {feedback: 'first\n\ntwo\n\nparts', text: 'two\n\nparts', isContained: true},
  // The same letters inside other words do not count.
  {feedback: 'please fix the tests', text: 'fix', isContained: false},
  {feedback: 'fix\nthe tests', text: 'fix', isContained: false},
  {feedback: '', text: 'fix', isContained: false},
])('"$text" in "$feedback": $isContained', ({feedback, text, isContained}) => {
  expect(containsText(feedback, text)).toBe(isContained);
});

test('feedback that was not delivered comes first, without repeats', () => {
  expect(precededBy('fix', 'please fix the tests')).toBe('fix\n\nplease fix the tests');
  expect(precededBy('fix', 'fix\n\nplease')).toBe('fix\n\nplease');
  expect(precededBy('', 'please')).toBe('please');
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
  expect(unsentPart(text, feedback)).toBe(left);
});
