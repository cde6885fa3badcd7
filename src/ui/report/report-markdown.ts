import type {Report} from '../../machines/policies/report/report.ts';
import {
  errorLines,
  headPieces,
  lineWords,
  type NeedItem,
  needSections,
  refusalLine,
  reportLines,
  restLine,
  taskPieces,
  titleOf,
} from '../../machines/policies/report/report-words.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';

/** For a pull request or a chat: a heading, a table, and what needs attention. */
export function reportMarkdown(report: Report, now: string): string {
  const {lines} = reportLines(report);
  const [rest, refusal] = [restLine(report), refusalLine(report)];
  return [
    `## ${escaped(titleOf(report, now))}`,
    '',
    headPieces(report).map(escaped).join(' · '),
    ...errorLines(report).map((line) => `\n✗ ${escaped(line)}`),
    ...(lines.length === 0 ? [] : ['', '| | Task | | Facts |', '| --- | --- | --- | --- |']),
    ...lines.map((line) => {
      const {task} = line;
      const {sign, word} = lineWords(line);
      const cells = [`${sign} ${word}`, cell(task.task_id), escaped(task.title)];
      return `| ${[...cells, taskPieces(task).map(escaped).join(' · ')].join(' | ')} |`;
    }),
    ...needSections(report).flatMap(({heading, items}) => [
      '',
      `### ${heading}`,
      '',
      ...items.flatMap(needLines),
    ]),
    ...[rest, refusal].flatMap((line) => (line === '' ? [] : ['', escaped(line)])),
    ...report.unreadable.map((file) => `\n${escaped(`left out because it cannot be read: ${file}`)}`),
  ].join('\n');
}

const needLines = ({task_id, why, command, output}: NeedItem): string[] => [
  `- ${code(task_id)}: ${escaped(why)}${command === null ? '' : `: ${code(command)}`}`,
  ...(output === null ? [] : [...fenced(output.lines), `  All of it: ${code(output.command)}`]),
];

/** Foreign text taken literally: no markup, links, images or mentions. */
const escaped = (text: string): string =>
  displayLine(text)
    .replace(/[\\`*_{}[\]<>#|~&$]/g, (sign) => `\\${sign}`)
    .replaceAll('://', ':\\/\\/')
    .replaceAll('@', '@\u2060');

/** Uses a longer fence than any inside. */
function code(text: string): string {
  const line = displayLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

/** Inside a list item; no line of it can end the item. */
function fenced(lines: readonly string[]): string[] {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  );
  const fence = '`'.repeat(longest + 1);
  return ['', `  ${fence}text`, ...lines.map((line) => `  ${line}`), `  ${fence}`, ''];
}

/** A bar would end the cell, even in code. */
const cell = (text: string): string => code(text).replaceAll('|', '\\|');
