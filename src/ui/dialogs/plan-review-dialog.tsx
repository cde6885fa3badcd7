import {diffCounts} from '../../machines/policies/plan/plan-diff-lines.ts';
import {isBlocking} from '../../machines/policies/plan/plan-lint.ts';
import type {PlanPreview} from '../../machines/policies/planning/check-proposal.ts';
import {hintLine} from '../components/hint-line.tsx';
import {type Line, Lines, lineOf} from '../components/lines.tsx';
import {position} from '../components/scroll.ts';
import {selectedAfter, selectKeys} from '../components/select.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap, notNow} from '../keymap.ts';
import {type PreviewRow, previewDetail, previewRowLine, previewRows} from '../model/plan-preview.ts';
import {justifyLine, lineWidth} from '../model/styled-lines.ts';
import {wrapped} from '../text/wrap.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

/** On narrower screens the detail goes below the tree. */
const besideTree = 90;

type State = {readonly index: number; readonly top: number};
type Outcome =
  | 'accept'
  | 'revise'
  | 'drop'
  | 'later'
  | 'takeBack'
  | {readonly type: 'edit' | 'leaveOut'; readonly row: PreviewRow};
type Run = (state: State, key: string, rows: readonly PreviewRow[], room: Room) => Step<State, Outcome>;
/** The number of lines of the selected task, and how many are visible. */
type Room = {readonly count: number; readonly height: number};

const page =
  (by: 1 | -1): Run =>
  (state, _, __, {count, height}) => {
    const top = Math.min(count - height, state.top + by * Math.max(1, height - 1));
    return {state: {...state, top: Math.max(0, top)}};
  };
const over =
  (outcome: Outcome): Run =>
  (state) => ({state, outcome});
const onRow =
  (type: 'edit' | 'leaveOut'): Run =>
  (state, _, rows) => {
    const row = rows[state.index];
    return row ? {state, outcome: {type, row}} : {state};
  };
type Facts = [facts: {readonly row: PreviewRow | undefined; readonly isEdited: boolean; readonly room: Room}];
const whenLonger = ({room: {count, height}}: Facts[0]) => (count > height ? null : notNow);

