import {assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import {AppError} from '../services/contracts/errors.ts';
import type {PauseReason} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {resumeRefusal} from './policies/resume-check.ts';
import {type StopReason, stopReasonAfter} from './policies/stop-reason.ts';
import {type Attempted, attemptOf, type TaskOutput} from './policies/task-outcome.ts';
import type {SegmentCommand} from './segment.machine.ts';
import {type TaskInput, taskMachine} from './task.machine.ts';

export type ExecutorInput = {
  /** Only these tasks; empty for every ready one. */
  readonly taskIds: readonly string[];
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  /** Every run ends at a checkpoint. */
  readonly isReviewed?: boolean;
  /** Somebody is there to decide; else the first checkpoint stops the plan. */
  readonly isAttended?: boolean;
  readonly pauseReason: PauseReason | null;
};

export type ExecutorCommand = SegmentCommand | {readonly type: 'executor.stopAfterTask'};

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
  /** The task was left at a checkpoint by an earlier execution. */
  isRecalled: boolean;
  /** How many tasks this execution began. */
  begun: number;
  isStopping: boolean;
  reason: StopReason;
  error: unknown;
};

/**
 * The plan loop: first every checkpoint that was left open, then the next ready task, to its end, again,
 * until one stop reason.
 */
export const executorMachine = setup({
  types: {
    input: {} as ExecutorInput,
    context: {} as ExecutorContext,
    events: {} as ExecutorCommand,
    output: {} as ExecutorOutput,
  },
  actors: {
    /** The first task that stands at a checkpoint, or null. */
    findDecision: promiseNotProvided<string | null, void>('findDecision'),
    /** The next ready task of a freshly read plan, or null. */
    selectTask: promiseNotProvided<string | null, SelectTaskInput>('selectTask'),
    task: taskMachine,
  },
  actions: {
    rememberRecalled: assign((_, params: {taskId: string}) => ({...params, isRecalled: true})),
    rememberTask: assign(({context}, params: {taskId: string}) => ({
      ...params,
      isRecalled: false,
      begun: context.begun + 1,
    })),
    rememberAttempt: assign({
      attempted: ({context}, params: {output: TaskOutput}) =>
        'run' in params.output
          ? [...context.attempted, attemptOf(context.taskId, params.output.run)]
          : context.attempted,
      passedOver: [],
    }),
    passOver: assign({
      passedOver: ({context}) => [...context.passedOver, context.taskId],
      begun: ({context}) => context.begun - 1,
    }),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    rememberStop: assign({isStopping: true}),
    stopFor: assign((_, params: {reason: StopReason; error?: unknown}) => params),
    pauseTask: sendTo('task', (_, params: SegmentCommand) => params),
  },
  guards: {
    isPauseAsked: ({context}) => context.pauseReason !== null,
    isEnough: ({context}) =>
      context.isStopping || (context.maxTasks !== null && context.begun >= context.maxTasks),
    isNothing: (_, params: {taskId: string | null}) => params.taskId === null,
    isRecalled: ({context}) => context.isRecalled,
    isOutdated: (_, params: {output: TaskOutput}) =>
      params.output.outcome === 'error' && isPlanEdit(params.output.error),
    endsPlan: ({context}, params: {output: TaskOutput}) => stopReasonAfter(params.output, context) !== null,
  },
}).createMachine({
  id: 'executor',
  context: ({input}) => ({
    ...input,
    attempted: [],
    passedOver: [],
    taskId: '',
    isRecalled: false,
    begun: 0,
    isStopping: false,
    reason: 'completed',
    error: undefined,
  }),
  on: {
    'executor.stopAfterTask': {actions: 'rememberStop'},
    'run.pause': {actions: {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})}},
  },
  initial: 'recalling',
  states: {
    recalling: {
      invoke: {
        id: 'findDecision',
        src: 'findDecision',
        onDone: [
          {guard: {type: 'isNothing', params: ({event}) => ({taskId: event.output})}, target: 'choosing'},
          {
            target: 'working',
            actions: {type: 'rememberRecalled', params: ({event}) => ({taskId: event.output ?? ''})},
          },
        ],
        onError: {target: 'stopped', actions: {type: 'stopFor', params: errorOf}},
      },
    },
    choosing: {
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
        input: ({context}) => taskInput(context),
        onDone: [
          // Somebody changed the plan after it was chosen: the plan as it is now has another one, or none.
          {guard: {type: 'isOutdated', params: outputIn}, target: 'choosing', actions: 'passOver'},
          {
            guard: {type: 'endsPlan', params: outputIn},
            target: 'stopped',
            actions: [
              {type: 'rememberAttempt', params: outputIn},
              {type: 'stopFor', params: stopOf},
            ],
          },
          // There may be other checkpoints that were left open.
          {
            guard: 'isRecalled',
            target: 'recalling',
            actions: {type: 'rememberAttempt', params: outputIn},
          },
          {target: 'choosing', actions: {type: 'rememberAttempt', params: outputIn}},
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

function taskInput({
  taskId,
  isRecalled,
  provider,
  explicitProvider,
  graceMilliseconds,
  isReviewed = false,
  isAttended = false,
  pauseReason,
}: ExecutorContext): TaskInput {
  return {
    taskId,
    mode: isRecalled ? {type: 'review', decision: null} : {type: 'execute'},
    provider,
    explicitProvider,
    graceMilliseconds,
    isReviewed,
    isAttended,
    pauseReason,
  };
}

const isPlanEdit = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'E_TASK_NOT_READY' || error.code === 'E_TASK_NOT_FOUND');

function outputIn({event}: {event: DoneActorEvent<TaskOutput>}) {
  return {output: event.output};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {reason: 'error' as const, error: event.error};
}

function stopOf({context, event: {output}}: {context: ExecutorContext; event: DoneActorEvent<TaskOutput>}) {
  const reason = stopReasonAfter(output, context) ?? 'completed';
  if (output.outcome === 'error') return {reason, error: output.error};
  if (output.outcome !== 'refused') return {reason};
  const task = {id: context.taskId, title: ''};
  return {reason, error: resumeRefusal('E_RESUME_REJECTED', task, output.run, output.reason)};
}
