import {assign, type DoneActorEvent, sendTo, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import type {RecalledDecision} from './actors/decision.actor.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PreparedTask, PrepareRunInput} from './actors/run-situation.ts';
import {
  failTo,
  finalOutput,
  isPauseAsked,
  outputIn,
  type PauseCommand,
  pauseWish,
  recordIn,
} from './chart-parts.ts';
import {noDecision} from './policies/run/run-refusals.ts';
import {
  decisionMode,
  feedbackIn,
  gateInput,
  lastRun,
  preparedRun,
  prepareInput,
  restartInput,
  runInput,
  sentBack as sentBackTo,
  type TaskInput,
  type TaskProgress,
  verificationInput,
} from './policies/run/task-input.ts';
import {type TaskOutput, taskOutcome, unbegunOutcome, withdrawnOutcome} from './policies/run/task-outcome.ts';
import {statusOf} from './policies/run/task-runs.ts';
import {isVerifying, type VerificationOutput} from './policies/run/verification.ts';
import {type ReviewGateOutput, reviewGateMachine} from './review-gate.machine.ts';
import {type RunOutput, runMachine} from './run.machine.ts';
import {verificationMachine} from './verification.machine.ts';

export type {TaskInput};
export type SettleTaskInput = {readonly taskId: string; readonly run: RunRecord};

type TaskContext = TaskProgress & {error: unknown};

const ended = {type: 'rememberRun', params: outputIn} as const;
const prepared = {type: 'rememberPrepared', params: outputIn} as const;
const recalled = {type: 'rememberRecalled', params: outputIn} as const;
const failed = failTo('#task.failed');
const broken = {type: 'rememberError', params: problemIn} as const;
const sentBack = [ended, 'requestChanges'] as const;
const retried = [ended, 'startOver'] as const;

/**
 * One task to its end: prepare, run, check, pass the checkpoint, update the plan. Requested changes are another run;
 * there is one run at a time. A pause request is kept in a parallel region and checked before an agent starts or the
 * user is asked.
 */
export const taskMachine = setup({
  types: {
    input: {} as TaskInput,
    context: {} as TaskContext,
    events: {} as PauseCommand,
    output: {} as TaskOutput,
  },
  actors: {
    recallDecision: promiseNotProvided<RecalledDecision | null, {readonly taskId: string}>('recallDecision'),
    prepareRun: promiseNotProvided<PreparedTask, PrepareRunInput>('prepareRun'),
    run: runMachine,
    verification: verificationMachine,
    reviewGate: reviewGateMachine,
    commitTask: promiseNotProvided<RunRecord, {readonly run: RunRecord}>('commitTask'),
    settleTask: promiseNotProvided<void, SettleTaskInput>('settleTask'),
    /** Undoes the preparation: record, replaced run and plan are as before. */
    withdrawRun: promiseNotProvided<RunRecord, {readonly prepared: PreparedTask}>('withdrawRun'),
  },
  actions: {
    rememberPrepared: assign((_, prepared: PreparedTask) => ({prepared, task: prepared.task})),
    // Feedback at a checkpoint is a decision.
    rememberRecalled: assign(({context: {mode}}, recalled: RecalledDecision | null) =>
      recalled ? {task: recalled.task, run: recalled.run, mode: decisionMode(mode)} : {},
    ),
    requestChanges: assign(({context: {run}}) => ({
      mode: {type: 'resume' as const, answers: [], feedback: run?.decision_feedback ?? ''},
    })),
    startOver: assign({mode: {type: 'restart', isReviewed: true}}),
    rememberRun: assign((_, {run}: {run: RunRecord}) => ({run})),
    rememberRound: assign(({context}, output: VerificationOutput) => sentBackTo(context, output)),
    rememberPause: assign({pauseReason: ({event}) => event.reason}),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isPauseAsked,
    mayDecide: ({context: {mode}}) => mode.type === 'review' || feedbackIn(mode) !== null,
    isOnlyFeedback: ({context: {mode}}, recalled: RecalledDecision | null) =>
      recalled === null && feedbackIn(mode) !== null,
    isNoCheckpoint: (_, recalled: RecalledDecision | null) => recalled === null,
    /** Decided earlier, by a Blackbird that died: it is carried out, unless someone decides again. */
    isUndelivered: ({context: {mode}}, recalled: RecalledDecision | null) =>
      recalled?.undelivered != null && mode.type === 'review' && mode.decision === null,
    isReplacing: (_, params: PreparedTask) => params.replaces !== null,
    isBroken: (_, params: RunOutput | VerificationOutput | ReviewGateOutput) =>
      params.outcome === 'error' || params.outcome === 'refused',
    isWithdrawn: (_, params: RunOutput) => params.outcome === 'withdrawn',
    isToBeVerified: (_, params: RunOutput) => isVerifying(params.run),
    isToBeMended: (_, params: VerificationOutput) => params.outcome === 'sentBack',
    isAtCheckpoint: (_, params: {run: RunRecord}) => params.run.decision_state === 'pending',
    isToBeCommitted: ({context}) => context.commits === true && statusOf(lastRun(context)) === 'done',
    isPostponed: (_, params: ReviewGateOutput) => params.outcome === 'postponed',
    isRetried: (_, params: ReviewGateOutput) => params.outcome === 'retried',
    isSentBack: (_, params: ReviewGateOutput) => params.run.decision_state === 'changes_requested',
  },
}).createMachine({
  id: 'task',
  context: ({input}) => ({
    ...input,
    task: {id: input.taskId, title: ''},
    prepared: null,
    run: null,
    pauseReason: null,
    error: undefined,
  }),
  initial: 'working',
  states: {
    working: {
      type: 'parallel',
      states: {
        wish: pauseWish,
        step: {
          initial: 'routing',
          states: {
            routing: {always: [{guard: 'mayDecide', target: 'recalling'}, {target: 'preparing'}]},
            recalling: {
              invoke: {
                id: 'recallDecision',
                src: 'recallDecision',
                input: ({context: {taskId}}) => ({taskId}),
                onDone: [
                  {guard: {type: 'isOnlyFeedback', params: outputIn}, target: 'sendingBack'},
                  {
                    guard: {type: 'isNoCheckpoint', params: outputIn},
                    target: '#task.failed',
                    actions: assign(({context: {taskId}}) => ({error: noDecision(taskId)})),
                  },
                  {guard: 'isPauseAsked', target: '#task.leftOpen', actions: recalled},
                  {
                    guard: {type: 'isUndelivered', params: outputIn},
                    target: 'preparing',
                    actions: [recalled, 'requestChanges'],
                  },
                  {target: 'deciding', actions: recalled},
                ],
                onError: failed,
              },
            },
            sendingBack: {
              always: [{guard: 'isPauseAsked', target: '#task.unbegun'}, {target: 'preparing'}],
            },
            preparing: {
              invoke: {
                id: 'prepareRun',
                src: 'prepareRun',
                input: ({context}) => prepareInput(context),
                onDone: [
                  {guard: 'isPauseAsked', target: 'withdrawing', actions: prepared},
                  {guard: {type: 'isReplacing', params: outputIn}, target: 'replacing', actions: prepared},
                  {target: 'running', actions: prepared},
                ],
                onError: failed,
              },
            },
            // The new run is on disk: now the old one is marked as replaced.
            replacing: {
              invoke: {
                id: 'replaced',
                src: 'run',
                input: ({context}) => restartInput(context),
                onDone: [
                  {guard: {type: 'isBroken', params: outputIn}, target: 'undoing', actions: broken},
                  {guard: 'isPauseAsked', target: 'withdrawing'},
                  {target: 'running'},
                ],
                onError: failTo('undoing'),
              },
            },
            running: {
              on: {'run.pause': {actions: ['rememberPause', sendTo('run', ({event}) => event)]}},
              invoke: {
                id: 'run',
                src: 'run',
                input: ({context}) => runInput(context),
                onDone: [
                  {guard: {type: 'isBroken', params: outputIn}, target: '#task.failed', actions: broken},
                  {guard: {type: 'isWithdrawn', params: outputIn}, target: 'withdrawing'},
                  {guard: {type: 'isToBeVerified', params: outputIn}, target: 'verifying', actions: ended},
                  {guard: {type: 'isAtCheckpoint', params: outputIn}, target: 'checkpoint', actions: ended},
                  {target: 'concluding', actions: ended},
                ],
                onError: failed,
              },
            },
            // The agent says it is done. A failed check goes back to it, in the same run.
            verifying: {
              on: {'run.pause': {actions: sendTo('verification', ({event}) => event)}},
              invoke: {
                id: 'verification',
                src: 'verification',
                input: ({context}) => verificationInput(context),
                onDone: [
                  {guard: {type: 'isBroken', params: outputIn}, target: '#task.failed', actions: broken},
                  {
                    guard: {type: 'isToBeMended', params: outputIn},
                    target: 'running',
                    actions: {type: 'rememberRound', params: outputIn},
                  },
                  {guard: {type: 'isAtCheckpoint', params: outputIn}, target: 'checkpoint', actions: ended},
                  {target: 'concluding', actions: ended},
                ],
                onError: failed,
              },
            },
            checkpoint: {
              always: [{guard: 'isPauseAsked', target: '#task.leftOpen'}, {target: 'deciding'}],
            },
            // The plan is updated only after the decision, so that dependents wait for it too.
            deciding: {
              on: {'run.pause': {actions: sendTo('reviewGate', ({event}) => event)}},
              invoke: {
                id: 'reviewGate',
                src: 'reviewGate',
                input: ({context}) => gateInput(context),
                onDone: [
                  {guard: {type: 'isBroken', params: outputIn}, target: '#task.failed', actions: broken},
                  {guard: {type: 'isPostponed', params: outputIn}, target: '#task.leftOpen'},
                  {guard: {type: 'isRetried', params: outputIn}, target: 'goingBack', actions: retried},
                  {guard: {type: 'isSentBack', params: outputIn}, target: 'goingBack', actions: sentBack},
                  {target: 'concluding', actions: ended},
                ],
                onError: failed,
              },
            },
            goingBack: {
              always: [{guard: 'isPauseAsked', target: '#task.leftOpen'}, {target: 'preparing'}],
            },
            // Approved, or no approval needed: the commit is recorded before the plan is updated.
            concluding: {always: [{guard: 'isToBeCommitted', target: 'committing'}, {target: 'settling'}]},
            committing: {
              invoke: {
                id: 'commitTask',
                src: 'commitTask',
                input: ({context}) => ({run: lastRun(context)}),
                onDone: {target: 'settling', actions: {type: 'rememberRun', params: recordIn}},
                onError: failed,
              },
            },
            settling: {
              invoke: {
                id: 'settleTask',
                src: 'settleTask',
                input: ({context}) => ({taskId: context.taskId, run: lastRun(context)}),
                onDone: '#task.settled',
                onError: failed,
              },
            },
            withdrawing: {
              invoke: {
                id: 'withdrawRun',
                src: 'withdrawRun',
                input: ({context}) => ({prepared: preparedRun(context)}),
                onDone: {target: '#task.withdrawn', actions: {type: 'rememberRun', params: recordIn}},
                onError: failed,
              },
            },
            // The original error is the one to report.
            undoing: {
              invoke: {
                id: 'undoRun',
                src: 'withdrawRun',
                input: ({context}) => ({prepared: preparedRun(context)}),
                onDone: '#task.failed',
                onError: '#task.failed',
              },
            },
          },
        },
      },
    },
    settled: {type: 'final', output: ({context}) => taskOutcome(lastRun(context))},
    leftOpen: {type: 'final', output: ({context}) => ({outcome: 'decision_required', run: lastRun(context)})},
    unbegun: {type: 'final', output: ({context}) => unbegunOutcome(context)},
    withdrawn: {type: 'final', output: ({context}) => withdrawnOutcome(lastRun(context))},
    failed: {type: 'final', output: ({context: {error}}) => ({outcome: 'error', error})},
  },
  output: finalOutput<TaskOutput>,
});

function problemIn({
  event: {output},
}: {
  event: DoneActorEvent<RunOutput | VerificationOutput | ReviewGateOutput>;
}) {
  return {error: 'error' in output ? output.error : new Error(`run ${output.run.run_id} was refused`)};
}
