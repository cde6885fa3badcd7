import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, type Line, lineOf} from '../components/lines.tsx';
import {usePromptFrame} from '../components/prompt-frame.tsx';
import {
  atTop,
  clamped,
  pageDown,
  pageUp,
  position,
  type Scroll,
  type ScrollRoom,
} from '../components/scroll.ts';
import {
  markFirst,
  type SelectItem,
  selectedAfter,
  selectKeys,
  selectLines,
  unmarked,
} from '../components/select.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap, notNow} from '../keymap.ts';
import {cutEnd, justify} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';

export type ParentReviewChoice =
  | 'resume'
  | 'later'
  | 'dismiss'
  | {readonly type: 'edit' | 'leaveOut'; readonly taskId: string};

export type ParentReviewNoticeProps = {
  readonly parent: {readonly id: string; readonly title: string};
  /** The tasks that are sent back, each with its feedback. */
  readonly sentBack: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly feedback: string;
    /** Its run has a session that can be told. */
    readonly canResume: boolean;
  }>;
  readonly columns: number;
  readonly rows: number;
  readonly isActive?: boolean;
  /** Called once. */
  readonly onChoose: (choice: ParentReviewChoice) => void;
};

type Choice = SelectItem & {readonly choice: ParentReviewChoice | 'pick'};

const choicesFor = (sentBack: ParentReviewNoticeProps['sentBack']): readonly Choice[] => {
  const stuck = sentBack.filter(({canResume}) => !canResume).length;
  const isDisabled = stuck === sentBack.length;
  const note = isDisabled ? 'no session to continue in: esc, then R restarts' : `all but ${stuck}`;
  return [
    {label: 'Resume these tasks now', choice: 'resume', ...(stuck === 0 ? {} : {note, isDisabled})},
    {label: 'Edit the feedback, or leave a task out', choice: 'pick'},
    {label: 'Decide later', choice: 'later'},
    {label: 'Dismiss the feedback', choice: 'dismiss'},
  ];
};

type State = {
  readonly view: 'choosing' | 'picking';
  readonly choice: number;
  readonly scroll: Scroll;
  /** Shown once in place of the hints. */
  readonly notice: string | null;
  readonly isOver: boolean;
};
type Stepped = Step<State, ParentReviewChoice>;

type NoticeFrame = {readonly body: ScrollRoom; readonly choices: readonly Choice[]};

const keymap: Keymap<(state: State, key: string, frame: NoticeFrame) => Stepped, [frame: NoticeFrame]> = [
  {
    id: 'parentReview.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key, {choices}) => ({
      state: {...state, choice: selectedAfter(choices, state.choice, key) ?? state.choice},
    }),
  },
  {
    id: 'parentReview.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    short: 'choose',
    run: (state, _, {choices}) => {
      const {choice} = choices[state.choice] ?? {};
      if (choice === 'pick') return {state: {...state, view: 'picking', choice: unmarked}};
      return choice === undefined ? {state: {...state, notice: markFirst}} : over(state, choice);
    },
  },
  {
    id: 'parentReview.later',
    keys: ['escape', 'ctrl+c'],
    label: 'decide later',
    hint: 'first',
    short: 'later',
    run: (state) => over(state, 'later'),
  },
  {
    id: 'parentReview.scroll',
    keys: ['pageup', 'pagedown', 'space'],
    label: 'scroll',
    hint: 'first',
    shown: 2,
    refusal: ({body}) => (body.count > body.height ? null : notNow),
    run: (state, key, {body}) => {
      const page = key === 'pageup' ? pageUp : pageDown;
      return {state: {...state, scroll: page(state.scroll, body)}};
    },
  },
];

type Picked = (state: State, key: string, ids: readonly string[]) => Stepped;

/** The keys while picking a task. */
const pickKeymap: Keymap<Picked> = [
  {
    id: 'parentReview.pick',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key, ids) => {
      const items = ids.map((label) => ({label}));
      return {state: {...state, choice: selectedAfter(items, state.choice, key) ?? state.choice}};
    },
  },
  {
    id: 'parentReview.edit',
    keys: ['enter', 'e'],
    label: 'edit its feedback',
    hint: 'first',
    shown: 1,
    run: (state, _, ids) => picked(state, 'edit', ids),
  },
  {
    id: 'parentReview.leaveOut',
    keys: ['x'],
    label: 'leave it out',
    hint: 'first',
    run: (state, _, ids) => picked(state, 'leaveOut', ids),
  },
  {
    id: 'parentReview.back',
    keys: ['escape'],
    label: 'back',
    hint: 'first',
    run: (state) => ({state: {...state, view: 'choosing', choice: unmarked}}),
  },
];

