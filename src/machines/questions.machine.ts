import {type ActorRefFrom, assign, setup} from 'xstate';
import type {Answer, Question} from '../services/contracts/run.ts';
import {meantAnswer} from './policies/run/asked-questions.ts';

export type QuestionsInput = {readonly questions: readonly Question[]};

export type QuestionsCommand =
  | {readonly type: 'question.answer'; readonly value: string}
  | {readonly type: 'question.back'}
  | {readonly type: 'question.cancel'};

export type QuestionsOutput = {readonly answers: readonly Answer[]} | {readonly canceled: true};

type QuestionsContext = QuestionsInput & {
  /** The question that is asked now. */
  index: number;
  /** By the place of the question; one that was gone back from keeps its answer to be shown. */
  answers: readonly string[];
};

/** The questions of a waiting run, one at a time. Only all of them answered are an answer. */
export const questionsMachine = setup({
  types: {
    input: {} as QuestionsInput,
    context: {} as QuestionsContext,
    events: {} as QuestionsCommand,
    output: {} as QuestionsOutput,
    tags: {} as 'actionRequired',
  },
  actions: {
    rememberAnswer: assign({
      answers: ({context: {questions, index, answers}}, params: {value: string}) => {
        const question = questions[index];
        return question ? answers.toSpliced(index, 1, meantAnswer(question, params.value)) : answers;
      },
    }),
    askNext: assign({index: ({context}) => context.index + 1}),
    askPrevious: assign({index: ({context}) => context.index - 1}),
  },
  guards: {
    hasNone: ({context}) => context.questions.length === 0,
    isLastSaid: ({context}, params: {value: string}) =>
      params.value.trim() !== '' && context.index === context.questions.length - 1,
    isSaid: (_, params: {value: string}) => params.value.trim() !== '',
    hasPrevious: ({context}) => context.index > 0,
  },
}).createMachine({
  id: 'questions',
  context: ({input}) => ({...input, index: 0, answers: []}),
  initial: 'asking',
  states: {
    asking: {
      tags: 'actionRequired',
      always: {guard: 'hasNone', target: 'answered'},
      on: {
        'question.answer': [
          {
            guard: {type: 'isLastSaid', params: ({event}) => event},
            target: 'answered',
            actions: {type: 'rememberAnswer', params: ({event}) => event},
          },
          {
            guard: {type: 'isSaid', params: ({event}) => event},
            actions: [{type: 'rememberAnswer', params: ({event}) => event}, 'askNext'],
          },
        ],
        'question.back': {guard: 'hasPrevious', actions: 'askPrevious'},
        'question.cancel': 'canceled',
      },
    },
    answered: {type: 'final', output: ({context}): QuestionsOutput => ({answers: answersOf(context)})},
    canceled: {type: 'final', output: (): QuestionsOutput => ({canceled: true})},
  },
  output: ({event}) => event.output as QuestionsOutput,
});

export type QuestionsActorRef = ActorRefFrom<typeof questionsMachine>;

function answersOf({questions, answers}: QuestionsContext): Answer[] {
  return questions.map(({id}, index) => ({id, value: answers[index] ?? ''}));
}
