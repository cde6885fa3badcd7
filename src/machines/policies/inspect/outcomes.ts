import type {InspectedEntry, JournalValue} from '../../../services/contracts/journal.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {failureTable} from '../run/failure-table.ts';
import {taskOutcome} from '../run/task-outcome.ts';

/** The state or outcome of something. Every view shows it as a symbol, a word and a colour. */
const outcomeKinds = [
  'working',
  'waiting',
  'paused',
  'succeeded',
  'failed',
  /** It refused a request; nothing was lost. */
  'refused',
  /** Ended, with nothing to report. */
  'ended',
  /** Its Blackbird died before it ended. */
  'lost',
] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export type Outcome = {
  readonly kind: OutcomeKind;
  /** A more specific word than the kind, or the kind itself. */
  readonly word: string;
};

export const outcomeSymbols = {
  working: '●',
  waiting: '?',
  paused: 'Ⅱ',
  succeeded: '✓',
  failed: '✗',
  refused: '⊘',
  ended: '■',
  lost: '↯',
} as const satisfies Record<OutcomeKind, string>;

type Fields = {readonly [key: string]: JournalValue};

/** The outcome that a journal entry reports, of its actor or of a child that ended. */
export function outcomeOfEntry(entry: InspectedEntry): Outcome | null {
  const {event, status, state} = entry;
  if (event.type.startsWith('xstate.done.actor.')) return outcomeOfOutput(event.output);
  if (event.type.startsWith('xstate.error.actor.')) return failed(errorWord(event.error));
  if (status === 'active') return null;
  if (status === 'error') return failed('error');
  return status === 'stopped' ? {kind: 'ended', word: 'stopped'} : outcomeOfFinal(state);
}

/** For an actor without reported output: its final state says most of it. */
export function outcomeOfFinal(state: JournalValue): Outcome {
  const word = typeof state === 'string' ? state : '';
  return known(finalStates, word) ?? {kind: 'ended', word: word === '' ? 'ended' : word};
}

const finalStates: Readonly<Record<string, Outcome>> = {
  failed: {kind: 'failed', word: 'failed'},
  broken: {kind: 'failed', word: 'failed'},
  impossible: {kind: 'refused', word: 'impossible'},
  paused: {kind: 'paused', word: 'paused'},
  withdrawn: {kind: 'paused', word: 'withdrawn'},
  leftOpen: {kind: 'waiting', word: 'decision left open'},
  postponed: {kind: 'waiting', word: 'decision left open'},
  required: {kind: 'waiting', word: 'feedback waits'},
  undecided: {kind: 'waiting', word: 'a person judges'},
  held: {kind: 'waiting', word: 'held up'},
};

/** The outcome of an actor, from the output it gave its parent. */
export function outcomeOfOutput(output: JournalValue | undefined): Outcome | null {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return null;
  const fields = output as Fields;
  const {outcome, reason, run, error} = fields;
  if (typeof outcome === 'string') return known(outcomes, outcome) ?? outcomeOfRun(run, outcome, error);
  return typeof reason === 'string' ? (known(stopReasons, reason) ?? {kind: 'ended', word: reason}) : null;
}

const known = (table: Readonly<Record<string, Outcome>>, name: string): Outcome | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Outcomes that are clear from the word alone. */
const outcomes: Readonly<Record<string, Outcome>> = {
  decision_required: {kind: 'waiting', word: 'waits for a decision'},
  withdrawn: {kind: 'paused', word: 'withdrawn'},
  notBegun: {kind: 'paused', word: 'not begun'},
  postponed: {kind: 'waiting', word: 'decision left open'},
  retried: {kind: 'ended', word: 'to be tried again'},
  settled: {kind: 'succeeded', word: 'settled'},
  required: {kind: 'waiting', word: 'feedback waits'},
  undecided: {kind: 'waiting', word: 'a person judges'},
  held: {kind: 'waiting', word: 'held up'},
  answered: {kind: 'succeeded', word: 'answered'},
  undone: {kind: 'succeeded', word: 'undone'},
  attached: {kind: 'succeeded', word: 'attached'},
  ready: {kind: 'succeeded', word: 'ready'},
};

