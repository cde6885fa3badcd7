import {describe, expect, test} from 'vitest';
import {readPlanAnswer} from '../../../src/machines/policies/planning/check-plan-answer.ts';
import {planAnswerLimit, planAnswerSchema, planKinds} from '../../../src/services/contracts/plan-answer.ts';

const api = {id: 'api', title: 'API'};
const added = {
  type: 'add',
  task: {
    id: 'api',
    parentId: null,
    title: 'API',
    description: '',
    acceptanceCriteria: [],
    prompt: '',
    deps: [],
  },
};

describe('an answer is found', () => {
  const answer = JSON.stringify({tasks: [api]});
  test.each([
    ['alone', answer],
    ['in prose with braces', `I looked at {it}. Here:\n${answer}`],
    ['in a fence, on many lines', `\`\`\`json\n${JSON.stringify({tasks: [api]}, null, 2)}\n\`\`\`\nDone.`],
    ['next to other objects', `{"note": 1} ${answer}`],
    ['said twice', `${answer}\n${answer}`],
    [
      'with a fence inside a text',
      JSON.stringify({questions: [], tasks: [{...api, prompt: '```json\n{}\n```'}]}),
    ],
  ])('%s', (_, text) => {
    expect(readPlanAnswer('generate', text)).toMatchObject({type: 'operations', operations: [{type: 'add'}]});
  });

  test('with missing fields filled as empty', () => {
    expect(readPlanAnswer('generate', answer)).toEqual({type: 'operations', operations: [added]});
  });
});

describe('every operation of a refine becomes an operation of the plan', () => {
  test.each([
    [
      {op: 'add', task: api, index: 2},
      {type: 'add', task: {...added.task, index: 2}},
    ],
    [{op: 'add', task: api, index: null}, added],
    [
      {op: 'edit', id: 'api', title: 'New', description: null, acceptanceCriteria: [], prompt: null},
      {type: 'edit', taskId: 'api', fields: {title: 'New', acceptanceCriteria: []}},
    ],
    [
      {op: 'move', id: 'api', parentId: null, index: null},
      {type: 'move', taskId: 'api', place: {parentId: null}},
    ],
    [
      {op: 'move', id: 'api', parentId: 'p', index: 0},
      {type: 'move', taskId: 'api', place: {parentId: 'p', index: 0}},
    ],
    [
      {op: 'delete', id: 'api'},
      {type: 'delete', taskId: 'api', cascade: true},
    ],
    [
      {op: 'set_deps', id: 'api', deps: ['b']},
      {type: 'deps', taskId: 'api', deps: ['b']},
    ],
  ])('%j', (given, operation) => {
    const text = JSON.stringify({operations: [given]});
    expect(readPlanAnswer('refine', text)).toEqual({type: 'operations', operations: [operation]});
  });

  test('a status cannot be changed', () => {
    const text = JSON.stringify({operations: [{op: 'edit', id: 'api', title: 'New', status: 'done'}]});
    expect(readPlanAnswer('refine', text)).toEqual({
      type: 'operations',
      operations: [{type: 'edit', taskId: 'api', fields: {title: 'New'}}],
    });
  });
});

test('dependencies keep their reasons', () => {
  const deps = [
    {id: 'b', reason: 'needs it'},
    {id: '__proto__', reason: ' '},
  ];
  expect(readPlanAnswer('deps', JSON.stringify({dependencies: [{id: 'a', deps}]}))).toEqual({
    type: 'operations',
    operations: [{type: 'deps', taskId: 'a', deps: ['b', '__proto__'], depRationale: {b: 'needs it'}}],
  });
});

test('an empty change answers a refine, but not a description', () => {
  expect(readPlanAnswer('refine', '{"operations":[]}')).toEqual({type: 'operations', operations: []});
  expect(readPlanAnswer('deps', '{"dependencies":[]}')).toEqual({type: 'operations', operations: []});
  expect(readPlanAnswer('generate', '{"tasks":[]}')).toMatchObject({type: 'unusable'});
});

test('questions come without empty options', () => {
  const questions = [
    {id: 'db', prompt: 'Which?', options: ['pg', 'mysql']},
    {id: 'who', prompt: 'For whom?', options: []},
  ];
  expect(readPlanAnswer('generate', JSON.stringify({questions}))).toEqual({
    type: 'questions',
    questions: [questions[0], {id: 'who', prompt: 'For whom?'}],
  });
});

describe('an unusable answer reports every problem', () => {
  test.each([
    ['nothing', '', ['it contains no JSON object with "tasks" or "questions"']],
    ['a list', '[1]', ['it contains no JSON object with "tasks" or "questions"']],
    [
      'two answers',
      '{"tasks":[]} {"tasks":[{}]}',
      ['it contains several different answers; send exactly one'],
    ],
    ['too much', 'x'.repeat(planAnswerLimit), ['it is too long']],
    [
      'questions and tasks',
      JSON.stringify({tasks: [api], questions: [{id: 'q', prompt: 'Q?'}]}),
      ['it asks and answers at once: leave "tasks" or "questions" empty'],
    ],
    [
      'a repeated question',
      JSON.stringify({
        questions: [
          {id: 'q', prompt: 'Q?'},
          {id: 'q', prompt: 'R?'},
        ],
      }),
      ['two questions have the id "q"'],
    ],
  ])('%s', (_, text, problems) => {
    expect(readPlanAnswer('generate', text)).toEqual({type: 'unusable', problems});
  });

  test('each field by its path', () => {
    const text = JSON.stringify({tasks: [{id: '', title: 1}, {id: 'b'}]});
    const read = readPlanAnswer('generate', text);
    expect(read.type === 'unusable' && read.problems.map((problem) => problem.split(':')[0])).toEqual([
      'tasks[0].id',
      'tasks[0].title',
      'tasks[1].title',
    ]);
  });

  test('but no more than anyone reads', () => {
    const text = JSON.stringify({tasks: Array.from({length: 60}, () => ({id: 'a'}))});
    const read = readPlanAnswer('generate', text);
    expect(read.type === 'unusable' && [read.problems.length, read.problems.at(-1)]).toEqual([
      51,
      '… and 10 more',
    ]);
  });
});

test('a text of nothing but braces is parsed instantly', () => {
  expect(readPlanAnswer('generate', '{'.repeat(planAnswerLimit - 1))).toMatchObject({type: 'unusable'});
});

test.each(planKinds)(
  'the schema for %s requires every key, has no default and allows nothing else',
  (kind) => {
    const open: unknown[] = [planAnswerSchema(kind)];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (typeof node !== 'object' || node === null) continue;
      if ('properties' in node) {
        const {properties, required} = node as {properties: object; required: string[]};
        expect(Object.keys(properties).sort()).toEqual([...required].sort());
        expect(node).toMatchObject({additionalProperties: false});
      }
      expect(node).not.toHaveProperty('default');
      open.push(...Object.values(node));
    }
  },
);
