import {assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import type {PauseReason, RunRecord, RunState} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PreparedRun, PrepareRunInput, TaskMode} from './actors/prepare-run.actor.ts';
import {isUnheard} from './policies/run-status.ts';
import {type RunOutput, runMachine} from './run.machine.ts';
import type {SegmentCommand} from './segment.machine.ts';

export type TaskInput = {
  readonly taskId: string;
  readonly mode: TaskMode;
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  /** A pause that was asked for before the task began. */
  readonly pauseReason: PauseReason | null;
};

export type TaskOutput =
  | {readonly outcome: Exclude<RunState, 'running'>; readonly run: RunRecord}
  /** The provider would not go on with its session; the run stands where it stood. */
  | {readonly outcome: 'refused'; readonly run: RunRecord; readonly reason: string}
  | {readonly outcome: 'error'; readonly error: unknown};

export type SettleTaskInput = {readonly taskId: string; readonly run: RunRecord};

type TaskContext = TaskInput & {
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  error: unknown;
};

/** One task to its end: prepare, run, and let the plan say what the run says. One run at a time. */
export const taskMachine = setup({
  types: {
    input: {} as TaskInput,
    context: {} as TaskContext,
    events: {} as SegmentCommand,
    output: {} as TaskOutput,
  },
  actors: {
    prepareRun: promiseNotProvided<PreparedRun, PrepareRunInput>('prepareRun'),
    run: runMachine,
    settleTask: promiseNotProvided<void, SettleTaskInput>('settleTask'),
  },
  actions: {
    rememberPrepared: assign((_, params: {prepared: PreparedRun}) => params),
    rememberEnd: assign((_, params: {ended: RunOutput}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    pauseRun: sendTo('run', (_, params: SegmentCommand) => params),
  },
  guards: {
    isRefused: (_, params: {ended: RunOutput}) => params.ended.outcome === 'refused',
    isBroken: (_, params: {ended: RunOutput}) => params.ended.outcome === 'error',
  },
}).createMachine({
  id: 'task',
  context: ({input}) => ({...input, prepared: null, ended: null, error: undefined}),
  initial: 'preparing',
  states: {
    preparing: {
      // Remembered: the run begins with it and stops before its agent starts.
      on: {
        'run.pause': {actions: {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})}},
      },
      invoke: {
        id: 'prepareRun',
        src: 'prepareRun',
        input: ({context: {taskId, mode, provider, explicitProvider}}) => ({
          taskId,
          mode,
          provider,
          explicitProvider,
        }),
        onDone: {
          target: 'running',
          actions: {type: 'rememberPrepared', params: ({event}) => ({prepared: event.output})},
        },
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    running: {
      on: {'run.pause': {actions: {type: 'pauseRun', params: ({event}) => event}}},
      invoke: {
        id: 'run',
        src: 'run',
        input: ({context}) => runInput(context),
        onDone: [
          {
            guard: {type: 'isRefused', params: endOf},
            target: 'done',
            actions: {type: 'rememberEnd', params: endOf},
          },
          {
            guard: {type: 'isBroken', params: endOf},
            target: 'done',
            actions: {type: 'rememberEnd', params: endOf},
          },
          {target: 'settling', actions: {type: 'rememberEnd', params: endOf}},
        ],
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    settling: {
      invoke: {
        id: 'settleTask',
        src: 'settleTask',
        input: ({context}) => ({taskId: context.taskId, run: endedRun(context)}),
        onDone: 'done',
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    done: {type: 'final'},
  },
  output: ({context}) => outputOf(context),
});

function runInput({prepared, graceMilliseconds, pauseReason}: TaskContext) {
  if (prepared === null) throw new Error('A run must be prepared before it runs');
  return {run: prepared.run, order: prepared.order, graceMilliseconds, pauseReason};
}

function endedRun({ended}: TaskContext): RunRecord {
  if (ended === null) throw new Error('No run has ended');
  return ended.run;
}

function endOf({event}: {event: DoneActorEvent<RunOutput>}) {
  return {ended: event.output};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {error: event.error};
}

function outputOf({ended, error}: TaskContext): TaskOutput {
  if (error !== undefined || ended === null) return {outcome: 'error', error};
  const {outcome, run, reason = ''} = ended;
  if (outcome === 'error') return {outcome, error: ended.error};
  if (outcome === 'refused') return {outcome, run, reason};
  if (outcome === 'running')
    return {outcome: 'error', error: new Error(`run ${run.run_id} ended without an outcome`)};
  // Its agent would not go on: the record is back where it was, with the reason on it.
  if (run.failure && (outcome === 'paused' || outcome === 'waiting')) {
    return {outcome: 'refused', run, reason: run.failure.message};
  }
  // Feedback that nobody heard: its own run failed, the task stands as the run before says.
  if (isUnheard(run)) return {outcome: 'refused', run, reason: run.failure?.message ?? ''};
  return {outcome, run};
}
