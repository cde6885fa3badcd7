import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createActor, toPromise} from 'xstate';
import {draftedQuestions} from '../../src/machines/actors/draft-answers.actor.ts';
import {questionsMachine} from '../../src/machines/questions.machine.ts';
import type {Answer, Question, RunRecord} from '../../src/services/contracts/run.ts';
import {answersDraft, createMemoryDraftStore} from '../fakes/memory-draft-store.ts';
import {settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now} from '../helpers/plans.ts';

const color: Question = {id: 'color', prompt: 'Which color?', options: ['red', 'blue']};
const name: Question = {id: 'name', prompt: 'Which name?'};
const size: Question = {id: 'size', prompt: 'Which size?', options: ['S', 'M']};

type Asked = {
  readonly questions: readonly Question[];
  readonly drafts?: ReturnType<typeof createMemoryDraftStore>;
  readonly given?: readonly Answer[];
  readonly run?: Partial<RunRecord>;
};

async function askAs({questions, drafts = createMemoryDraftStore(), given = [], run}: Asked) {
  const record = {task_id: 'a', run_id: 'a-1', questions: [...questions], ...run};
  const open = questions.filter(({id}) => !given.some((answer) => answer.id === id));
  const machine = draftedQuestions({drafts, run: record, given, now: () => now});
  const actor = createActor(machine, {input: {questions: open}});
  const finished = toPromise(actor);
  const send = async (event: Parameters<typeof actor.send>[0]) => {
    actor.send(event);
    await settle();
  };
  actor.start();
  await settle();
  return {
    actor,
    drafts,
    finished,
    asked: () => actor.getSnapshot().context.questions[actor.getSnapshot().context.index]?.id,
    offered: () => actor.getSnapshot().context.answers[actor.getSnapshot().context.index],
    answer: (value: string) => send({type: 'question.answer', value}),
    back: () => send({type: 'question.back'}),
    cancel: () => send({type: 'question.cancel'}),
  };
}

const ask = (...questions: readonly Question[]) => askAs({questions});

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
    const {answer, finished} = await ask(color);
    await answer(typed);
    expect(await finished).toEqual({outcome: 'answered', answers: [{id: 'color', value}]});
  });

  test('to a question without options is free text, including numbers', async () => {
    const {answer, finished} = await ask(name);
    await answer('1');
    expect(await finished).toEqual({outcome: 'answered', answers: [{id: 'name', value: '1'}]});
  });

  test.each(['', ' ', '\n\t'])(
    'that is empty (%j) is refused, and the question is asked again',
    async (value) => {
      const {actor, answer, asked} = await ask(color, name);
      expect(actor.getSnapshot().can({type: 'question.answer', value})).toBe(false);
      await answer(value);
      expect(asked()).toBe('color');
      expect(actor.getSnapshot().context.answers).toEqual(['', '']);
    },
  );
});

describe('questions', () => {
  test('are asked one at a time, in their order, until all are answered', async () => {
    const {actor, answer, asked, finished} = await ask(color, name, size);
    expect(actor.getSnapshot().hasTag('actionRequired')).toBe(true);
    expect(asked()).toBe('color');
    await answer('2');
    expect(asked()).toBe('name');
    await answer('Ada');
    expect(asked()).toBe('size');
    expect(actor.getSnapshot().status).toBe('active');
    await answer('M');
    expect(await finished).toEqual({
      outcome: 'answered',
      answers: [
        {id: 'color', value: 'blue'},
        {id: 'name', value: 'Ada'},
        {id: 'size', value: 'M'},
      ],
    });
  });

  test('of an empty list are answered', async () => {
    expect(await (await ask()).finished).toEqual({outcome: 'answered', answers: []});
  });
});

describe('going back', () => {
  test('asks the previous question again, and its new answer counts', async () => {
    const {actor, answer, asked, back, finished} = await ask(color, name);
    await answer('red');
    await back();
    expect(asked()).toBe('color');
    expect(actor.getSnapshot().context.answers).toEqual(['red', '']);
    await answer('blue');
    await answer('Ada');
    expect(await finished).toEqual({
      outcome: 'answered',
      answers: [
        {id: 'color', value: 'blue'},
        {id: 'name', value: 'Ada'},
      ],
    });
  });

  test('from the first question does nothing', async () => {
    const {actor, asked, back} = await ask(color, name);
    expect(actor.getSnapshot().can({type: 'question.back'})).toBe(false);
    await back();
    expect(asked()).toBe('color');
  });
});

