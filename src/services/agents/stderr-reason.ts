import {firstLine} from './json-lines.ts';

/** How programs begin the line that says what is wrong. */
const error =
  /^\s*(?:[\w.-]+: )?(?:(?:[\w.]*(?:Error|Exception)|error|fatal(?: error)?|panic|ERROR|FATAL)(?:\[\w+\])?(?=[:\s])|thread '.*' panicked)/;
/** Marks, places in code, advice and warnings: what stands around that line. */
const decoration =
  /^[\s|^~=>-]*$|^\s*\d* ?\|( |$)|^\s*at |^\s*(?:tip|hint|note|help|usage|warn(?:ing)?)\b|^For more information|^Node\.js v|^note: run with|stack backtrace/i;

/** The one line of an agent's stderr that tells why it ended; empty where none does. */
export function stderrReason(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const first = lines.findIndex((line) => error.test(line));
  const place = first === -1 ? lines.findLastIndex((line) => !decoration.test(line)) : first;
  const line = lines[place]?.trim() ?? '';
  const next = lines[place + 1]?.trim() ?? '';
  // "Error loading config.toml:" is a title; what it announces follows.
  return firstLine(line.endsWith(':') && !decoration.test(next) ? `${line} ${next}` : line);
}
