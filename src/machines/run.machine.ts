import {assign, enqueueActions, sendTo, setup, stateIn} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {failTo, finalOutput, outputIn, type PauseCommand, recordIn} from './chart-parts.ts';
import {
  type ApprovalObstacle,
  preparedHere,
  type RunCircumstances,
  runGuards,
  type SessionObstacle,
} from './policies/run/run-circumstances.ts';
import {type RunOrder, recordStep, segmentInput} from './policies/run/run-order.ts';
import type {SegmentOutput} from './policies/run/run-step.ts';
import type {AgentTimes} from './policies/run/silence.ts';
import {isVerifying} from './policies/run/verification.ts';
import {segmentMachine} from './segment.machine.ts';

/** The commands for a run; sending it back means giving it feedback. */
export type RunCommand = {readonly type: RunOrder['type']} | PauseCommand;

export type RunInput = AgentTimes & {
  readonly run: RunRecord;
  /** Carried out as soon as the state of the record is reached. */
  readonly order: RunOrder | null;
  /** By default those of a run that this process prepared. */
  readonly circumstances?: RunCircumstances;
};

export type RunOutput = {readonly run: RunRecord} & (
  | {readonly outcome: RunRecord['state']}
  /** Paused before its agent was released: it is in its earlier state. */
  | {readonly outcome: 'withdrawn'}
  | {readonly outcome: 'refused'; readonly obstacle: SessionObstacle | ApprovalObstacle}
  | {readonly outcome: 'error'; readonly error: unknown}
);

/** For parents: how it ended, and the error if it broke. */
export const endedBy = (ended: RunOutput) => ({
  ended,
  error: ended.outcome === 'error' ? ended.error : undefined,
});

type RunContext = RunInput & Required<Pick<RunInput, 'circumstances'>> & {error: unknown};

const remembered = {type: 'rememberRun', params: recordIn} as const;
const ordered = ({context: {run, order}}: {context: RunContext}) => ({run, step: recordStep(order)});
const ended = {type: 'rememberSegment', params: outputIn} as const;
const failed = failTo('failed');
/** What keeps an agent from continuing the work, and from doing so in its own session. */
const inPlace = [
  {guard: 'isOtherProgram', target: '#run.otherProgram'},
  {guard: 'isOtherFolder', target: '#run.otherFolder'},
] as const;
const inStoredSession = [
  {guard: 'isForeignSession', target: '#run.foreignSession'},
  {guard: 'isUnsavedSession', target: '#run.unsavedSession'},
] as const;
const hasNoSession = {guard: 'hasNoSession', target: '#run.noSession'} as const;
const inSession = [...inPlace, hasNoSession, ...inStoredSession] as const;
/** Checks need no session. */
const unchecked = {guard: 'isUnchecked', target: '#run.recordingRelaunch'} as const;
const resumable = [...inPlace, unchecked, hasNoSession, ...inStoredSession] as const;
/** A record of the Go program is never rewritten: a new run continues its session. */
const goingOn = [{guard: 'isGoRun', target: '#run.continued'}, {target: '#run.recordingRelaunch'}] as const;
const replaced = [{guard: 'isGoRun', target: '#run.superseded'}, {target: '#run.recordingLink'}] as const;
const replaceable = {'run.restart': replaced, 'run.undo': replaced} as const;

const withdrawal = [
  {guard: 'isUnapproved', target: '#run.impossible'},
  {guard: 'isCommitted', target: '#run.committed'},
  {guard: 'isBuiltOn', target: '#run.builtOn'},
  {target: '#run.recordingDecision'},
] as const;

