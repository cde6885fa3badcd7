import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {MessageLine} from '../../machines/tui-dialogs.ts';
import {AppError, causesOf, messageOf} from '../../services/contracts/errors.ts';
import type {Line} from '../components/lines.tsx';
import {padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';

/** An error for a dialog: what the command line would print, in the same order. */
export function messageLines(error: unknown): {
  readonly title: string;
  readonly lines: readonly MessageLine[];
} {
  if (!(error instanceof AppError)) {
    return {title: 'This is a bug in Blackbird', lines: [{label: '', text: messageOf(error)}]};
  }
  return {
    title: displayLine(error.message),
    lines: [
      ...error.details.map(([label, text]) => ({label: displayLine(label), text})),
      ...causesOf(error).map((text) => ({label: 'cause', text})),
      {label: 'code', text: error.code},
      ...error.next.flatMap(({command, why}, index): MessageLine[] => [
        {label: index === 0 ? 'next' : '', text: displayLine(command), kind: 'command'},
        ...(why === undefined ? [] : [{label: '', text: displayLine(why), kind: 'why'} as const]),
      ]),
    ],
  };
}

/** Wrapped to this width; a command gets a line of its own and looks like one. */
export function messageRows(lines: readonly MessageLine[], columns: number): Line[] {
  const widest = Math.max(0, ...lines.map(({label}) => textWidth(label)));
  const labelColumns = widest === 0 ? 0 : widest + 2;
  return lines.flatMap(({label, text, kind}) => {
    const mark = kind === 'command' ? '$ ' : '';
    const indent = kind === undefined ? '' : '  ';
    return wrapped(text, Math.max(8, columns - labelColumns - indent.length)).map(
      (part, row): Line => [
        {text: padEnd(row === 0 ? label : '', labelColumns), dim: true},
        {text: `${(row === 0 && mark) || indent}${part}`, bold: kind === 'command', dim: kind === 'why'},
      ],
    );
  });
}
