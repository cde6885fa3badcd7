import {decisionWords} from '../../machines/policies/review/checkpoint-choices.ts';
import {programName} from '../../machines/policies/run/agent-program.ts';
import {checkWords, lastChecks} from '../../machines/policies/run/check-words.ts';
import {commitWords} from '../../machines/policies/run/commit-message.ts';
import {failureWords} from '../../machines/policies/run/failure-table.ts';
import {pausedWords} from '../../machines/policies/run/pause-words.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {dollars, duration, usedTokens, workTime} from '../../machines/policies/text/durations.ts';
import type {BrokenRun, RunRecord} from '../../services/contracts/run.ts';
import type {Line} from '../components/lines.tsx';
import {wrapped} from '../text/wrap.ts';
import {runBadge} from './task-state.ts';

/** Every run of a task, latest first: its kind, outcome and links. */
export function historyLines(
  {runs, broken}: {readonly runs: readonly RunRecord[]; readonly broken: readonly BrokenRun[]},
  columns: number,
): Line[] {
  const lines = runs.toReversed().flatMap((run) => [...runLines(run, columns), []]);
  const unusable = broken.flatMap(({file, reason}) =>
    wrapped(`${displayLine(file)} cannot be used: ${displayLine(reason)}`, columns),
  );
  if (lines.length === 0 && unusable.length === 0) return [[{text: 'it has not run yet', dim: true}]];
  return [...lines, ...unusable.map((text): Line => [{text, tone: 'bad'}])];
}

function runLines(run: RunRecord, columns: number): Line[] {
  const [symbol, state, style] = runBadge(run);
  const word = run.state === 'paused' && run.pause_reason ? pausedWords(run.pause_reason) : state;
  const spent = [
    duration(workTime(run)),
    ...(run.usage ? [usedTokens(run.usage)] : []),
    ...(run.usage?.cost_usd === undefined ? [] : [dollars(run.usage.cost_usd)]),
  ];
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    [
      'agent',
      run.undo ? undefined : `${programName(run)}${run.run_type === 'review' ? ', parent review' : ''}`,
    ],
    [run.undo?.is_redo ? 'redo of' : 'undo of', run.undo?.run_ids.join(', ')],
    ['model', [run.model, run.effort].filter(Boolean).join(', ') || undefined],
    ['session', run.undo ? undefined : run.provider_session_ref || '(none)'],
    ['checks', lastChecks(run).map(checkWords).join('  ') || undefined],
    ['decision', decisionOf(run)],
    ...(run.decision_history ?? []).map((earlier) => ['withdrawn', decisionOf(earlier)] as const),
    ['commit', run.commit && commitWords(run.commit)],
    ['resumable', goesOn(run) ? (run.resumable ? 'yes' : 'no') : undefined],
    ['failure', run.failure && failureWords(run.failure)],
    ['resumed from', run.resumed_from_run_id],
    ['restart of', run.restart_of_run_id],
    ['replaced by', run.superseded_by_run_id],
  ];
  return [
    [
      {text: `${symbol} ${word}`, ...style},
      {text: `  ${displayLine(run.run_id)}`, bold: true},
    ],
    [{text: `  ${displayLine(run.created_at.slice(0, 19)).replace('T', ' ')} · ${spent.join(' · ')}`}],
    ...rows.flatMap(([label, value]) =>
      value === undefined
        ? []
        : wrapped(`${label} ${displayLine(value)}`, columns - 2).map(
            (text): Line => [{text: `  ${text}`, dim: true}],
          ),
    ),
  ];
}

/** The user's decision at its checkpoint. */
function decisionOf({
  decision_state: state,
  decision_feedback: feedback = '',
}: Pick<RunRecord, 'decision_state' | 'decision_feedback'>): string | undefined {
  if (state === undefined) return undefined;
  return [decisionWords[state], feedback.trim()].filter((words) => words !== '').join(': ');
}

const goesOn = ({state, run_type, superseded_by_run_id}: RunRecord): boolean =>
  state === 'paused' ||
  state === 'waiting' ||
  (state === 'failed' && run_type === 'execute' && superseded_by_run_id === undefined);