const runSetup = setup({
  types: {
    input: {} as RunInput,
    context: {} as RunContext,
    events: {} as RunCommand,
    output: {} as RunOutput,
  },
  actors: {
    segment: segmentMachine,
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
  },
  guards: runGuards,
}).extend({
  guards: {
    isWithdrawn: (_, {outcome}: SegmentOutput) => outcome === 'withdrawn',
    isBroken: (_, {outcome}: SegmentOutput) => outcome === 'error',
    /** No agent is launched: the caller runs the checks. */
    isVerifying: (_, {run}: {run: RunRecord}) => isVerifying(run),
    isPauseAsked: stateIn({recordingRelaunch: 'unwanted'}),
  },
  actions: {
    obeyOrder: enqueueActions(({context, enqueue}) => {
      if (context.order) enqueue.raise({type: context.order.type});
    }),
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberSegment: assign((_, {outcome: _outcome, ...params}: SegmentOutput) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
});

/**
 * The whole life of one run, across processes. Rebuilt from its record, it starts in the state of the record and
 * accepts exactly the commands that are possible there. An agent is alive only in `running`.
 */
export const runMachine = runSetup.createMachine({
  id: 'run',
  context: ({input}) => ({circumstances: preparedHere, ...input, error: undefined}),
  entry: 'obeyOrder',
  initial: 'resting',
  states: {
    resting: {
      initial: 'routing',
      // A command that the current state does not accept is refused at once.
      on: {
        'run.launch': 'impossible',
        'run.resume': 'impossible',
        'run.answer': 'impossible',
        'run.sendBack': 'impossible',
        'run.restart': 'impossible',
        'run.retry': 'impossible',
        'run.undo': 'impossible',
        'review.decide': 'impossible',
        'review.withdraw': 'impossible',
      },
      states: {
        routing: {
          always: [
            {guard: 'isReplaced', target: '#run.superseded'},
            {guard: 'isOwn', target: 'launchable'},
            {guard: 'isTurn', target: 'planned'},
            {guard: 'isReview', target: 'reviewed'},
            {guard: 'isOwnerGone', target: 'lost'},
            {guard: 'isRunning', target: 'busy'},
            {guard: 'isPaused', target: 'paused'},
            {guard: 'isWaiting', target: 'waiting'},
            {guard: 'isAtCheckpoint', target: 'decisionPending'},
            {target: 'ended'},
          ],
        },
        launchable: {on: {'run.launch': '#run.running'}},
        // Another Blackbird is working on it, or it is a review: nothing can be done with it from here.
        busy: {},
        reviewed: {},
        planned: {
          on: {
            'run.sendBack': [
              {guard: 'isSessionRejected', target: '#run.noSession'},
              ...inSession,
              {target: '#run.continued'},
            ],
          },
        },
        // Its Blackbird died: it is repaired by whoever continues it.
        lost: {
          on: {
            'run.resume': [...resumable, ...goingOn],
            ...replaceable,
            'run.retry': '#run.released',
          },
        },
        paused: {
          on: {
            'run.resume': [...resumable, ...goingOn],
            'run.sendBack': [...inSession, ...goingOn],
            ...replaceable,
            'run.retry': {guard: 'isProcessLost', target: '#run.released'},
          },
        },
        waiting: {
          on: {
            // Without a session the whole prompt is sent again, with the answers.
            'run.answer': [
              ...inPlace,
              {guard: 'hasNoSession', target: 'relaunchable'},
              ...inStoredSession,
              ...goingOn,
            ],
            'run.sendBack': [...inSession, ...goingOn],
            ...replaceable,
          },
        },
        relaunchable: {always: goingOn},
        decisionPending: {
          on: {
            'review.decide': '#run.recordingDecision',
            'run.sendBack': [...inSession, {target: '#run.continued'}],
            'run.restart': replaced,
          },
        },
        ended: {
          on: {
            'run.sendBack': [...inSession, {target: '#run.continued'}],
            ...replaceable,
            'run.retry': {guard: 'hasFailed', target: '#run.released'},
            'review.withdraw': withdrawal,
          },
        },
      },
    },
    recordingDecision: {
      invoke: {
        id: 'recordDecision',
        src: 'recordRun',
        input: ordered,
        onDone: {target: 'settled', actions: remembered},
        onError: failed,
      },
    },
    recordingLink: {
      invoke: {
        id: 'recordLink',
        src: 'recordRun',
        input: ordered,
        onDone: {target: 'superseded', actions: remembered},
        onError: failed,
      },
    },
    recordingRelaunch: {
      initial: 'wanted',
      states: {wanted: {on: {'run.pause': 'unwanted'}}, unwanted: {}},
      invoke: {
        id: 'recordRelaunch',
        src: 'recordRun',
        input: ordered,
        onDone: [
          {guard: 'isPauseAsked', target: 'withdrawing', actions: remembered},
          {guard: {type: 'isVerifying', params: recordIn}, target: 'settled', actions: remembered},
          {target: 'running', actions: remembered},
        ],
        onError: failed,
      },
    },
    withdrawing: {
      invoke: {
        id: 'recordWithdrawal',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'withdrawn'}}),
        onDone: {target: 'withdrawn', actions: remembered},
        onError: failed,
      },
    },
    running: {
      on: {'run.pause': {actions: sendTo('segment', ({event}) => event)}},
      invoke: {
        id: 'segment',
        src: 'segment',
        input: ({context}) => segmentInput(context),
        onDone: [
          {guard: {type: 'isBroken', params: outputIn}, target: 'failed', actions: ended},
          {guard: {type: 'isWithdrawn', params: outputIn}, target: 'withdrawn', actions: ended},
          {target: 'settled', actions: ended},
        ],
        onError: failed,
      },
    },
    settled: {type: 'final', output: asRecorded},
    withdrawn: {type: 'final', output: ({context: {run}}) => ({outcome: 'withdrawn', run})},
    failed: {type: 'final', output: ({context: {run, error}}) => ({outcome: 'error', run, error})},
    // Another run continues: in its session, in its place, or when its task is selected again.
    continued: {type: 'final', output: asRecorded},
    superseded: {type: 'final', output: asRecorded},
    released: {type: 'final', output: asRecorded},
    impossible: {type: 'final', output: ({context}) => impossible(context)},
    otherProgram: {type: 'final', output: refusal('otherProgram')},
    otherFolder: {type: 'final', output: refusal('otherFolder')},
    committed: {type: 'final', output: refusal('committed')},
    builtOn: {type: 'final', output: refusal('builtOn')},
    noSession: {type: 'final', output: refusal('noSession')},
    foreignSession: {type: 'final', output: refusal('foreignSession')},
    unsavedSession: {type: 'final', output: refusal('unsavedSession')},
  },
  output: finalOutput<RunOutput>,
});

function asRecorded({context: {run}}: {context: RunContext}): RunOutput {
  return {outcome: run.state, run};
}

function refusal(obstacle: SessionObstacle | ApprovalObstacle) {
  return ({context: {run}}: {context: RunContext}): RunOutput => ({outcome: 'refused', run, obstacle});
}

function impossible({run, order}: RunContext): RunOutput {
  const error = new Error(`run ${run.run_id} is ${run.state} and cannot take ${order?.type}`);
  return {outcome: 'error', run, error};
}