test('canceling gives no answer, however many were given', async () => {
  const {answer, cancel, finished} = await ask(color, name);
  await answer('red');
  await cancel();
  expect(await finished).toEqual({outcome: 'canceled'});
});

describe('answers that were given before', () => {
  const drafted = async (texts = [{id: 'color', prompt: 'Which color?', text: 'blue'}]) => {
    const drafts = createMemoryDraftStore();
    await drafts.save(answersDraft({texts}));
    return drafts;
  };

  test('are stored before the next question is asked, and after a stop they are offered', async () => {
    const {answer, asked, cancel, drafts} = await ask(color, name);
    await answer('2');
    expect(asked()).toBe('name');
    expect(drafts.list()).toEqual([answersDraft({texts: [{...textOf(color), text: 'blue'}]})]);
    await cancel();

    const again = await askAs({questions: [color, name], drafts});
    expect([again.asked(), again.offered()]).toEqual(['color', 'blue']);
    await again.answer('');
    expect([again.asked(), again.offered()]).toEqual(['name', '']);
    await again.answer('Ada');
    expect(await again.finished).toEqual({
      outcome: 'answered',
      answers: [
        {id: 'color', value: 'blue'},
        {id: 'name', value: 'Ada'},
      ],
    });
  });

  test('can be changed', async () => {
    const {answer, finished} = await askAs({questions: [color], drafts: await drafted()});
    await answer('red');
    expect(await finished).toEqual({outcome: 'answered', answers: [{id: 'color', value: 'red'}]});
  });

  test('are all there after the last one: delivery may fail', async () => {
    const {answer, drafts} = await ask(color, name);
    await answer('red');
    await answer('Ada');
    const texts = [
      {...textOf(color), text: 'red'},
      {...textOf(name), text: 'Ada'},
    ];
    expect(drafts.list()).toEqual([answersDraft({texts})]);
  });

  test('on the command line are stored with those given here, and are not asked for', async () => {
    const given = [{id: 'color', value: 'red'}];
    const {answer, asked, drafts} = await askAs({
      questions: [color, name, size],
      drafts: await drafted(),
      given,
    });
    expect(asked()).toBe('name');
    await answer('Ada');
    const texts = [
      {...textOf(color), text: 'red'},
      {...textOf(name), text: 'Ada'},
    ];
    expect(drafts.list()).toEqual([answersDraft({texts})]);
  });

  test('and recorded by a resume that failed are offered', async () => {
    const heard = {id: 'color', prompt: 'Which color?', value: 'red'};
    const answers = [heard, {...heard, value: 'blue', undelivered: true}];
    expect((await askAs({questions: [color], run: {answers}})).offered()).toBe('blue');
    expect((await askAs({questions: [color], run: {answers: [heard]}})).offered()).toBe('');
  });

  test('to another question with the same id are not offered, and stay', async () => {
    const other = {id: 'color', prompt: 'Of what?', text: 'blue'};
    const {answer, offered, drafts} = await askAs({questions: [color], drafts: await drafted([other])});
    expect(offered()).toBe('');
    await answer('red');
    expect(drafts.list()).toEqual([answersDraft({texts: [other, {...textOf(color), text: 'red'}]})]);
  });

  test('to the same question of an earlier run are offered', async () => {
    const run = {run_id: 'a-2'};
    expect((await askAs({questions: [color], drafts: await drafted(), run})).offered()).toBe('blue');
  });

  test('that cannot be read or stored end the questions with the error', async () => {
    const drafts = createMemoryDraftStore();
    const error = new Error('disk');
    drafts.failNextRead(error);
    expect(await (await askAs({questions: [color], drafts})).finished).toEqual({outcome: 'failed', error});
    const {answer, finished} = await askAs({questions: [color], drafts});
    drafts.failNextSave(error);
    await answer('red');
    expect(await finished).toEqual({outcome: 'failed', error});
  });
});

