import {and, assign, type DoneActorEvent, setup, stateIn} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, failTo, finalOutput, type PauseCommand} from './chart-parts.ts';
import type {Decision} from './policies/review/decisions.ts';
import {type RunInput, type RunOutput, runMachine} from './run.machine.ts';

export type ReviewGateInput = {
  readonly task: Pick<Task, 'id' | 'title'>;
  /** The run that ended at this checkpoint. */
  readonly run: RunRecord;
  /** Decided before anyone was asked. */
  readonly decision: Decision | null;
  /** Someone is there to decide. */
  readonly isAttended: boolean;
  readonly explicitProvider: ProviderId | null;
};

export type ReviewGateCommand =
  | {readonly type: 'review.decide'; readonly decision: Decision}
  /** Another run replaces this one, without a decision about it. */
  | {readonly type: 'review.retry'}
  | {readonly type: 'review.postpone'}
  | PauseCommand;

/** `run` includes the decision, once there is one. */
export type ReviewGateOutput = {readonly run: RunRecord} & (
  | {readonly outcome: 'decided' | 'retried' | 'postponed'}
  | {readonly outcome: 'error'; readonly error: unknown}
);

/** The question for the user. */
export type DecisionRequest = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  /** Why changes cannot be requested; null if they can. */
  readonly obstacle: string | null;
  /** Why the previous decision was refused; undefined the first time. */
  readonly refusal: unknown;
};

export type AskDecisionInput = Omit<DecisionRequest, 'obstacle'> & Pick<ReviewGateInput, 'explicitProvider'>;

export type CheckDecisionInput = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  readonly decision: Decision;
  readonly explicitProvider: ProviderId | null;
};

type ReviewGateContext = ReviewGateInput & {refusal: unknown; error: unknown};

const failed = failTo('failed');

/**
 * The checkpoint after a run. There are three ways out: a decision on disk, another run that replaces this one, or the
 * question left open. A decision that cannot be carried out is refused before it is recorded.
 */
export const reviewGateMachine = setup({
  types: {
    input: {} as ReviewGateInput,
    context: {} as ReviewGateContext,
    events: {} as ReviewGateCommand,
    output: {} as ReviewGateOutput,
  },
  actors: {
    /** Lets someone answer while the question is open. */
    askDecision: callbackNotProvided<ReviewGateCommand, AskDecisionInput>('askDecision'),
    /** The same question, answered in another terminal. */
    receiveDecision: callbackNotProvided<ReviewGateCommand, Pick<CheckDecisionInput, 'task' | 'run'>>(
      'receiveDecision',
    ),
    checkDecision: promiseNotProvided<Decision, CheckDecisionInput>('checkDecision'),
    /** The run itself accepts the decision and records it. */
    run: runMachine,
  },
  actions: {
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberRefusal: assign((_, {error}: {error: unknown}) => ({refusal: error})),
  },
  guards: {
    isDecided: ({context}) => context.decision !== null,
    isAttended: ({context}) => context.isAttended,
    isAbandoned: stateIn({checkingDecision: 'abandoned'}),
    isBroken: (_, params: RunOutput) => params.outcome === 'error',
  },
}).createMachine({
  id: 'reviewGate',
  context: ({input}) => ({...input, refusal: undefined, error: undefined}),
  initial: 'routing',
  states: {
    routing: {
      always: [
        {guard: 'isDecided', target: 'checkingDecision'},
        {guard: 'isAttended', target: 'asking'},
        {target: 'postponed'},
      ],
    },
    asking: {
      invoke: [
        {
          id: 'askDecision',
          src: 'askDecision',
          input: ({context: {task, run, refusal, explicitProvider}}) => ({
            task,
            run,
            refusal,
            explicitProvider,
          }),
          onError: failed,
        },
        {
          id: 'receiveDecision',
          src: 'receiveDecision',
          input: ({context: {task, run}}) => ({task, run}),
          onError: failed,
        },
      ],
      on: {
        'review.decide': {
          target: 'checkingDecision',
          actions: assign({decision: ({event}) => event.decision}),
        },
        'review.retry': 'retried',
        'review.postpone': 'postponed',
        'run.pause': 'postponed',
      },
    },
    // A pause does not revoke a decision, but one that is refused afterwards is not asked for again.
    checkingDecision: {
      initial: 'awaited',
      states: {awaited: {on: {'run.pause': 'abandoned'}}, abandoned: {}},
      invoke: {
        id: 'checkDecision',
        src: 'checkDecision',
        input: ({context}) => checkInput(context),
        onDone: {target: 'recordingDecision', actions: assign({decision: ({event}) => event.output})},
        onError: [
          {guard: and(['isAttended', 'isAbandoned']), target: 'postponed'},
          {guard: 'isAttended', target: 'asking', actions: {type: 'rememberRefusal', params: errorIn}},
          failed,
        ],
      },
    },
    recordingDecision: {
      invoke: {
        id: 'decidedRun',
        src: 'run',
        input: ({context}) => decideInput(context),
        onDone: [
          {
            guard: {type: 'isBroken', params: ({event}) => event.output},
            target: 'failed',
            actions: {type: 'rememberError', params: errorOfRun},
          },
          {target: 'decided', actions: assign(({event}) => ({run: event.output.run}))},
        ],
        onError: failed,
      },
    },
    decided: {type: 'final', output: ({context: {run}}) => ({outcome: 'decided', run})},
    retried: {type: 'final', output: ({context: {run}}) => ({outcome: 'retried', run})},
    postponed: {type: 'final', output: ({context: {run}}) => ({outcome: 'postponed', run})},
    failed: {type: 'final', output: ({context: {run, error}}) => ({outcome: 'error', run, error})},
  },
  output: finalOutput<ReviewGateOutput>,
});

function checkInput({task, run, decision, explicitProvider}: ReviewGateContext): CheckDecisionInput {
  if (decision === null) throw new Error('Nothing was decided');
  return {task, run, decision, explicitProvider};
}

function decideInput({run, decision}: ReviewGateContext): RunInput {
  if (decision === null) throw new Error('Nothing was decided');
  return {run, order: {type: 'review.decide', decision}, graceMilliseconds: 0};
}

function errorOfRun({event: {output}}: {event: DoneActorEvent<RunOutput>}) {
  return {error: output.outcome === 'error' ? output.error : undefined};
}
