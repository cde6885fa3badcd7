import {describe, expect, test} from 'vitest';
import {askedQuestions, meantAnswer} from '../../../src/machines/policies/run/asked-questions.ts';
import type {Question} from '../../../src/services/contracts/run.ts';
import {promptly} from '../../helpers/plans.ts';

const color: Question = {id: 'color', prompt: 'Which color?', options: ['red', 'blue']};
const size: Question = {id: 'size', prompt: 'Which size?'};
const block = (...questions: unknown[]) => JSON.stringify({blackbird: {questions}});
const fenced = (text: string, word = 'json') => `\`\`\`${word}\n${text}\n\`\`\``;

describe('questions are found', () => {
  test.each<{name: string; message: string; expected: Question[]}>([
    {name: 'in a fenced block', message: `I need to know:\n\n${fenced(block(color))}\n`, expected: [color]},
    {name: 'in a block without a language', message: fenced(block(color), ''), expected: [color]},
    {name: 'in a block marked as JSON', message: fenced(block(color), 'JSON'), expected: [color]},
    {
      name: 'in a block over several lines',
      message: fenced(JSON.stringify({blackbird: {questions: [color]}}, null, 2)),
      expected: [color],
    },
    {name: 'in a block followed by text', message: `${fenced(block(color))}\nThanks!`, expected: [color]},
    {
      name: 'in an indented block',
      message: `- so:\n  \`\`\`json\n  ${block(size)}\n  \`\`\``,
      expected: [size],
    },
    {name: 'several in one block', message: fenced(block(color, size)), expected: [color, size]},
    {
      name: 'in the last of several blocks, because only the end of a turn asks',
      message: `${fenced(block(color))}\nand\n${fenced(block(size))}`,
      expected: [size],
    },
    {name: 'as the whole message', message: `  ${block(color)}\n`, expected: [color]},
    {
      name: 'as the whole message over several lines',
      message: JSON.stringify({blackbird: {questions: [color]}}, null, 2),
      expected: [color],
    },
    {
      name: 'as the tool of the Go program, on its own line',
      message: `I must ask.\n${JSON.stringify({tool: 'AskUserQuestion', ...color})}\nThat is all.`,
      expected: [color],
    },
    {
      name: 'as that tool by its other names',
      message: [
        JSON.stringify({name: 'ask_user_question', ...color}),
        JSON.stringify({name: 'ASKUSERQUESTION', ...size}),
      ].join('\n'),
      expected: [color, size],
    },
    {
      name: 'as that tool with `question` for a prompt and no id',
      message: JSON.stringify({tool: 'AskUserQuestion', question: 'Which?'}),
      expected: [{id: 'q1', prompt: 'Which?'}],
    },
    {
      name: 'as a list from that tool',
      message: JSON.stringify([{tool: 'AskUserQuestion', ...color}]),
      expected: [color],
    },
    {
      name: 'with labels as options',
      message: fenced(block({...size, options: [{label: 'S', description: 'small'}, 'M', 7]})),
      expected: [{...size, options: ['S', 'M']}],
    },
    {
      name: 'without options when none is text',
      message: fenced(block({...size, options: [1, null]})),
      expected: [size],
    },
    {
      name: 'without ids, numbered by position',
      message: fenced(block({prompt: 'One?'}, {prompt: 'Two?', id: ' '})),
      expected: [
        {id: 'q1', prompt: 'One?'},
        {id: 'q2', prompt: 'Two?'},
      ],
    },
    {
      name: 'once, when they are repeated',
      message: `${fenced(block(color))}\n${fenced(block(color))}`,
      expected: [color],
    },
    {
      name: 'with a suffix, when different ones share an id',
      message: fenced(block(color, {...size, id: 'color'}, {id: 'color', prompt: 'Really?'})),
      expected: [color, {...size, id: 'color-2'}, {id: 'color-3', prompt: 'Really?'}],
    },
    {
      name: 'with an unused suffix',
      message: fenced(block({...size, id: 'a'}, {...size, id: 'a-2'}, {id: 'a', prompt: 'Really?'})),
      expected: [
        {...size, id: 'a'},
        {...size, id: 'a-2'},
        {id: 'a-3', prompt: 'Really?'},
      ],
    },
    {
      name: 'under any id',
      message: fenced(block({...size, id: '__proto__'}, {...size, id: 'constructor'})),
      expected: [
        {...size, id: '__proto__'},
        {...size, id: 'constructor'},
      ],
    },
  ])('$name', ({message, expected}) => {
    expect(askedQuestions(message)).toEqual(expected);
  });
});

describe('nothing is asked', () => {
  test.each([
    {name: 'by prose', message: 'Which color do you want?'},
    {name: 'by an empty message', message: ''},
    {name: 'by a block that is cut off', message: `\`\`\`json\n${block(color)}`.slice(0, -3)},
    {name: 'by other JSON', message: fenced('{"questions": [{"id": "a", "prompt": "b"}]}')},
    {name: 'by another tool', message: JSON.stringify({tool: 'Bash', ...color})},
    {
      name: 'by a tool in the middle of a line',
      message: `so: ${JSON.stringify({tool: 'AskUserQuestion', ...color})}`,
    },
    {
      name: 'without a prompt',
      message: fenced(block({id: 'a'}, {id: 'b', prompt: '  '}, {id: 'c', prompt: 7})),
    },
    {name: 'by questions that are not a list', message: fenced('{"blackbird": {"questions": {"id": "a"}}}')},
    {name: 'by entries that are not objects', message: fenced(block(null, 'a', 7, ['x']))},
    {name: 'by an empty blackbird field', message: fenced('{"blackbird": null}')},
    {name: 'by numbers and strings', message: '7'},
  ])('$name', ({message}) => {
    expect(askedQuestions(message)).toEqual([]);
  });
});

describe('limits', () => {
  const many = (count: number) =>
    Array.from({length: count}, (_, index) => ({id: `q${index}`, prompt: `${index}?`}));

  test.each([
    {count: 20, expected: 20},
    {count: 21, expected: 20},
  ])('of $count questions $expected are asked', ({count, expected}) => {
    expect(askedQuestions(fenced(block(...many(count))))).toHaveLength(expected);
  });

  test.each([
    {length: 4_000, expected: 4_000},
    {length: 4_001, expected: 4_000},
  ])('a prompt of $length characters has $expected', ({length, expected}) => {
    const [asked] = askedQuestions(fenced(block({id: 'a', prompt: 'x'.repeat(length)})));
    expect(asked?.prompt).toHaveLength(expected);
  });

  test('a huge message is read quickly', () => {
    const lines = `${'{'.repeat(50)}\n\`\`\`json\n`.repeat(20_000);
    expect(promptly(() => askedQuestions(lines))).toEqual([]);
    expect(promptly(() => askedQuestions('`'.repeat(500_000)))).toEqual([]);
  });
});

test.each([
  {typed: '2', meant: 'blue'},
  {typed: '3', meant: '3'},
  {typed: ' Red ', meant: 'red'},
  {typed: 'green', meant: 'green'},
])('the answer $typed means $meant', ({typed, meant}) => {
  expect(meantAnswer(color, typed)).toBe(meant);
});
