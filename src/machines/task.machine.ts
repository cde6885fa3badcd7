import {assign, type DoneActorEvent, sendTo, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import type {RecalledDecision} from './actors/decision.actor.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorOf} from './actors/results.ts';
import type {PreparedRun, PrepareRunInput, RunMode} from './actors/run-situation.ts';
import type {Decision} from './policies/review/decisions.ts';
import {type TaskOutput, taskOutcome} from './policies/run/task-outcome.ts';
import {type ReviewGateInput, type ReviewGateOutput, reviewGateMachine} from './review-gate.machine.ts';
import {type RunOutput, runMachine} from './run.machine.ts';
import type {SegmentCommand} from './segment.machine.ts';

/** What is to be done with a task: a run, or only the checkpoint it stands at. */
export type TaskMode = RunMode | {readonly type: 'review'; readonly decision: Decision | null};

export type TaskInput = {
  readonly taskId: string;
  readonly mode: TaskMode;
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  /** Whether the run ends at a checkpoint; without it, as it began. */
  readonly isReviewed?: boolean;
  /** Somebody is there to decide; else a checkpoint is left open. */
  readonly isAttended?: boolean;
  /** For the engine: parents are done when their review passed; else as soon as their children are. */
  readonly reviewsParents?: boolean;
  /** A pause that was asked for before the task began. */
  readonly pauseReason: PauseReason | null;
};

export type SettleTaskInput = {readonly taskId: string; readonly run: RunRecord};

type TaskContext = TaskInput & {
  task: Pick<Task, 'id' | 'title'>;
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  isPostponed: boolean;
  error: unknown;
};

const pauseRemembered = {type: 'rememberPause', params: pauseOf} as const;
const ended = {type: 'rememberEnd', params: endOf} as const;
const failed = {type: 'rememberError', params: errorOf} as const;

/**
 * One task to its end: prepare, run, pass the checkpoint, and let the plan say what the run says. Requested
 * changes are another run. One run at a time.
 */
export const taskMachine = setup({
  types: {
    input: {} as TaskInput,
    context: {} as TaskContext,
    events: {} as SegmentCommand,
    output: {} as TaskOutput,
  },
  actors: {
    recallDecision: promiseNotProvided<RecalledDecision, {readonly taskId: string}>('recallDecision'),
    prepareRun: promiseNotProvided<PreparedRun, PrepareRunInput>('prepareRun'),
    run: runMachine,
    reviewGate: reviewGateMachine,
    settleTask: promiseNotProvided<void, SettleTaskInput>('settleTask'),
  },
  actions: {
    rememberPrepared: assign((_, params: {prepared: PreparedRun}) => ({
      ...params,
      task: params.prepared.task,
    })),
    rememberRecalled: assign((_, {recalled: {task, run}}: {recalled: RecalledDecision}) => ({
      task,
      ended: {outcome: run.state, run},
    })),
    requestChanges: assign((_, params: {feedback: string}) => ({
      mode: {type: 'resume' as const, answers: [], ...params},
    })),
    postpone: assign({isPostponed: true}),
    rememberEnd: assign((_, params: {ended: RunOutput}) => params),
    rememberError: assign((_, {error}: {error?: unknown}) => ({error})),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    pauseRun: sendTo('run', (_, params: SegmentCommand) => params),
    pauseGate: sendTo('reviewGate', (_, params: SegmentCommand) => params),
  },
  guards: {
    /** Nothing became of it that the plan should know. */
    isVoid: (_, params: {ended: RunOutput}) =>
      params.ended.outcome === 'refused' || params.ended.outcome === 'error',
    isReview: ({context}) => context.mode.type === 'review',
    /** Decided before, by a Blackbird that died: it is carried out, unless somebody decides anew. */
    isUnheard: ({context}, params: {recalled: RecalledDecision}) =>
      params.recalled.unheard !== null && context.mode.type === 'review' && context.mode.decision === null,
    isAtCheckpoint: (_, params: {ended: RunOutput}) => params.ended.run.decision_state === 'pending',
    isPostponed: (_, params: ReviewGateOutput) => params.outcome === 'postponed',
    isUndecidable: (_, params: ReviewGateOutput) => params.outcome === 'error',
    areChangesRequested: (_, params: ReviewGateOutput) => params.run.decision_state === 'changes_requested',
  },
}).createMachine({
  id: 'task',
  context: ({input}) => ({
    ...input,
    task: {id: input.taskId, title: ''},
    ...{prepared: null, ended: null, isPostponed: false, error: undefined},
  }),
  // Remembered: what comes next begins with it, and stops before an agent starts or a person is asked.
  on: {'run.pause': {actions: pauseRemembered}},
  initial: 'routing',
  states: {
    routing: {always: [{guard: 'isReview', target: 'recalling'}, {target: 'preparing'}]},
    recalling: {
      invoke: {
        id: 'recallDecision',
        src: 'recallDecision',
        input: ({context}) => ({taskId: context.taskId}),
        onDone: [
          {
            guard: {type: 'isUnheard', params: ({event}) => ({recalled: event.output})},
            target: 'preparing',
            actions: {type: 'requestChanges', params: ({event}) => ({feedback: event.output.unheard ?? ''})},
          },
          {
            target: 'deciding',
            actions: {type: 'rememberRecalled', params: ({event}) => ({recalled: event.output})},
          },
        ],
        onError: {target: 'done', actions: failed},
      },
    },
    preparing: {
      invoke: {
        id: 'prepareRun',
        src: 'prepareRun',
        input: ({context}) => prepareInput(context),
        onDone: {
          target: 'running',
          actions: {type: 'rememberPrepared', params: ({event}) => ({prepared: event.output})},
        },
        onError: {target: 'done', actions: failed},
      },
    },
    running: {
      on: {
        'run.pause': {
          actions: [pauseRemembered, {type: 'pauseRun', params: ({event}) => event}],
        },
      },
      invoke: {
        id: 'run',
        src: 'run',
        input: ({context}) => runInput(context),
        onDone: [
          {guard: {type: 'isVoid', params: endOf}, target: 'done', actions: ended},
          {guard: {type: 'isAtCheckpoint', params: endOf}, target: 'deciding', actions: ended},
          {target: 'settling', actions: ended},
        ],
        onError: {target: 'done', actions: failed},
      },
    },
    // The plan is not told before: what depends on the task waits for the decision as well.
    deciding: {
      on: {
        'run.pause': {
          actions: [pauseRemembered, {type: 'pauseGate', params: ({event}) => event}],
        },
      },
      invoke: {
        id: 'reviewGate',
        src: 'reviewGate',
        input: ({context}) => gateInput(context),
        onDone: [
          {guard: {type: 'isPostponed', params: outputOf}, target: 'done', actions: 'postpone'},
          {
            guard: {type: 'isUndecidable', params: outputOf},
            target: 'done',
            actions: {type: 'rememberError', params: outputOf},
          },
          {
            guard: {type: 'areChangesRequested', params: outputOf},
            target: 'preparing',
            actions: {type: 'requestChanges', params: changesOf},
          },
          {target: 'settling', actions: {type: 'rememberEnd', params: decidedOf}},
        ],
        onError: {target: 'done', actions: failed},
      },
    },
    settling: {
      invoke: {
        id: 'settleTask',
        src: 'settleTask',
        input: ({context}) => ({taskId: context.taskId, run: endedRun(context)}),
        onDone: 'done',
        onError: {target: 'done', actions: failed},
      },
    },
    done: {type: 'final'},
  },
  output: ({context}) => taskOutcome(context),
});

function prepareInput({taskId, mode, provider, explicitProvider, isReviewed}: TaskContext): PrepareRunInput {
  if (mode.type === 'review') throw new Error('A review without a decision has no run');
  const common = {taskId, mode, provider, explicitProvider};
  return isReviewed === undefined ? common : {...common, isReviewed};
}

function gateInput(context: TaskContext): ReviewGateInput {
  const {task, mode, isAttended = false, pauseReason, explicitProvider} = context;
  return {
    task,
    run: endedRun(context),
    decision: mode.type === 'review' ? mode.decision : null,
    isAttended: isAttended && pauseReason === null,
    explicitProvider,
  };
}

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

function pauseOf({event}: {event: SegmentCommand}) {
  return {pauseReason: event.reason};
}

function outputOf({event}: {event: DoneActorEvent<ReviewGateOutput>}) {
  return event.output;
}

function changesOf({event: {output}}: {event: DoneActorEvent<ReviewGateOutput>}) {
  return {feedback: output.run.decision_feedback ?? ''};
}

function decidedOf({event: {output}}: {event: DoneActorEvent<ReviewGateOutput>}) {
  return {ended: {outcome: output.run.state, run: output.run}};
}
