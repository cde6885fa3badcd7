import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';

/** An error as a dialog shows it: what the command line would print, in the same order. */
export function messageLines(error: unknown): {readonly title: string; readonly lines: readonly string[]} {
  if (!(error instanceof AppError)) {
    return {title: 'This is a bug in Blackbird', lines: displayText(messageOf(error)).split('\n')};
  }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ...error.details,
    ['code', error.code],
    ...error.next.map(({command, why}) => ['next', why ? `${command}   ${why}` : command] as const),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return {
    title: displayLine(error.message),
    lines: rows.map(([label, value]) => `${displayLine(label).padEnd(width)}  ${displayLine(value)}`),
  };
}
