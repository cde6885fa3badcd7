import {diffCounts} from '../../machines/policies/plan/plan-diff-lines.ts';
import {isBlocking} from '../../machines/policies/plan/plan-lint.ts';
import type {PlanPreview} from '../../machines/policies/planning/check-proposal.ts';
import {hintLine} from '../components/hint-line.tsx';
import {type Line, Lines, lineOf} from '../components/lines.tsx';
import {selectedAfter, selectKeys} from '../components/select.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap, notNow} from '../keymap.ts';
import {type PreviewRow, previewDetail, previewRowLine, previewRows} from '../model/plan-preview.ts';
import {cutLine, lineWidth} from '../model/styled-lines.ts';
import {wrapped} from '../text/wrap.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

/** Narrower than this the detail stands below the tree. */
const besideTree = 90;

type State = {readonly index: number; readonly top: number};
type Outcome =
  | 'accept'
  | 'revise'
  | 'drop'
  | 'later'
  | 'takeBack'
  | {readonly type: 'edit' | 'leaveOut'; readonly row: PreviewRow};
type Run = (state: State, key: string, rows: readonly PreviewRow[]) => Step<State, Outcome>;

const scrollBy =
  (by: number): Run =>
  (state) => ({state: {...state, top: Math.max(0, state.top + by)}});
const over =
  (outcome: Outcome): Run =>
  (state) => ({state, outcome});
const onRow =
  (type: 'edit' | 'leaveOut'): Run =>
  (state, _, rows) => {
    const row = rows[state.index];
    return row ? {state, outcome: {type, row}} : {state};
  };
type Facts = [row: PreviewRow | undefined];

/** Nothing that acts is behind Enter. */
const keymap: Keymap<Run, Facts> = [
  {id: 'proposal.accept', keys: ['y'], label: 'save', hint: 'first', run: over('accept')},
  {id: 'proposal.revise', keys: ['r'], label: 'revise', hint: 'first', run: over('revise')},
  {
    id: 'proposal.edit',
    keys: ['i'],
    label: 'edit task',
    hint: 'first',
    refusal: (row) => (row && row.mark !== '-' ? null : notNow),
    run: onRow('edit'),
  },
  {
    id: 'proposal.leaveOut',
    keys: ['x'],
    label: 'leave out',
    hint: 'first',
    refusal: (row) => (row?.mark === '+' ? null : notNow),
    run: onRow('leaveOut'),
  },
  {id: 'proposal.takeBack', keys: ['z'], label: 'take back', hint: 'first', run: over('takeBack')},
  {id: 'proposal.drop', keys: ['D'], label: 'discard', hint: 'first', run: over('drop')},
  {id: 'proposal.later', keys: ['escape'], label: 'later', hint: 'first', run: over('later')},
  {id: 'proposal.down', keys: ['pagedown', 'space', 'ctrl+d'], label: 'page', hint: 'more', run: scrollBy(8)},
  {id: 'proposal.up', keys: ['pageup', 'b', 'ctrl+u'], label: 'page up', run: scrollBy(-8)},
  {
    id: 'proposal.move',
    keys: selectKeys,
    label: 'move',
    hint: 'more',
    shown: 2,
    run: (state, key, rows) => {
      const items = rows.map(({title}) => ({label: title}));
      return {state: {index: selectedAfter(items, state.index, key) ?? state.index, top: 0}};
    },
  },
];

