import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {AppError, causesOf, messageOf, systemErrorCode} from '../../services/contracts/errors.ts';
import {openFilesSteps} from '../../services/stores/store-errors.ts';
import type {CliContext} from '../context.ts';
import {exitCodeOf, exitCodes} from '../exit-codes.ts';
import {folded} from './fold.ts';
import {type Paint, painter} from './paint.ts';
import {printableJson} from './printable-json.ts';

/** Reports what went wrong and what to do next; returns the matching exit code. */
export function reportError(error: unknown, context: CliContext, {json}: {json: boolean}): number {
  const failure = error instanceof AppError ? error : troubleAround(error);
  if (json) context.err(printableJson({error: failure ? describe(failure) : describeBug(error)}));
  else if (failure) context.err(renderError(failure, context));
  else context.err(renderBug(error, context));
  return failure ? exitCodeOf(failure.code) : exitCodes.error;
}

/** Parts of the program are loaded on demand: failing for lack of file descriptors is not a bug. */
function troubleAround(error: unknown): AppError | null {
  if (!['EMFILE', 'ENFILE'].includes(systemErrorCode(error) ?? '')) return null;
  const message = `too many files are open: ${messageOf(error)}`;
  return new AppError('E_STORE_READ', message, {next: openFilesSteps});
}

function renderError(error: AppError, context: CliContext): string {
  const paint = painter(context.stderr);
  const causes = causesOf(error).map((message) => ['cause', message] as const);
  const isAgency = context.name === 'agency';
  const code = isAgency ? [] : [['code', error.code] as const];
  const rows = [...error.details, ...causes, ...code].map(
    ([label, value]) => [displayLine(label), displayText(value)] as const,
  );
  const labels = [...rows.map(([label]) => label), error.next.length === 0 ? '' : 'next'];
  const labelWidth = Math.max(...labels.map(({length}) => length));
  const room = context.stderr.columns - labelWidth - 4;
  const steps = stepLines(error.next, room, paint);
  const lines = [
    ...rows.map(([label, value]) => [label, folded(value, room)] as const),
    ...(steps.length === 0 ? [] : [['next', steps.join('\n')] as const]),
  ].map(
    ([label, value]) =>
      `  ${paint('dim', label.padEnd(labelWidth))}  ${value.replaceAll('\n', `\n${' '.repeat(labelWidth + 4)}`)}`,
  );
  // The format that scripts of agency expect, on a terminal too: first the code, then the message alone.
  if (isAgency) return [`error_code: ${error.code}`, displayText(error.message), ...lines].join('\n');
  const message = folded(`error: ${displayText(error.message)}`, context.stderr.columns);
  return [message.replace('error:', paint('red', 'error:')), ...lines].join('\n');
}

/** The commands with their reasons beside them, or below if one of them would not fit. */
function stepLines(next: AppError['next'], room: number, paint: Paint): string[] {
  const steps = next.map(({command, why = ''}) => ({command: displayLine(command), why: displayLine(why)}));
  const width = Math.max(0, ...steps.map(({command}) => command.length));
  const isBeside = steps.every(({why}) => why === '' || width + 2 + why.length <= room);
  return steps.flatMap(({command, why}) => {
    if (why === '') return [command];
    if (isBeside) return [`${command.padEnd(width)}  ${paint('dim', why)}`];
    return [
      command,
      ...folded(`  ${why}`, room)
        .split('\n')
        .map((line) => paint('dim', line)),
    ];
  });
}

function renderBug(error: unknown, context: CliContext): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    ...(context.name === 'agency' ? ['error_code: E_INTERNAL'] : []),
    `${painter(context.stderr)('red', 'error:')} this is a bug in Blackbird ${context.version}, please report it`,
    displayText(stack),
  ].join('\n');
}

function describe(error: AppError) {
  return {
    code: error.code,
    message: error.message,
    details: Object.fromEntries(byLabel(error.details)),
    causes: causesOf(error),
    next: error.next,
  };
}

/** Details with the same label, such as two problems of one row, become lines of one value, so none is lost. */
function byLabel(details: AppError['details']): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [label, value] of details) {
    const before = values.get(label);
    values.set(label, before === undefined ? value : `${before}\n${value}`);
  }
  return values;
}

function describeBug(error: unknown) {
  return {code: 'E_BUG', message: messageOf(error), stack: error instanceof Error ? error.stack : undefined};
}
