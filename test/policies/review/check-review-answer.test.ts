import {describe, expect, test} from 'vitest';
import {checkReviewAnswer, feedbackFor} from '../../../src/machines/policies/review/check-review-answer.ts';
import {exampleValue} from '../../../src/services/agents/example-value.ts';
import {reviewAnswerSchema} from '../../../src/services/contracts/review-answer.ts';

const ids = ['a', 'b', 'c'];
const pass = {passed: true, resumeTaskIds: [], feedbackForResume: '', reviewResults: []};
const back = {passed: false, resumeTaskIds: ['b'], feedbackForResume: 'Test it.', reviewResults: []};
const result = (taskId: string, status: string, feedback = '') => ({taskId, status, feedback});

describe('an answer', () => {
  const passed = {answer: {passed: true, resumeTaskIds: [], feedback: '', results: []}};
  const sentBack = {answer: {passed: false, resumeTaskIds: ['b'], feedback: 'Test it.', results: []}};

  test.each([
    {name: 'that is the object alone', text: JSON.stringify(pass), expected: passed},
    {name: 'of many lines', text: JSON.stringify(back, null, 2), expected: sentBack},
    {
      name: 'in a fence',
      text: `I looked.\n\`\`\`json\n${JSON.stringify(back, null, 2)}\n\`\`\`\nBye.`,
      expected: sentBack,
    },
    {name: 'behind prose', text: `All is {well}.\n${JSON.stringify(pass)}\n`, expected: passed},
    {name: 'within prose', text: `My verdict: ${JSON.stringify(back)} Bye.`, expected: sentBack},
    {name: 'that is repeated', text: `${JSON.stringify(pass)}\n${JSON.stringify(pass)}`, expected: passed},
    {name: 'without its optional fields', text: '{"passed":true}', expected: passed},
    {name: 'with additional fields', text: JSON.stringify({...back, mood: 'fine'}), expected: sentBack},
    {
      name: 'with blanks around its feedback',
      text: JSON.stringify({...back, feedbackForResume: ' Test it.\n'}),
      expected: sentBack,
    },
    {
      name: 'that passes with a remark',
      text: JSON.stringify({...pass, feedbackForResume: ' Nice.\n'}),
      expected: {answer: {...passed.answer, feedback: 'Nice.'}},
    },
    {
      name: 'that passes with a remark on one task',
      text: JSON.stringify({...pass, reviewResults: [result('a', 'passed', 'Nice.')]}),
      expected: {answer: {...passed.answer, results: [{task_id: 'a', status: 'passed', feedback: 'Nice.'}]}},
    },
    {
      name: 'whose feedback quotes a verdict',
      text: JSON.stringify({...back, feedbackForResume: 'Print {"passed":true} and "passed": false.'}),
      expected: {
        answer: {...sentBack.answer, feedback: 'Print {"passed":true} and "passed": false.'},
      },
    },
    {
      name: 'behind prose on what passed',
      text: `Tests passed: 12, "passed" is the word; f(){ "x" }\n${JSON.stringify(pass)}`,
      expected: passed,
    },
    {
      name: 'with a remark on every task',
      text: JSON.stringify({
        ...back,
        reviewResults: [result('a', 'passed'), result('b', 'failed', 'No test.')],
      }),
      expected: {
        answer: {
          ...sentBack.answer,
          results: [
            {task_id: 'a', status: 'passed', feedback: ''},
            {task_id: 'b', status: 'failed', feedback: 'No test.'},
          ],
        },
      },
    },
  ])('$name is accepted', ({text, expected}) => {
    expect(checkReviewAnswer(text, ids)).toEqual(expected);
  });

  test.each([
    {name: 'nothing', text: '', problem: 'it contains no JSON object with "passed"'},
    {name: 'prose', text: 'Looks good to me!', problem: 'it contains no JSON object with "passed"'},
    {name: 'another object', text: '{"ok":true}', problem: 'it contains no JSON object with "passed"'},
    {name: 'half an object', text: '{"passed":true', problem: 'it contains no JSON object with "passed"'},
    {
      name: 'a list',
      text: '[{"passed":1}, 2',
      problem: 'passed: Invalid input: expected boolean, received number',
    },
    {
      name: 'two verdicts',
      text: `${JSON.stringify(pass)}\n${JSON.stringify(back)}`,
      problem: 'it contains several different verdicts',
    },
    {
      name: 'a text instead of a boolean',
      text: '{"passed":"yes"}',
      problem: 'passed: Invalid input: expected boolean, received string',
    },
    {
      name: 'an unknown task sent back',
      text: JSON.stringify({...back, resumeTaskIds: ['d']}),
      problem: '"d" is not one of the reviewed tasks',
    },
    {
      name: 'an unknown task judged',
      text: JSON.stringify({...pass, reviewResults: [result('__proto__', 'passed')]}),
      problem: '"__proto__" is not one of the reviewed tasks',
    },
    {
      name: 'a task sent back twice',
      text: JSON.stringify({...back, resumeTaskIds: ['b', 'b']}),
      problem: 'it sends a task back twice',
    },
    {
      name: 'a task judged twice',
      text: JSON.stringify({...pass, reviewResults: [result('a', 'passed'), result('a', 'passed')]}),
      problem: 'it judges a task twice',
    },
    {
      name: 'passed, and work to do',
      text: JSON.stringify({...pass, resumeTaskIds: ['a']}),
      problem: 'it passed and sends tasks back',
    },
    {
      name: 'passed, and a failure',
      text: JSON.stringify({...pass, reviewResults: [result('a', 'failed')]}),
      problem: 'it passed and a task failed',
    },
    {
      name: 'not passed, and nothing to do',
      text: JSON.stringify({...back, resumeTaskIds: []}),
      problem: 'it did not pass and sends no task back',
    },
    {
      name: 'sent back without feedback',
      text: JSON.stringify({...back, feedbackForResume: ' '}),
      problem: 'it sends "b" back without feedback',
    },
    {
      name: 'failed and not sent back',
      text: JSON.stringify({...back, reviewResults: [result('a', 'failed', 'x')]}),
      problem: '"a" failed, and is not sent back',
    },
    {
      name: 'passed and sent back',
      text: JSON.stringify({...back, reviewResults: [result('b', 'passed')]}),
      problem: '"b" passed, and is sent back',
    },
    {
      name: 'feedback without end',
      text: JSON.stringify({...back, feedbackForResume: 'x'.repeat(20_001)}),
      problem: 'feedbackForResume: Too big: expected string to have <=20000 characters',
    },
  ])('that is $name is not a review', ({text, problem}) => {
    expect(checkReviewAnswer(text, ids)).toEqual({problem});
  });

  const template = JSON.stringify(pass);
  const several = 'it contains several different verdicts';
  const another = 'it contains something that could be a second verdict';
  const bare = 'it contains no JSON object with "passed"';
  test.each([
    {name: 'pretty-printed', second: JSON.stringify(back, null, 2), problem: several},
    {name: 'in a fence', second: `\`\`\`json\n${JSON.stringify(back, null, 2)}\n\`\`\``, problem: several},
    {name: 'on the same line', second: JSON.stringify(back), problem: several},
    {name: 'with an escaped key', second: String.raw`{"p\u0061ssed": false}`, problem: several},
    {name: 'that is not a verdict by itself', second: '{"passed": "no"}', problem: several},
    {name: 'that is cut off', second: '{\n  "passed": false,\n  "resumeTaskIds": ["b"', problem: another},
    {name: 'with an extra comma', second: '{"passed": false,}', problem: another},
    {name: 'in single quotes', second: "{'passed': False}", problem: another},
    {name: 'without quotes', second: '{passed: false}', problem: another},
    {name: 'inside another object', second: '{"verdict": {"passed": false}}', problem: another},
    {name: 'as a text', second: String.raw`{"answer": "{\"passed\": false}"}`, problem: another},
    {name: 'in prose', second: 'On second thought: **passed** = false', problem: another},
  ])('with a second verdict $name is not a review, whichever comes first', ({second, problem}) => {
    expect(
      [`${template}\n${second}`, `${second}\n${template}`].map((text) => checkReviewAnswer(text, ids)),
    ).toEqual([{problem}, {problem}]);
  });

  test.each([
    {name: 'a repeated key', text: '{"passed":false,"passed":true}', problem: another},
    {name: 'its verdict only inside another object', text: '{"verdict":{"passed":true}}', problem: bare},
    {name: 'a thousand braces before it', text: `${'{'.repeat(1_000)}${template}`, problem: bare},
  ])('with $name is not a review', ({text, problem}) => {
    expect(checkReviewAnswer(text, ids)).toEqual({problem});
  });

  test('is read up to the length that is kept of it', () => {
    const padded = (length: number) => template + ' '.repeat(length - template.length);
    expect(checkReviewAnswer(padded(63_999), ids)).toEqual(passed);
    expect(checkReviewAnswer(padded(64_000), ids)).toEqual({problem: 'it is too long'});
  });

  test('may have as much feedback as the limit allows', () => {
    const text = JSON.stringify({...back, feedbackForResume: 'x'.repeat(20_000)});
    expect(checkReviewAnswer(text, ids)).toHaveProperty('answer');
  });

  test('that equals the example in the schema is a pass', () => {
    const text = JSON.stringify(exampleValue(reviewAnswerSchema));
    expect(checkReviewAnswer(text, ids)).toEqual(passed);
  });
});

test('a task is sent back with the feedback for all and its own, without repeats', () => {
  const results = [
    {task_id: 'a', status: 'failed' as const, feedback: 'Yours.'},
    {task_id: 'b', status: 'failed' as const, feedback: 'All.'},
  ];
  const answer = {passed: false, resumeTaskIds: ['a', 'b', 'c'], feedback: 'All.', results};
  expect(['a', 'b', 'c'].map((id) => feedbackFor(answer, id))).toEqual(['All.\n\nYours.', 'All.', 'All.']);
  expect(feedbackFor({...answer, feedback: ''}, 'a')).toBe('Yours.');
});
