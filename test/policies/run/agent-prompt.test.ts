import {describe, expect, test} from 'vitest';
import {
  answersPrompt,
  continuePrompt,
  feedbackPrompt,
  finishedDeps,
  relaunchPrompt,
  taskPrompt,
} from '../../../src/machines/policies/run/agent-prompt.ts';
import {askedQuestions} from '../../../src/machines/policies/run/asked-questions.ts';
import {planOf, task} from '../../helpers/plans.ts';

const titles = (prompt: string) => [...prompt.matchAll(/^# (.*)$/gm)].map((match) => match[1]);
const section = (prompt: string, title: string) =>
  prompt
    .split(/^# /m)
    .find((each) => each.startsWith(`${title}\n`))
    ?.slice(title.length + 1)
    .trim();
const bare = {delivered: [], snapshot: null};

describe('the prompt of a task', () => {
  test('has every section, in this order', () => {
    const prompt = taskPrompt({
      task: task('a', {
        title: 'Add a door',
        prompt: 'Build it',
        description: 'Of wood',
        acceptanceCriteria: ['it opens', 'it shuts'],
      }),
      delivered: [
        {id: 'w', title: 'Wall', result: 'a wall\nwith a hole', files: ['wall.ts', 'hole.ts']},
        {id: 'f', title: 'Floor', result: ' ', files: []},
      ],
      snapshot: {file: 'README.md', text: '\nA house.\n'},
    });
    expect(titles(prompt)).toEqual([
      'Task',
      'What to do',
      'Description',
      'Acceptance criteria',
      'Results of the tasks this one depends on',
      'About the project (README.md)',
      'Rules',
    ]);
    expect(section(prompt, 'Task')).toBe('a: Add a door');
    expect(section(prompt, 'What to do')).toBe('Build it');
    expect(section(prompt, 'Description')).toBe('Of wood');
    expect(section(prompt, 'Acceptance criteria')).toBe('- it opens\n- it shuts');
    expect(section(prompt, 'Results of the tasks this one depends on')).toBe(
      '- w: Wall\n  a wall\n  with a hole\n  files: wall.ts, hole.ts\n- f: Floor',
    );
    expect(section(prompt, 'About the project (README.md)')).toBe('A house.');
  });

  test('leaves out empty sections', () => {
    expect(titles(taskPrompt({task: task('a', {prompt: ' '}), ...bare}))).toEqual(['Task', 'Rules']);
    const {prompt: _, description: __, ...least} = task('a');
    expect(titles(taskPrompt({task: least, ...bare}))).toEqual(['Task', 'Rules']);
  });

  test('explains how to ask, in a format that is understood', () => {
    expect(askedQuestions(taskPrompt({task: task('a'), ...bare}))).toEqual([
      {id: 'short-id', prompt: 'your question', options: ['optional', 'choices']},
    ]);
  });

  test.each([
    {length: 12_000, cut: 0},
    {length: 12_001, cut: 1},
    {length: 20_000, cut: 8_000},
  ])('cuts $cut of $length characters about the project', ({length, cut}) => {
    const snapshot = {file: 'README.md', text: 'x'.repeat(length)};
    const about = section(
      taskPrompt({task: task('a'), delivered: [], snapshot}),
      'About the project (README.md)',
    );
    const kept = 'x'.repeat(length - cut);
    expect(about).toBe(cut === 0 ? kept : `${kept}\n[… cut, ${cut} more characters]`);
  });

  test('cuts no character in two', () => {
    const snapshot = {file: 'README.md', text: `${'x'.repeat(11_999)}🐦`};
    const about = section(
      taskPrompt({task: task('a'), delivered: [], snapshot}),
      'About the project (README.md)',
    );
    expect(about).toBe(`${'x'.repeat(11_999)}\n[… cut, 1 more characters]`);
  });

  test.each([
    {length: 1_500, cut: 0},
    {length: 1_501, cut: 1},
  ])("cuts $cut of $length characters of a dependency's result", ({length, cut}) => {
    const delivered = [{id: 'w', title: 'Wall', result: 'x'.repeat(length), files: []}];
    const done = section(
      taskPrompt({task: task('a'), delivered, snapshot: null}),
      'Results of the tasks this one depends on',
    );
    const kept = 'x'.repeat(length - cut);
    expect(done).toBe(`- w: Wall\n  ${kept}${cut === 0 ? '' : `\n  [… cut, ${cut} more characters]`}`);
  });
});

const color = {id: 'color', prompt: 'Which color?'};
const size = {id: 'size', prompt: 'Which size?'};

describe('a resumed session is told', () => {
  test('after a pause only to continue, and nothing it knows', () => {
    expect(continuePrompt()).toBe(
      'You were interrupted. Look at the current state of the files, then continue the task where you left off.',
    );
    expect(continuePrompt([color], [])).toBe(continuePrompt());
  });

  test('after a pause the answers it may not have received', () => {
    const answers = [{id: 'color', value: 'red'}];
    expect(continuePrompt([color, size], answers)).toBe(
      `${continuePrompt()}\n\n# Answers to your questions\n- Which color?\n  red`,
    );
  });

  test('with feedback the changes, the files and the rules', () => {
    const prompt = feedbackPrompt('use tabs', ['a.ts', 'b.ts']);
    expect(titles(prompt)).toEqual(['Requested changes', 'Files you changed', 'Rules']);
    expect(section(prompt, 'Requested changes')).toBe('use tabs');
    expect(section(prompt, 'Files you changed')).toBe('- a.ts\n- b.ts');
    expect(titles(feedbackPrompt('use tabs', []))).toEqual(['Requested changes', 'Rules']);
  });

  test('with answers each question and its latest answer', () => {
    const answers = [
      {id: 'color', value: 'red'},
      {id: 'size', value: 'large\nor so'},
      {id: 'color', value: 'blue'},
    ];
    expect(answersPrompt([color, size], answers)).toBe(
      '# Answers to your questions\n- Which color?\n  blue\n- Which size?\n  large\n  or so\n\n' +
        '# Next\nContinue the task with these answers.',
    );
  });
});

test('a task that asked and has no session is told everything again, with the answers', () => {
  const answers = [{id: 'color', value: 'red'}];
  expect(relaunchPrompt('the task', [color], answers)).toBe(`the task\n\n${answersPrompt([color], answers)}`);
});

test('only dependencies that are done have results', () => {
  const plan = planOf(
    task('a', {deps: ['c', 'b', 'gone', 's']}),
    task('b', {status: 'done'}),
    task('c', {status: 'done'}),
    task('s', {status: 'skipped'}),
    task('d', {status: 'done'}),
  );
  expect(finishedDeps(plan, task('a', {deps: ['c', 'b', 'gone', 's']})).map(({id}) => id)).toEqual([
    'c',
    'b',
  ]);
});
