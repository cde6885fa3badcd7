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
import {selectedAfter, selectKeys, selectLines, unmarked} from '../components/select.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap, notNow} from '../keymap.ts';
import {cutEnd, justify} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';

export type ParentReviewChoice = 'resume' | 'later' | 'dismiss';

export type ParentReviewNoticeProps = {
  readonly parent: {readonly id: string; readonly title: string};
  /** The tasks that are sent back, each with what it is told. */
  readonly sentBack: ReadonlyArray<{readonly id: string; readonly title: string; readonly feedback: string}>;
  readonly columns: number;
  readonly rows: number;
  readonly isActive?: boolean;
  /** Called once. */
  readonly onChoose: (choice: ParentReviewChoice) => void;
};

const choices: ReadonlyArray<{readonly label: string; readonly choice: ParentReviewChoice}> = [
  {label: 'Resume these tasks now', choice: 'resume'},
  {label: 'Decide later', choice: 'later'},
  {label: 'Dismiss the feedback', choice: 'dismiss'},
];

type State = {readonly choice: number; readonly scroll: Scroll; readonly isOver: boolean};
type Stepped = Step<State, ParentReviewChoice>;

const keymap: Keymap<(state: State, key: string, body: ScrollRoom) => Stepped, [body: ScrollRoom]> = [
  {
    id: 'parentReview.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key) => ({
      state: {...state, choice: selectedAfter(choices, state.choice, key) ?? state.choice},
    }),
  },
  {
    id: 'parentReview.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    short: 'choose',
    run: (state) => {
      const marked = choices[state.choice];
      return marked ? over(state, marked.choice) : {state};
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
    refusal: ({count, height}) => (count > height ? null : notNow),
    run: (state, key, body) => {
      const page = key === 'pageup' ? pageUp : pageDown;
      return {state: {...state, scroll: page(state.scroll, body)}};
    },
  },
];

const over = (state: State, outcome: ParentReviewChoice): Stepped => ({
  state: {...state, isOver: true},
  outcome,
});

/** A parent review sent children back: which ones, and what they are told. */
export function ParentReviewNotice({
  parent,
  sentBack,
  columns,
  rows,
  isActive = true,
  onChoose,
}: ParentReviewNoticeProps) {
  const {Frame, footColumns} = usePromptFrame();
  const body = bodyLines(sentBack, columns);
  const height = Math.max(1, rows - 3 - choices.length);
  const {state} = useStepper<State, ParentReviewChoice>({
    initial: () => ({choice: unmarked, scroll: atTop, isOver: false}),
    step: (before, {name}) => {
      if (before.isOver) return {state: before};
      const room = {count: body.length, height};
      return bindingOf(keymap, name, room)?.run(before, name, room) ?? {state: before};
    },
    onOutcome: onChoose,
    isActive,
  });

  const scroll = clamped(state.scroll, body.length, height);
  const place = position(scroll, body.length, height);
  const shown = body.slice(scroll.top, scroll.top + height);
  const count = sentBack.length === 1 ? '1 task is sent back' : `${sentBack.length} tasks are sent back`;
  return (
    <Frame
      lines={[
        ...headLines(parent, columns),
        lineOf(justify(` Not passed: ${count}`, `${place} `, columns), {bold: true}),
        ...shown,
        ...(shown.length < height ? [blankLine] : []),
        ...selectLines(choices, state.choice, {columns}),
        hintLine(hintsOf(keymap, {count: body.length, height}), footColumns ?? columns),
      ].slice(-rows)}
    />
  );
}

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

/** The same words to several tasks are said once. */
function bodyLines(sentBack: ParentReviewNoticeProps['sentBack'], columns: number): Line[] {
  const words = [...new Set(sentBack.map(({feedback}) => feedback))];
  return words.flatMap((feedback) => [
    ...sentBack
      .filter((task) => task.feedback === feedback)
      .map(({id, title}) =>
        lineOf(cutEnd(` ↩ ${displayLine(id)}  ${displayLine(title)}`, columns), {tone: 'accent'}),
      ),
    ...wrapped(feedback, columns - 4).map((line) => lineOf(`   ${line}`)),
  ]);
}
