import {describe, expect, test} from 'vitest';
import {createActor, toPromise} from 'xstate';
import {questionsMachine} from '../../src/machines/questions.machine.ts';
import type {Question} from '../../src/services/contracts/run.ts';
import {unreachedTransitions} from '../helpers/model.ts';

const color: Question = {id: 'color', prompt: 'Which color?', options: ['red', 'blue']};
const name: Question = {id: 'name', prompt: 'Which name?'};
const size: Question = {id: 'size', prompt: 'Which size?', options: ['S', 'M']};

function ask(...questions: readonly Question[]) {
  const actor = createActor(questionsMachine, {input: {questions}});
  const finished = toPromise(actor);
  actor.start();
  return {
    actor,
    finished,
    asked: () => actor.getSnapshot().context.questions[actor.getSnapshot().context.index]?.id,
    answer: (value: string) => actor.send({type: 'question.answer', value}),
    back: () => actor.send({type: 'question.back'}),
    cancel: () => actor.send({type: 'question.cancel'}),
  };
}

describe('an answer', () => {
  test.each([
    {typed: '1', value: 'red', why: 'a number is the place of an option'},
    {typed: ' 2 ', value: 'blue', why: 'spaces around it do not count'},
    {typed: '0', value: '0', why: 'a number beyond the options is free text'},
    {typed: '3', value: '3', why: 'a number beyond the options is free text'},
    {typed: '01', value: 'red', why: 'a number is a number'},
    {typed: '1.5', value: '1.5', why: 'but a fraction is not'},
    {typed: 'blue', value: 'blue', why: 'the words of an option are the option'},
    {typed: 'BLUE', value: 'blue', why: 'in any case'},
    {typed: 'green\nand gold', value: 'green\nand gold', why: 'free text is always taken'},
    {typed: '__proto__', value: '__proto__', why: 'whatever it is'},
  ])('$typed is $value: $why', async ({typed, value}) => {
    const {answer, finished} = ask(color);
    answer(typed);
    expect(await finished).toEqual({answers: [{id: 'color', value}]});
  });

  test('to a question without options is free text, numbers too', async () => {
    const {answer, finished} = ask(name);
    answer('1');
    expect(await finished).toEqual({answers: [{id: 'name', value: '1'}]});
  });

  test.each(['', ' ', '\n\t'])(
    'that says nothing (%j) is refused, and the question is asked again',
    (value) => {
      const {actor, answer, asked} = ask(color, name);
      expect(actor.getSnapshot().can({type: 'question.answer', value})).toBe(false);
      answer(value);
      expect(asked()).toBe('color');
      expect(actor.getSnapshot().context.answers).toEqual([]);
    },
  );
});

describe('questions', () => {
  test('are asked one at a time, in their order, until all are answered', async () => {
    const {actor, answer, asked, finished} = ask(color, name, size);
    expect(actor.getSnapshot().hasTag('actionRequired')).toBe(true);
    expect(asked()).toBe('color');
    answer('2');
    expect(asked()).toBe('name');
    answer('Ada');
    expect(asked()).toBe('size');
    expect(actor.getSnapshot().status).toBe('active');
    answer('M');
    expect(await finished).toEqual({
      answers: [
        {id: 'color', value: 'blue'},
        {id: 'name', value: 'Ada'},
        {id: 'size', value: 'M'},
      ],
    });
  });

  test('that are none are answered', async () => {
    expect(await ask().finished).toEqual({answers: []});
  });
});

describe('going back', () => {
  test('asks the question before again, and its new answer counts', async () => {
    const {actor, answer, asked, back, finished} = ask(color, name);
    answer('red');
    back();
    expect(asked()).toBe('color');
    expect(actor.getSnapshot().context.answers).toEqual(['red']);
    answer('blue');
    answer('Ada');
    expect(await finished).toEqual({
      answers: [
        {id: 'color', value: 'blue'},
        {id: 'name', value: 'Ada'},
      ],
    });
  });

  test('from the first question leads nowhere', () => {
    const {actor, asked, back} = ask(color, name);
    expect(actor.getSnapshot().can({type: 'question.back'})).toBe(false);
    back();
    expect(asked()).toBe('color');
  });
});

test('canceling gives no answer, however many were given', async () => {
  const {answer, cancel, finished} = ask(color, name);
  answer('red');
  cancel();
  expect(await finished).toEqual({canceled: true});
});

test('every transition is reached', () => {
  expect(
    unreachedTransitions(questionsMachine, {
      inputs: [{questions: []}, {questions: [color, name]}],
      payloads: [
        {type: 'question.answer', value: ''},
        {type: 'question.answer', value: 'red'},
      ],
      key: ({context}) => context.index,
    }),
  ).toEqual([]);
});
