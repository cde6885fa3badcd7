import type {Need} from '../../machines/policies/report/needs-you.ts';
import type {Report} from '../../machines/policies/report/report.ts';
import {
  errorLines,
  failedOutput,
  headPieces,
  lineWords,
  needPieces,
  outcomeWords,
  type ReportLine,
  refusalLine,
  reportLines,
  restLine,
  signOf,
  type Tone,
  taskPieces,
  titleOf,
} from '../../machines/policies/report/report-words.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {cutEnd, cutMiddle, padEnd} from '../../ui/text/fit.ts';
import {textWidth} from '../../ui/text/graphemes.ts';
import type {Surface} from '../context.ts';
import {laidOut, type Piece} from '../terminal/laid-out.ts';
import {painter, type Style} from '../terminal/paint.ts';

const styles = {
  good: 'green',
  bad: 'red',
  person: 'yellow',
  rest: 'dim',
  busy: 'cyan',
} as const satisfies Record<Tone, Style>;

/** One line per task; on a terminal, what does not fit goes below it, and only long titles and ids are cut. */
export function reportText(report: Report, now: string, surface: Surface): string {
  const {lines, others} = reportLines(report);
  const ids = [...lines.map(({task}) => task.task_id), ...others.map(({task_id}) => task_id)].map(
    displayLine,
  );
  // Without a terminal to cut them off, ids are complete.
  const idRoom = surface.isTerminal
    ? Math.max(12, Math.floor(surface.columns / 3))
    : Number.POSITIVE_INFINITY;
  const idWidth = Math.min(idRoom, Math.max(0, ...ids.map(textWidth)));
  const titles = [...lines.map(({task}) => task.title), ...others.map(({title}) => title)].map(displayLine);
  const titleWidth = Math.min(32, Math.max(0, ...titles.map(textWidth)));
  const head = (id: string, title: string) =>
    `${padEnd(cutMiddle(displayLine(id), idWidth), idWidth)}  ${padEnd(cutEnd(displayLine(title), titleWidth), titleWidth)}`;
  const row = (sign: Piece, first: string, pieces: readonly Piece[]) =>
    laidOut(sign, {text: first}, pieces, surface);
  const [rest, refusal] = [restLine(report), refusalLine(report)];
  const facts = headPieces(report).map((text) => ({text}));
  return [
    ...laidOut({text: ''}, {text: titleOf(report, now), style: 'bold'}, facts, surface),
    ...errorLines(report).flatMap((text) => row({text: '✗', style: 'red'}, text, [])),
    ...lines.flatMap((line) => [
      ...row(painted(lineWords(line)), head(line.task.task_id, line.task.title), piecesOf(line)),
      ...outputRows(line, surface),
    ]),
    ...others.flatMap((need) => row(painted(signOf(need)), head(need.task_id, need.title), needTexts(need))),
    ...(rest === '' ? [] : [rest]),
    ...(refusal === '' ? [] : row({text: ''}, refusal, [])),
    ...report.unreadable.map((file) => `left out because it cannot be read: ${displayLine(file)}`),
  ].join('\n');
}

/** Below its task, indented like what did not fit beside it. */
function outputRows(line: ReportLine, surface: Surface): string[] {
  const output = failedOutput(line);
  if (output === null) return [];
  const paint = painter(surface);
  const fitted = (text: string) => (surface.isTerminal ? cutEnd(text, surface.columns - 4) : text);
  const shown = output.lines.map((each) => `    ${paint('dim', fitted(each))}`);
  return [...shown, `    all of it: ${paint('cyan', displayLine(output.command))}`];
}

const painted = ({sign, tone}: {readonly sign: string; readonly tone: Tone}): Piece => ({
  text: sign,
  style: styles[tone],
});

function piecesOf({task, need, isSettled}: ReportLine): Piece[] {
  const facts = taskPieces(task).map((text) => ({text}));
  if (isSettled) {
    const {word} = outcomeWords[task.outcome];
    return [...(task.outcome === 'done' ? [] : [{text: word}]), ...facts];
  }
  const {why, command} = needPieces(task, need);
  const [cause, ...next] = needTexts({why, command});
  return [...(cause ? [cause] : []), ...facts, ...next];
}

const needTexts = ({why, command}: Pick<Need, 'why' | 'command'>): Piece[] => [
  {text: displayLine(why)},
  ...(command === null ? [] : [{text: displayLine(command), style: 'cyan'} as const]),
];