function picked(state: State, type: 'edit' | 'leaveOut', ids: readonly string[]): Stepped {
  const taskId = ids[state.choice];
  if (taskId === undefined) return {state: {...state, notice: 'Select a task first: ↑ ↓ or j k.'}};
  return over(state, {type, taskId});
}

const over = (state: State, outcome: ParentReviewChoice): Stepped => ({
  state: {...state, isOver: true},
  outcome,
});

/** A parent review sent children back: which ones, and their feedback. */
export function ParentReviewNotice({
  parent,
  sentBack,
  columns,
  rows,
  isActive = true,
  onChoose,
}: ParentReviewNoticeProps) {
  const {Frame, footColumns} = usePromptFrame();
  const foot = footColumns ?? columns;
  const choices = choicesFor(sentBack);
  const body = bodyLines(sentBack, columns);
  const ids = sentBack.map(({id}) => id);
  const height = Math.max(1, rows - 3 - choices.length);
  const frame: NoticeFrame = {body: {count: body.length, height}, choices};
  const {state} = useStepper<State, ParentReviewChoice>({
    initial: () => ({view: 'choosing', choice: unmarked, scroll: atTop, notice: null, isOver: false}),
    step: (last, {name}) => {
      if (last.isOver) return {state: last};
      const before = last.notice === null ? last : {...last, notice: null};
      if (before.view === 'picking' && name !== 'ctrl+c')
        return bindingOf(pickKeymap, name)?.run(before, name, ids) ?? {state: before};
      return bindingOf(keymap, name, frame)?.run(before, name, frame) ?? {state: before};
    },
    onOutcome: onChoose,
    away: (now) => ({...now, choice: unmarked}),
    isActive,
  });

  if (state.view === 'picking') {
    const items = sentBack.map(({id, title}) => ({label: `${displayLine(id)}  ${displayLine(title)}`}));
    const listed = selectLines(items, state.choice, {columns});
    const top = Math.max(0, Math.min(state.choice - rows + 4, listed.length));
    return (
      <Frame
        lines={[
          ...headLines(parent, columns),
          ...listed.slice(top, top + rows - 2),
          state.notice === null ? hintLine(hintsOf(pickKeymap), foot) : noticeLine(state.notice, foot),
        ]}
      />
    );
  }
  const scroll = clamped(state.scroll, body.length, height);
  const place = position(scroll, body.length, height);
  const shown = body.slice(scroll.top, scroll.top + height);
  const count = `${counted(sentBack.length, 'task is', 'tasks are')} sent back`;
  return (
    <Frame
      lines={[
        ...headLines(parent, columns),
        lineOf(justify(` Not passed: ${count}`, `${place} `, columns), {bold: true}),
        ...shown,
        ...(shown.length < height ? [blankLine] : []),
        ...selectLines(choices, state.choice, {columns}),
        state.notice === null ? hintLine(hintsOf(keymap, frame), foot) : noticeLine(state.notice, foot),
      ].slice(-rows)}
    />
  );
}

const noticeLine = (notice: string, columns: number): Line =>
  lineOf(cutEnd(` ${notice}`, columns), {tone: 'warning', bold: true});

function headLines({id, title}: ParentReviewNoticeProps['parent'], columns: number): Line[] {
  const call = ' ACTION REQUIRED ';
  const name = cutEnd(`  ${displayLine(id)}  ${displayLine(title)}`, columns - call.length);
  return [
    [
      {text: call, tone: 'warning', bold: true, inverse: true},
      {text: name, bold: true},
    ],
  ];
}

/** The same feedback to several tasks is shown once. */
function bodyLines(sentBack: ParentReviewNoticeProps['sentBack'], columns: number): Line[] {
  const words = [...new Set(sentBack.map(({feedback}) => feedback))];
  return words.flatMap((feedback) => [
    ...sentBack
      .filter((task) => task.feedback === feedback)
      .map(({id, title, canResume}) => {
        const name = ` ↩ ${displayLine(id)}  ${displayLine(title)}`;
        const note = canResume ? '' : '  (no session)';
        return lineOf(`${cutEnd(name, columns - note.length)}${note}`, {tone: 'accent'});
      }),
    ...wrapped(feedback, columns - 4).map((line) => lineOf(`   ${line}`)),
  ]);
}
