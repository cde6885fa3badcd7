import {assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import {AppError} from '../services/contracts/errors.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {isHopeless, type StopReason} from './policies/stop-reason.ts';
import type {SegmentCommand} from './segment.machine.ts';
import {type TaskOutput, taskMachine} from './task.machine.ts';

export type ExecutorInput = {
  /** Only these tasks; empty for every ready one. */
  readonly taskIds: readonly string[];
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  readonly pauseReason: PauseReason | null;
};

export type ExecutorCommand = SegmentCommand | {readonly type: 'executor.stopAfterTask'};

/** What the end of a job tells of a task; records are too large to be kept for every one. */
export type Attempted = {readonly taskId: string} & Pick<
  RunRecord,
  'state' | 'resumable' | 'failure' | 'questions'
>;

export type ExecutorOutput = {
  readonly reason: StopReason;
  readonly attempted: readonly Attempted[];
  readonly error?: unknown;
};

export type SelectTaskInput = {readonly taskIds: readonly string[]; readonly attempted: readonly string[]};

type ExecutorContext = ExecutorInput & {
  attempted: readonly Attempted[];
  /** Chosen, and changed before they began. Looked at again once another task has run. */
  passedOver: readonly string[];
  taskId: string;
  isStopping: boolean;
  reason: StopReason;
  error: unknown;
};

/** The plan loop: the next ready task, to its end, again, until one stop reason. */
export const executorMachine = setup({
  types: {
    input: {} as ExecutorInput,
    context: {} as ExecutorContext,
    events: {} as ExecutorCommand,
    output: {} as ExecutorOutput,
  },
  actors: {
    /** The next ready task of a freshly read plan, or null. */
    selectTask: promiseNotProvided<string | null, SelectTaskInput>('selectTask'),
    task: taskMachine,
  },
  actions: {
    rememberTask: assign((_, params: {taskId: string}) => params),
    rememberAttempt: assign({
      attempted: ({context}, params: {output: TaskOutput}) =>
        'run' in params.output
          ? [...context.attempted, attemptOf(context.taskId, params.output.run)]
          : context.attempted,
      passedOver: [],
    }),
    passOver: assign({passedOver: ({context}) => [...context.passedOver, context.taskId]}),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    rememberStop: assign({isStopping: true}),
    stopFor: assign((_, params: {reason: StopReason; error?: unknown}) => params),
    pauseTask: sendTo('task', (_, params: SegmentCommand) => params),
  },
  guards: {
    isPauseAsked: ({context}) => context.pauseReason !== null,
    isEnough: ({context}) =>
      context.isStopping || (context.maxTasks !== null && context.attempted.length >= context.maxTasks),
    isNothing: (_, params: {taskId: string | null}) => params.taskId === null,
    endedAs: (_, params: {output: TaskOutput; outcome: TaskOutput['outcome']}) =>
      params.output.outcome === params.outcome,
    isOutdated: (_, params: {output: TaskOutput}) =>
      params.output.outcome === 'error' && isPlanEdit(params.output.error),
    endsPlan: ({context}, params: {output: TaskOutput}) =>
      params.output.outcome === 'failed' && (context.stopOnFailure || isHopeless(params.output.run)),
  },
}).createMachine({
  id: 'executor',
  context: ({input}) => ({
    ...input,
    attempted: [],
    passedOver: [],
    taskId: '',
    isStopping: false,
    reason: 'completed',
    error: undefined,
  }),
  on: {
    'executor.stopAfterTask': {actions: 'rememberStop'},
    'run.pause': {actions: {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})}},
  },
  initial: 'deciding',
  states: {
    deciding: {
      always: [
        {guard: 'isPauseAsked', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'paused'}}},
        {guard: 'isEnough', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'completed'}}},
        {target: 'selecting'},
      ],
    },
    selecting: {
      invoke: {
        id: 'selectTask',
        src: 'selectTask',
        input: ({context}) => ({
          taskIds: context.taskIds,
          attempted: [...context.attempted.map(({taskId}) => taskId), ...context.passedOver],
        }),
        onDone: [
          {
            guard: {type: 'isNothing', params: ({event}) => ({taskId: event.output})},
            target: 'stopped',
            actions: {type: 'stopFor', params: {reason: 'completed'}},
          },
          // Between two tasks a pause stops before the next one.
          {guard: 'isPauseAsked', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'paused'}}},
          {
            target: 'working',
            actions: {type: 'rememberTask', params: ({event}) => ({taskId: event.output ?? ''})},
          },
        ],
        onError: {target: 'stopped', actions: {type: 'stopFor', params: errorOf}},
      },
    },
    working: {
      on: {
        // Remembered as well: a task that ends before it hears of it is the last one all the same.
        'run.pause': {
          actions: [
            {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})},
            {type: 'pauseTask', params: ({event}) => event},
          ],
        },
      },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({context: {taskId, provider, explicitProvider, graceMilliseconds}}) => ({
          taskId,
          mode: {type: 'execute'},
          provider,
          explicitProvider,
          graceMilliseconds,
          pauseReason: null,
        }),
        onDone: [
          {
            guard: {type: 'endedAs', params: ({event}) => ({output: event.output, outcome: 'paused'})},
            target: 'stopped',
            actions: [
              {type: 'rememberAttempt', params: outputIn},
              {type: 'stopFor', params: {reason: 'paused'}},
            ],
          },
          {
            guard: {type: 'endedAs', params: ({event}) => ({output: event.output, outcome: 'waiting'})},
            target: 'stopped',
            actions: [
              {type: 'rememberAttempt', params: outputIn},
              {type: 'stopFor', params: {reason: 'waiting_user'}},
            ],
          },
          // Somebody changed the plan after it was chosen: the plan as it is now has another one, or none.
          {guard: {type: 'isOutdated', params: outputIn}, target: 'deciding', actions: 'passOver'},
          {
            guard: {type: 'endedAs', params: ({event}) => ({output: event.output, outcome: 'error'})},
            target: 'stopped',
            actions: {type: 'stopFor', params: taskErrorOf},
          },
          {
            guard: {type: 'endsPlan', params: outputIn},
            target: 'stopped',
            actions: [
              {type: 'rememberAttempt', params: outputIn},
              {type: 'stopFor', params: {reason: 'failed'}},
            ],
          },
          {target: 'deciding', actions: {type: 'rememberAttempt', params: outputIn}},
        ],
        onError: {target: 'stopped', actions: {type: 'stopFor', params: errorOf}},
      },
    },
    stopped: {type: 'final'},
  },
  output: ({context: {reason, attempted, error}}) => ({
    reason,
    attempted,
    ...(error === undefined ? {} : {error}),
  }),
});

function attemptOf(taskId: string, {state, resumable, failure, questions}: RunRecord): Attempted {
  return {taskId, state, resumable, ...(failure && {failure}), ...(questions && {questions})};
}

const isPlanEdit = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'E_TASK_NOT_READY' || error.code === 'E_TASK_NOT_FOUND');

function outputIn({event}: {event: DoneActorEvent<TaskOutput>}) {
  return {output: event.output};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {reason: 'error' as const, error: event.error};
}

function taskErrorOf({event: {output}}: {event: DoneActorEvent<TaskOutput>}) {
  return {reason: 'error' as const, error: output.outcome === 'error' ? output.error : undefined};
}