test.each(['recallAnswers', 'saveAnswers'] as const)('%s has to be provided', async (missing) => {
  const {drafts} = await ask();
  const {recallAnswers} = draftedQuestions({drafts, run: {task_id: 'a', run_id: 'a-1'}, now: () => now})
    .implementations.actors;
  const machine =
    missing === 'recallAnswers'
      ? questionsMachine
      : questionsMachine.provide({actors: {recallAnswers} as never});
  const actor = createActor(machine, {input: {questions: [color]}});
  const finished = toPromise(actor);
  actor.start();
  await settle();
  if (missing === 'saveAnswers') actor.send({type: 'question.answer', value: 'red'});
  expect(await finished).toEqual({
    outcome: 'failed',
    error: new Error(`Actor "${missing}" was not provided`),
  });
});

const textOf = ({id, prompt}: Question) => ({id, prompt});

describe('half an answer', () => {
  const typed = async (drafts = createMemoryDraftStore()) => {
    const asked = await askAs({questions: [color, name], drafts});
    await asked.answer('red');
    asked.actor.send({type: 'question.draft', value: 'Black'});
    return asked;
  };

  test('is on disk half a second after its first key', async () => {
    const {drafts, actor, answer} = await askAs({questions: [color, name]});
    await answer('red');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    actor.send({type: 'question.draft', value: 'Black'});
    await vi.advanceTimersByTimeAsync(499);
    expect(drafts.list()[0]?.texts.map(({text}) => text)).toEqual(['red']);
    actor.send({type: 'question.draft', value: 'Blackb'});
    await vi.advanceTimersByTimeAsync(1);
    expect(drafts.list()[0]?.texts.map(({text}) => text)).toEqual(['red', 'Blackb']);
  });

  test('typed while the disk is slow is on disk half a second later', async () => {
    const drafts = createMemoryDraftStore();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const saved: string[] = [];
    const slow: typeof drafts = {
      ...drafts,
      save: async (draft) => {
        if (saved.push(draft.texts.map(({text}) => text).join()) === 1) await held;
        await drafts.save(draft);
      },
    };
    const {actor} = await askAs({questions: [name], drafts: slow});
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    actor.send({type: 'question.draft', value: 'Black'});
    await vi.advanceTimersByTimeAsync(500);
    actor.send({type: 'question.draft', value: 'Blackbird'});
    release();
    await vi.advanceTimersByTimeAsync(500);
    expect(saved).toEqual(['Black', 'Blackbird']);
  });

  test.each(['while it is typed', 'when the questions are left'] as const)(
    'that cannot be stored %s ends them with the error',
    async (when) => {
      const drafts = createMemoryDraftStore();
      const {actor, cancel, finished} = await askAs({questions: [name], drafts});
      const error = new Error('disk');
      drafts.failNextSave(error);
      if (when === 'while it is typed') {
        vi.useFakeTimers();
        onTestFinished(() => void vi.useRealTimers());
      }
      actor.send({type: 'question.draft', value: 'Black'});
      if (when === 'while it is typed') await vi.advanceTimersByTimeAsync(500);
      else await cancel();
      expect(actor.getSnapshot().status).toBe('done');
      expect(await finished).toEqual({outcome: 'failed', error});
    },
  );

  test('is on disk when the questions are left, and offered the next time', async () => {
    const {drafts, cancel, finished} = await typed();
    await cancel();
    expect(await finished).toEqual({outcome: 'canceled'});
    const again = await askAs({questions: [color, name], drafts});
    expect(again.actor.getSnapshot().context.answers).toEqual(['red', 'Black']);
  });

  test('stays while an earlier question is answered again', async () => {
    const {back, answer, offered} = await typed();
    await back();
    await answer('blue');
    expect(offered()).toBe('Black');
  });

  test('that is erased leaves no draft', async () => {
    const drafts = createMemoryDraftStore();
    const {actor, cancel} = await askAs({questions: [name], drafts});
    actor.send({type: 'question.draft', value: 'x'});
    actor.send({type: 'question.draft', value: ''});
    await cancel();
    expect(drafts.list()).toEqual([]);
  });
});

test('every transition is reached', () => {
  expect(
    unreachedTransitions(questionsMachine, {
      inputs: [{questions: []}, {questions: [color, name]}],
      payloads: [
        {type: 'xstate.done.actor.recallAnswers', output: ['', '']},
        {type: 'question.draft', value: 'x'},
        {type: 'question.answer', value: ''},
        {type: 'question.answer', value: 'red'},
      ],
      key: ({context}) => context.index,
    }),
  ).toEqual([]);
});
