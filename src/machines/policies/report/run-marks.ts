import type {RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import {howItFailed, isPassed} from '../run/check-words.ts';
import {isTimeNeeded} from '../run/failure-table.ts';
import {taskOutcome} from '../run/task-outcome.ts';
import {type Bar, questionsIn} from './run-bars.ts';

export const markKinds = ['question', 'decision', 'failure', 'refusal', 'crash', 'commit', 'undo'] as const;
export type MarkKind = (typeof markKinds)[number];

/** An event at one moment. `text` describes it and is untrusted: a question, a failure, a commit. */
export type Mark = {
  readonly run_id: string;
  readonly kind: MarkKind;
  readonly at: string;
  readonly text: string;
};

/** Notable events of a run, oldest first. `bars` are those of the run, `isLive` as for them. */
export function marksOf(run: RunRecord, bars: readonly Bar[], isLive: boolean): Mark[] {
  const mark = (kind: MarkKind, at: string, text: string): Mark => ({run_id: run.run_id, kind, at, text});
  const {commit, decision_state, decision_resolved_at, decision_history = []} = run;
  const end = endOf(run, bars);
  const decisions = [...decision_history, {decision_state, decision_resolved_at}];
  return [
    ...questionsOf(run, bars).map(({at, text}) => mark('question', at, text)),
    ...crashesOf(run, bars, isLive).map((at) => mark('crash', at, 'Blackbird ended unexpectedly')),
    ...(run.refusals ?? []).map(({refused_at, message}) => mark('refusal', refused_at, message)),
    ...decisions.flatMap((each) =>
      each.decision_state === undefined || each.decision_resolved_at === undefined
        ? []
        : [mark('decision', each.decision_resolved_at, decisionWords[each.decision_state])],
    ),
    ...(run.verifications ?? [])
      .filter((check) => !isPassed(check))
      .map((check) => mark('failure', endOfCheck(check), `${check.command}: ${howItFailed(check)}`)),
    ...(isFailure(run) && !isToldByRefusals(run)
      ? [
          isRefused(run)
            ? mark('refusal', run.segments.at(-1)?.ended_at ?? end, run.failure?.message ?? '')
            : mark('failure', end, run.failure?.message ?? ''),
        ]
      : []),
    ...(commit?.sha === undefined ? [] : [mark('commit', decision_resolved_at ?? end, commit.sha)]),
    ...(run.undo ? [mark('undo', run.created_at, run.undo.is_redo ? 'redone' : 'undone')] : []),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const endOfCheck = ({started_at, seconds}: Verification) =>
  new Date(Date.parse(started_at) + seconds * 1000).toISOString();

/** A rejection shows as a decision, a failed check as a check, and a wait as a bar. */
const isFailure = (run: RunRecord): boolean =>
  run.failure !== undefined &&
  run.failure.kind !== 'rejected' &&
  run.failure.kind !== 'verification' &&
  (run.state === 'failed' || ((run.state === 'paused' || run.state === 'waiting') && !isTimeNeeded(run)));

/** When its Blackbirds died: found by a later one, or not found yet. */
function crashesOf({state, created_at}: RunRecord, bars: readonly Bar[], isLive: boolean): string[] {
  const found = bars.filter((bar) => bar.state === 'paused' && bar.text === 'process lost');
  const isLost = state === 'running' && !isLive;
  return [...found.map(({from}) => from), ...(isLost ? [bars.at(-1)?.to ?? created_at] : [])];
}

/** Records of earlier versions have the last refusal only, as a failure. */
const isToldByRefusals = (run: RunRecord): boolean =>
  run.refusals !== undefined && run.state !== 'failed' && isRefused(run);

/** Its agent refused to continue; the run is in its earlier state. */
export const isRefused = (run: RunRecord): boolean => taskOutcome(run).outcome === 'refused';

/** The last moment that something worked on it. */
const endOf = (run: RunRecord, bars: readonly Bar[]): string =>
  bars.findLast(({state}) => state === 'working' || state === 'verifying')?.to ?? run.created_at;

/** Each wait for an answer began with a question; earlier questions are known by their answers. */
function questionsOf(run: RunRecord, bars: readonly Bar[]): Array<{at: string; text: string}> {
  const waits = bars.filter(({state}) => state === 'waiting_answer');
  const asked = (run.answers ?? []).map(({prompt = ''}) => prompt);
  const isAsking = run.state === 'waiting';
  return waits.map(({from}, place) => {
    if (isAsking && place === waits.length - 1) return {at: from, text: questionsIn(run)};
    const isOnly = waits.length === (isAsking ? 2 : 1);
    return {at: from, text: isOnly ? asked.join(' · ') : (asked[place] ?? '')};
  });
}