const stopReasons: Readonly<Record<string, Outcome>> = {
  completed: {kind: 'succeeded', word: 'completed'},
  paused: {kind: 'paused', word: 'paused'},
  waiting_user: {kind: 'waiting', word: 'waits for answers'},
  decision_required: {kind: 'waiting', word: 'waits for a decision'},
  parent_review_required: {kind: 'waiting', word: 'feedback waits'},
  failed: {kind: 'failed', word: 'failed'},
  error: {kind: 'failed', word: 'error'},
};

/** A run in an output is the record at that time, without its texts. */
function outcomeOfRun(
  run: JournalValue | undefined,
  outcome: string,
  error: JournalValue | undefined,
): Outcome {
  if (outcome === 'error') return failed(errorWord(error));
  if (typeof run !== 'object' || run === null) return {kind: 'ended', word: outcome};
  return outcome === 'refused' ? refusedRun(run as Fields) : runOutcome(run as unknown as RunRecord);
}

const refusedRun = ({failure}: Fields): Outcome => ({
  kind: 'refused',
  word: failureWord(failure) ?? 'refused',
});

/** The outcome of a run according to its record. */
export function runOutcome(run: RunRecord): Outcome {
  const {state, failure, pause_reason: reason, decision_state: decision} = run;
  switch (state) {
    case 'running':
      return {kind: 'working', word: run.phase ?? 'running'};
    case 'waiting':
    case 'paused':
      if (taskOutcome(run).outcome === 'refused')
        return {kind: 'refused', word: failureWord(failure) ?? 'refused'};
      if (state === 'waiting') return {kind: 'waiting', word: 'waits for answers'};
      return {
        kind: reason === 'process_lost' ? 'lost' : 'paused',
        word: (reason ?? 'paused').replaceAll('_', ' '),
      };
    case 'succeeded':
      return decisionOutcome(decision) ?? {kind: 'succeeded', word: 'succeeded'};
    case 'failed':
      return decision === 'pending' ? undecided : failed(failureWord(failure) ?? 'failed');
    default:
      return {kind: 'ended', word: typeof state === 'string' ? state : 'ended'};
  }
}

const undecided: Outcome = {kind: 'waiting', word: 'waits for a decision'};

function decisionOutcome(decision: RunRecord['decision_state']): Outcome | null {
  if (decision === 'pending') return undecided;
  return decision === 'changes_requested' ? {kind: 'waiting', word: 'changes requested'} : null;
}

const failed = (word: string): Outcome => ({kind: 'failed', word});

function failureWord(failure: unknown): string | null {
  if (typeof failure !== 'object' || failure === null || !('kind' in failure)) return null;
  const {kind} = failure;
  if (typeof kind !== 'string') return null;
  return Object.hasOwn(failureTable, kind)
    ? failureTable[kind as keyof typeof failureTable].words
    : kind.replaceAll('_', ' ');
}

function errorWord(error: JournalValue | undefined): string {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return 'error';
  const {code, $error} = error as Fields;
  return typeof code === 'string' ? code : typeof $error === 'string' ? $error : 'error';
}

/** States in which a live actor only waits: for a person, or for the clock. */
const waits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reviewGate: {asking: 'waits for a decision'},
  retryWait: {waiting: 'waits for its time'},
  questions: {asking: 'waits for an answer'},
  handOver: {offered: 'waits for the other terminal', taken: 'waits for the other terminal'},
};

export function waitOf({machine, state}: Pick<InspectedEntry, 'machine' | 'state'>): Outcome | null {
  const name = typeof state === 'string' ? state : Object.keys((state as object | null) ?? {})[0];
  const word = Object.hasOwn(waits, machine) && name !== undefined ? waits[machine]?.[name] : undefined;
  return word === undefined ? null : {kind: 'waiting', word};
}