/** What a planner proposes: the tree of it, and beside it what was found in the selected task. */
export function PlanReviewDialog({columns, rows: height}: DialogSize) {
  const {answers} = useTui();
  const [{planning}] = useTuiState();
  const question = planning?.question ?? null;
  const preview = question?.preview ?? null;
  const rows = preview ? previewRows(preview) : [];
  const {state} = useStepper<State, Outcome>({
    initial: () => ({index: startIndex(rows, planning?.selectedId ?? null), top: 0}),
    step: (before, {name}) =>
      bindingOf(keymap, name, rows[before.index])?.run(before, name, rows) ?? {state: before},
    onOutcome: (outcome) => {
      if (outcome === 'takeBack') answers.takeBackProposed();
      else if (typeof outcome === 'string') answers.decidePlan(outcome);
      else if (outcome.type === 'edit') answers.editProposed(outcome.row.id);
      else answers.leaveOutProposed(outcome.row.id);
    },
  });
  if (!question) return null;
  if (!preview) return <Lines lines={outdated(columns)} />;
  const room = Math.max(3, height - 3);
  const selected = rows[state.index];
  return (
    <Lines
      lines={[
        headLine(preview, columns),
        [],
        ...(columns >= besideTree
          ? beside(preview, rows, state, columns, room)
          : below(preview, rows, state, columns, room)),
        hintLine(hintsOf(keymap, selected), columns),
      ]}
    />
  );
}

/** What it would change is not in the plan any more as the planner saw it. */
const outdated = (columns: number): Line[] => [
  lineOf(' The proposal no longer fits the plan', {tone: 'warning', bold: true}),
  [],
  ...wrapped(
    'What it would change was changed since. Revise it, discard it, or leave it for later.',
    columns - 2,
  ).map((text) => lineOf(` ${text}`)),
  [],
  hintLine(hintsOf(keymap, undefined), columns),
];

/** The task that was edited; else the first that changes. */
function startIndex(rows: readonly PreviewRow[], selectedId: string | null): number {
  const known = rows.findIndex(({id}) => id === selectedId);
  return known >= 0
    ? known
    : Math.max(
        0,
        rows.findIndex(({mark}) => mark !== ' '),
      );
}

function headLine({diff, findings}: PlanPreview, columns: number): Line {
  const blocking = findings.filter(isBlocking).length;
  const others = findings.length - blocking;
  return cutLine(
    [
      {text: ` Proposed: ${diffCounts(diff)}`, bold: true},
      ...(blocking > 0 ? [{text: `   ${blocking} blocking`, tone: 'bad', bold: true} as const] : []),
      ...(others > 0 ? [{text: `   ${others} to look at`, tone: 'warning'} as const] : []),
    ],
    columns,
  );
}

function treeOf(rows: readonly PreviewRow[], index: number, columns: number, height: number): Line[] {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), rows.length - height));
  const seen = rows.slice(top, top + height);
  return seen.map((row, place) => previewRowLine(row, top + place === index, columns));
}

function detailOf(
  preview: PlanPreview,
  row: PreviewRow | undefined,
  top: number,
  columns: number,
  height: number,
) {
  const lines = previewDetail(preview, row, columns);
  const from = Math.max(0, Math.min(top, lines.length - height));
  return lines.slice(from, from + height);
}

function beside(
  preview: PlanPreview,
  rows: readonly PreviewRow[],
  {index, top}: State,
  columns: number,
  height: number,
) {
  const left = Math.floor(columns * 0.45);
  const tree = treeOf(rows, index, left - 2, height);
  const detail = detailOf(preview, rows[index], top, columns - left - 2, height);
  return Array.from({length: height}, (_, place): Line => {
    const line = tree[place] ?? [];
    return [...line, {text: ' '.repeat(Math.max(0, left - lineWidth(line)))}, ...(detail[place] ?? [])];
  });
}

function below(
  preview: PlanPreview,
  rows: readonly PreviewRow[],
  {index, top}: State,
  columns: number,
  height: number,
) {
  const upper = Math.min(rows.length, Math.max(2, Math.floor(height / 2) - 1));
  const tree = treeOf(rows, index, columns - 1, upper);
  const rest = Math.max(1, height - upper - 1);
  const detail = detailOf(preview, rows[index], top, columns - 2, rest).map(
    (line): Line => [{text: ' '}, ...line],
  );
  return [...tree, [], ...detail, ...Array.from({length: rest - detail.length}, (): Line => [])];
}
