import {assign, type DoneActorEvent, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {failTo, finalOutput, recordIn} from './chart-parts.ts';
import type {UndoProposal, UndoRequest} from './policies/run/undo.ts';
import {type RunOutput, runMachine} from './run.machine.ts';

export type UndoOutput =
  | {readonly outcome: 'undone'; readonly run: RunRecord; readonly proposal: UndoProposal}
  | {readonly outcome: 'error'; readonly error: unknown};

/** The input of each step of an undo. */
export type UndoStep = {readonly proposal: UndoProposal; readonly run: RunRecord};

type UndoContext = {
  request: UndoRequest;
  proposal: UndoProposal | null;
  run: RunRecord | null;
  error: unknown;
};

const failed = failTo('failed');
/** The record is updated before the error is reported. */
const broken = failTo('recordingFailure');

/**
 * Undoes the change of a task. Refused before anything is touched; then recorded, written, and only then is the task
 * ready again. A crash in between leaves a record that says running: repeating the undo does the rest.
 */
export const undoMachine = setup({
  types: {
    input: {} as UndoRequest,
    context: {} as UndoContext,
    output: {} as UndoOutput,
  },
  actors: {
    /** Throws if it cannot be done. */
    proposeUndo: promiseNotProvided<UndoProposal, UndoRequest>('proposeUndo'),
    recordUndo: promiseNotProvided<RunRecord, {readonly proposal: UndoProposal}>('recordUndo'),
    writeFiles: promiseNotProvided<void, UndoStep>('writeFiles'),
    run: runMachine,
    settleUndo: promiseNotProvided<RunRecord, UndoStep>('settleUndo'),
    recordBrokenUndo: promiseNotProvided<RunRecord, UndoStep & {readonly error: unknown}>('recordBrokenUndo'),
  },
  actions: {
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isRedo: ({context}) => stepIn(context).proposal.isRedo,
    isRefused: (_, {outcome}: RunOutput) => outcome === 'error' || outcome === 'refused',
  },
}).createMachine({
  id: 'undo',
  context: ({input}) => ({request: input, proposal: null, run: null, error: undefined}),
  initial: 'proposing',
  states: {
    proposing: {
      invoke: {
        id: 'proposeUndo',
        src: 'proposeUndo',
        input: ({context}) => context.request,
        onDone: {target: 'recording', actions: assign({proposal: ({event}) => event.output})},
        onError: failed,
      },
    },
    recording: {
      invoke: {
        id: 'recordUndo',
        src: 'recordUndo',
        input: ({context}) => ({proposal: proposalIn(context)}),
        onDone: {target: 'writing', actions: {type: 'rememberRun', params: recordIn}},
        onError: failed,
      },
    },
    writing: {
      invoke: {
        id: 'writeFiles',
        src: 'writeFiles',
        input: ({context}) => stepIn(context),
        onDone: [{guard: 'isRedo', target: 'settling'}, {target: 'replacing'}],
        onError: broken,
      },
    },
    // What its agent knows about the files is no longer true, so the run is marked as replaced.
    replacing: {
      invoke: {
        id: 'undone',
        src: 'run',
        input: ({context}) => {
          const {proposal, run} = stepIn(context);
          const order = {type: 'run.undo', byRunId: run.run_id} as const;
          return {run: proposal.run, order, graceMilliseconds: 0};
        },
        onDone: [
          {
            guard: {type: 'isRefused', params: outputIn},
            target: 'recordingFailure',
            actions: {type: 'rememberError', params: refusalIn},
          },
          {target: 'settling'},
        ],
        onError: broken,
      },
    },
    settling: {
      invoke: {
        id: 'settleUndo',
        src: 'settleUndo',
        input: ({context}) => stepIn(context),
        onDone: {target: 'done', actions: {type: 'rememberRun', params: recordIn}},
        onError: broken,
      },
    },
    // The original error is the one to report.
    recordingFailure: {
      invoke: {
        id: 'recordBrokenUndo',
        src: 'recordBrokenUndo',
        input: ({context}) => ({...stepIn(context), error: context.error}),
        onDone: 'failed',
        onError: 'failed',
      },
    },
    done: {type: 'final', output: ({context}) => ({outcome: 'undone', ...stepIn(context)})},
    failed: {type: 'final', output: ({context: {error}}) => ({outcome: 'error', error})},
  },
  output: finalOutput<UndoOutput>,
});

function proposalIn({proposal}: UndoContext): UndoProposal {
  if (proposal === null) throw new Error('Nothing was proposed yet');
  return proposal;
}

function stepIn(context: UndoContext): UndoStep {
  if (context.run === null) throw new Error('The undo was not recorded yet');
  return {proposal: proposalIn(context), run: context.run};
}

function outputIn({event}: {event: DoneActorEvent<RunOutput>}): RunOutput {
  return event.output;
}

function refusalIn({event: {output}}: {event: DoneActorEvent<RunOutput>}) {
  return {
    error: output.outcome === 'error' ? output.error : new Error(`run ${output.run.run_id} was refused`),
  };
}
