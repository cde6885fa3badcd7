import {type ActorRefFrom, assign, setup} from 'xstate';
import type {Answer, Question} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {finalOutput} from './chart-parts.ts';
import {meantAnswer} from './policies/run/asked-questions.ts';

export type QuestionsInput = {readonly questions: readonly Question[]};

export type QuestionsCommand =
  /** An empty value keeps the earlier answer. */
  | {readonly type: 'question.answer'; readonly value: string}
  /** The text so far, not submitted yet. */
  | {readonly type: 'question.draft'; readonly value: string}
  | {readonly type: 'question.back'}
  | {readonly type: 'question.cancel'};

export type QuestionsOutput =
  | {readonly outcome: 'answered'; readonly answers: readonly Answer[]}
  | {readonly outcome: 'canceled'}
  /** The answers could not be read or saved. */
  | {readonly outcome: 'failed'; readonly error: unknown};

type QuestionsContext = QuestionsInput & {
  /** The current question. */
  index: number;
  /** By position of the question; empty if not answered yet. */
  answers: readonly string[];
  error: unknown;
};

/**
 * The questions of a waiting run, one at a time. Only all answers together count, and each is on disk before the next
 * question, so an interrupted user gets them back.
 */
export const questionsMachine = setup({
  types: {
    input: {} as QuestionsInput,
    context: {} as QuestionsContext,
    events: {} as QuestionsCommand,
    output: {} as QuestionsOutput,
    tags: {} as 'actionRequired' | 'loading',
  },
  actors: {
    recallAnswers: promiseNotProvided<readonly string[], QuestionsInput>('recallAnswers'),
    saveAnswers: promiseNotProvided<void, QuestionsInput & {readonly answers: readonly string[]}>(
      'saveAnswers',
    ),
  },
  actions: {
    rememberDraft: assign(({context: {questions, answers, index}}, {value}: {value: string}) => ({
      answers: questions.map((_, place) => (place === index ? value : (answers[place] ?? ''))),
    })),
  },
  delays: {saveDelay: 500},
  guards: {
    hasNone: ({context}) => context.questions.length === 0,
    isAnswer: ({context}, params: {value: string}) => answerMeant(context, params.value) !== '',
    hasNext: ({context}) => context.index < context.questions.length - 1,
    hasPrevious: ({context}) => context.index > 0,
  },
}).createMachine({
  id: 'questions',
  context: ({input}) => ({...input, index: 0, answers: [], error: undefined}),
  initial: 'recalling',
  states: {
    recalling: {
      tags: 'loading',
      always: {guard: 'hasNone', target: 'answered'},
      invoke: {
        id: 'recallAnswers',
        src: 'recallAnswers',
        input: ({context: {questions}}) => ({questions}),
        onDone: {target: 'asking', actions: assign({answers: ({event}) => event.output})},
        onError: {target: 'failed', actions: assign({error: ({event}) => event.error})},
      },
    },
    asking: {
      tags: 'actionRequired',
      initial: 'kept',
      states: {
        kept: {
          on: {
            'question.draft': {target: 'changed', actions: {type: 'rememberDraft', params: draftIn}},
            'question.cancel': '#questions.canceled',
          },
        },
        changed: {
          after: {saveDelay: 'keeping'},
          on: {'question.draft': {actions: {type: 'rememberDraft', params: draftIn}}},
        },
        keeping: {
          invoke: {
            id: 'keepAnswers',
            src: 'saveAnswers',
            input: ({context: {questions, answers}}) => ({questions, answers}),
            onDone: 'kept',
            onError: {target: '#questions.failed', actions: assign({error: ({event}) => event.error})},
          },
          on: {'question.draft': {target: 'changed', actions: {type: 'rememberDraft', params: draftIn}}},
        },
      },
      on: {
        'question.answer': {
          guard: {type: 'isAnswer', params: ({event}) => event},
          target: 'saving',
          actions: assign({
            answers: ({context, event}) =>
              context.questions.map((_, place) =>
                place === context.index ? answerMeant(context, event.value) : (context.answers[place] ?? ''),
              ),
          }),
        },
        'question.back': {
          guard: 'hasPrevious',
          actions: assign({index: ({context}) => context.index - 1}),
        },
        'question.cancel': 'leaving',
      },
    },
    // An unfinished answer is kept too.
    leaving: {
      invoke: {
        id: 'keepLast',
        src: 'saveAnswers',
        input: ({context: {questions, answers}}) => ({questions, answers}),
        onDone: 'canceled',
        onError: {target: 'failed', actions: assign({error: ({event}) => event.error})},
      },
    },
    saving: {
      invoke: {
        id: 'saveAnswers',
        src: 'saveAnswers',
        input: ({context: {questions, answers}}) => ({questions, answers}),
        onDone: [
          {guard: 'hasNext', target: 'asking', actions: assign({index: ({context}) => context.index + 1})},
          {target: 'answered'},
        ],
        onError: {target: 'failed', actions: assign({error: ({event}) => event.error})},
      },
    },
    answered: {
      type: 'final',
      output: ({context}): QuestionsOutput => ({outcome: 'answered', answers: answersOf(context)}),
    },
    canceled: {type: 'final', output: (): QuestionsOutput => ({outcome: 'canceled'})},
    failed: {
      type: 'final',
      output: ({context}): QuestionsOutput => ({outcome: 'failed', error: context.error}),
    },
  },
  output: finalOutput<QuestionsOutput>,
});

export type QuestionsActorRef = ActorRefFrom<typeof questionsMachine>;

function draftIn({event}: {event: Extract<QuestionsCommand, {type: 'question.draft'}>}) {
  return {value: event.value};
}

/** What an answer to the current question means; empty when nothing is said and nothing was. */
function answerMeant({questions, index, answers}: QuestionsContext, value: string): string {
  const question = questions[index];
  if (!question) return '';
  return value.trim() === '' ? (answers[index] ?? '') : meantAnswer(question, value);
}

function answersOf({questions, answers}: QuestionsContext): Answer[] {
  return questions.map(({id}, index) => ({id, value: answers[index] ?? ''}));
}
