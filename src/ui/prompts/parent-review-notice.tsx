import {displayLine} from '../../machines/policies/text/display-text.ts';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, type Line, Lines, lineOf} from '../components/lines.tsx';
import {atTop, clamped, position, type Scroll, type ScrollCommand, scrolled} from '../components/scroll.ts';
import {selectedAfter, selectLines} from '../components/select.ts';
import {useStepper} from '../input/use-stepper.ts';
import {hintsOf, type Keymap} from '../keymap.ts';
import {cutEnd, spread} from '../text/fit.ts';
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

const keymap: Keymap = [
  {keys: ['up', 'down', 'j', 'k'], label: 'move', command: 'parentReview.move', hint: 'always', shown: 4},
  {keys: ['enter'], label: 'choose', command: 'parentReview.choose', hint: 'always', short: 'choose'},
  {
    keys: ['ctrl+c', 'escape'],
    label: 'decide later',
    command: 'parentReview.later',
    hint: 'always',
    short: 'later',
  },
  {keys: ['pageup', 'pagedown'], label: 'scroll', command: 'parentReview.scroll', hint: 'always', shown: 2},
];

const scrollKeys = new Map<string, ScrollCommand>([
  ['pageup', 'scroll.pageUp'],
  ['pagedown', 'scroll.pageDown'],
  ['space', 'scroll.pageDown'],
]);

type State = {readonly choice: number; readonly scroll: Scroll; readonly isOver: boolean};

/** A parent review sent children back: which ones, and what they are told. */
export function ParentReviewNotice({
  parent,
  sentBack,
  columns,
  rows,
  isActive = true,
  onChoose,
}: ParentReviewNoticeProps) {
  const body = bodyLines(sentBack, columns);
  const height = Math.max(1, rows - 3 - choices.length);
  const {state} = useStepper<State, ParentReviewChoice>({
    initial: () => ({choice: 0, scroll: atTop, isOver: false}),
    step: (before, {name}) => {
      if (before.isOver) return {state: before};
      const over = (outcome: ParentReviewChoice) => ({state: {...before, isOver: true}, outcome});
      if (name === 'ctrl+c' || name === 'escape') return over('later');
      const chosen = choices[before.choice];
      if (name === 'enter' && chosen) return over(chosen.choice);
      const command = scrollKeys.get(name);
      if (command) {
        return {state: {...before, scroll: scrolled(before.scroll, command, {count: body.length, height})}};
      }
      return {state: {...before, choice: selectedAfter(choices, before.choice, name) ?? before.choice}};
    },
    onOutcome: onChoose,
    isActive,
  });

  const scroll = clamped(state.scroll, body.length, height);
  const place = position(scroll, body.length, height);
  const shown = body.slice(scroll.top, scroll.top + height);
  const count = sentBack.length === 1 ? '1 task is sent back' : `${sentBack.length} tasks are sent back`;
  return (
    <Lines
      lines={[
        ...headLines(parent, columns),
        lineOf(spread(` The parent review did not pass: ${count}`, `${place} `, columns), {bold: true}),
        ...shown,
        ...(shown.length < height ? [blankLine] : []),
        ...selectLines(choices, state.choice, {columns}),
        hintLine(
          hintsOf(keymap, (command) => command !== 'parentReview.scroll' || place !== ''),
          columns,
        ),
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