/** Enter triggers no action here. */
const keymap: Keymap<Run, Facts> = [
  {id: 'proposal.accept', keys: ['y'], label: 'save', hint: 'first', short: 'save', run: over('accept')},
  {
    id: 'proposal.revise',
    keys: ['r'],
    label: 'revise',
    hint: 'first',
    short: 'revise',
    run: over('revise'),
  },
  {
    id: 'proposal.edit',
    keys: ['i'],
    label: 'edit task',
    hint: 'first',
    short: 'edit',
    refusal: ({row}) => (row && row.mark !== '-' ? null : notNow),
    run: onRow('edit'),
  },
  {
    id: 'proposal.leaveOut',
    keys: ['x'],
    label: 'leave out',
    hint: 'first',
    short: 'omit',
    refusal: ({row}) => (row?.mark === '+' ? null : notNow),
    run: onRow('leaveOut'),
  },
  {
    id: 'proposal.down',
    keys: ['space', 'pagedown', 'ctrl+d'],
    label: 'read on',
    hint: 'first',
    short: 'more',
    refusal: whenLonger,
    run: page(1),
  },
  {id: 'proposal.later', keys: ['escape'], label: 'later', hint: 'first', short: 'later', run: over('later')},
  {
    id: 'proposal.takeBack',
    keys: ['z'],
    label: 'take back',
    hint: 'first',
    short: 'undo',
    refusal: ({isEdited}) => (isEdited ? null : notNow),
    run: over('takeBack'),
  },
  {id: 'proposal.drop', keys: ['D'], label: 'discard', hint: 'first', short: 'discard', run: over('drop')},
  {
    id: 'proposal.up',
    keys: ['pageup', 'b', 'ctrl+u'],
    label: 'page up',
    refusal: whenLonger,
    run: page(-1),
  },
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

/** A planner's proposal: its tree, and the findings of the selected task beside it. */
export function PlanReviewDialog({columns, rows: height}: DialogSize) {
  const {answers} = useTui();
  const [{planning}] = useTuiState();
  const question = planning?.question ?? null;
  const preview = question?.preview ?? null;
  const rows = preview ? previewRows(preview) : [];
  const frame = frameOf(columns, height, rows.length);
  const detailOf = (row: PreviewRow | undefined) =>
    preview ? previewDetail(preview, row, frame.detailColumns) : [];
  const factsAt = (index: number): Facts[0] => ({
    row: rows[index],
    isEdited: (question?.draft.edits?.length ?? 0) > 0,
    room: {count: detailOf(rows[index]).length, height: frame.detailRows},
  });
  const {state} = useStepper<State, Outcome>({
    initial: () => ({index: startIndex(rows, planning?.selectedId ?? null), top: 0}),
    step: (before, {name}) => {
      const facts = factsAt(before.index);
      return bindingOf(keymap, name, facts)?.run(before, name, rows, facts.room) ?? {state: before};
    },
    onOutcome: (outcome) => {
      if (outcome === 'takeBack') answers.takeBackProposed(rows[state.index]?.id ?? null);
      else if (typeof outcome === 'string') answers.decidePlan(outcome);
      else if (outcome.type === 'edit') answers.editProposed(outcome.row.id);
      else answers.leaveOutProposed(outcome.row.id, neighbourOf(rows, outcome.row));
    },
  });
  if (!question) return null;
  const facts = factsAt(state.index);
  if (!preview) return <Lines lines={outdated(facts, columns)} />;
  const {count} = facts.room;
  const top = Math.max(0, Math.min(state.top, count - frame.detailRows));
  const detail = detailOf(facts.row).slice(top, top + frame.detailRows);
  const tree = treeOf(rows, state.index, frame.treeColumns, frame.treeRows);
  return (
    <Lines
      lines={[
        headLine(preview, position({top, left: 0}, count, frame.detailRows), columns),
        [],
        ...(frame.isBeside
          ? beside(tree, detail, columns, frame.detailRows)
          : below(tree, detail, frame.detailRows)),
        hintLine(hintsOf(keymap, facts), columns),
      ]}
    />
  );
}

/** The next task that remains when one is removed with everything below it; else the previous one. */
function neighbourOf(rows: readonly PreviewRow[], row: PreviewRow): string | null {
  const at = rows.indexOf(row);
  const next = rows.slice(at + 1).find(({depth}) => depth <= row.depth);
  return (next ?? rows[at - 1])?.id ?? null;
}

/** The plan has changed since the planner read it. */
const outdated = (facts: Facts[0], columns: number): Line[] => [
  lineOf(' The proposal no longer fits the plan', {tone: 'warning', bold: true}),
  [],
  ...wrapped(
    'What it would change was changed since. Revise it, discard it, or leave it for later.',
    columns - 2,
  ).map((text) => lineOf(` ${text}`)),
  [],
  hintLine(hintsOf(keymap, facts), columns),
];

/** The edited task; else the first that changes. */
function startIndex(rows: readonly PreviewRow[], selectedId: string | null): number {
  const known = rows.findIndex(({id}) => id === selectedId);
  return known >= 0
    ? known
    : Math.max(
        0,
        rows.findIndex(({mark}) => mark !== ' '),
      );
}

/** What would change, and how much of the selected task is visible, so that nothing is saved unseen. */
function headLine({diff, findings}: PlanPreview, place: string, columns: number): Line {
  const blocking = findings.filter(isBlocking).length;
  const others = findings.length - blocking;
  return justifyLine(
    [
      {text: ` Proposed: ${diffCounts(diff)}`, bold: true},
      ...(blocking > 0 ? [{text: `   ${blocking} blocking`, tone: 'bad', bold: true} as const] : []),
      ...(others > 0 ? [{text: `   ${others} to look at`, tone: 'warning'} as const] : []),
    ],
    place === '' ? [] : [{text: `lines ${place} `, tone: 'accent'}],
    columns,
  );
}

function treeOf(rows: readonly PreviewRow[], index: number, columns: number, height: number): Line[] {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), rows.length - height));
  const seen = rows.slice(top, top + height);
  return seen.map((row, place) => previewRowLine(row, top + place === index, columns));
}

type Frame = {
  readonly isBeside: boolean;
  readonly treeColumns: number;
  readonly treeRows: number;
  readonly detailColumns: number;
  readonly detailRows: number;
};

/** In little space, the tree takes at most the upper half. */
function frameOf(columns: number, rows: number, count: number): Frame {
  const height = Math.max(3, rows - 3);
  if (columns >= besideTree) {
    const left = leftColumns(columns);
    const sizes = {treeRows: height, detailRows: height};
    return {isBeside: true, treeColumns: left - 2, detailColumns: columns - left - 2, ...sizes};
  }
  const treeRows = Math.min(count, Math.max(2, Math.floor(height / 2) - 1));
  const sizes = {treeRows, detailRows: Math.max(1, height - treeRows - 1)};
  return {isBeside: false, treeColumns: columns - 1, detailColumns: columns - 2, ...sizes};
}

const leftColumns = (columns: number): number => Math.floor(columns * 0.45);

function beside(tree: readonly Line[], detail: readonly Line[], columns: number, height: number): Line[] {
  const left = leftColumns(columns);
  return Array.from({length: height}, (_, place): Line => {
    const line = tree[place] ?? [];
    return [...line, {text: ' '.repeat(Math.max(0, left - lineWidth(line)))}, ...(detail[place] ?? [])];
  });
}

const below = (tree: readonly Line[], detail: readonly Line[], height: number): Line[] => [
  ...tree,
  [],
  ...detail.map((line): Line => [{text: ' '}, ...line]),
  ...Array.from({length: height - detail.length}, (): Line => []),
];
