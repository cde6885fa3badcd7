import type {Report, TaskReport} from '../../machines/policies/report/report.ts';
import {
  checkPiece,
  errorLines,
  headPieces,
  lineWords,
  type NeedItem,
  needSections,
  outcomeWords,
  type ReportLine,
  refusalLine,
  reportLines,
  restLine,
  taskPieces,
  titleOf,
} from '../../machines/policies/report/report-words.ts';
import {barStates} from '../../machines/policies/report/run-bars.ts';
import {markKinds} from '../../machines/policies/report/run-marks.ts';
import {commitWords} from '../../machines/policies/run/commit-message.ts';
import {dollars, duration, timeOfDay, tokenCount} from '../../machines/policies/text/durations.ts';
import {markup, safe} from './markup.ts';
import {reportStyle} from './report-style.ts';
import {barWords, markSigns, timelineSvg} from './timeline-svg.ts';

/** A self-contained file: no script, font or image from elsewhere. */
export function reportHtml(report: Report, now: string): string {
  const {lines} = reportLines(report);
  const title = titleOf(report, now);
  const [rest, refusal] = [restLine(report), refusalLine(report)];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
    markup`<title>${title} · Blackbird</title>`,
    `<style>${reportStyle}</style></head><body><main>`,
    markup`<h1>${title}</h1>`,
    `<p class="head">${headPieces(report)
      .map((piece) => markup`<span>${piece}</span>`)
      .join('')}</p>`,
    ...errorLines(report).map((line) => markup`<p class="bad">✗ ${line}</p>`),
    ...needSections(report).flatMap(({heading, items}) => [
      `<h2>${heading}</h2><ul class="needs">`,
      ...items.map(needItem),
      '</ul>',
    ]),
    ...[rest, refusal].flatMap((line) => (line === '' ? [] : [markup`<p>${line}</p>`])),
    ...(report.timeline && report.timeline.lanes.length > 0
      ? ['<h2>Timeline</h2><div class="scroll">', timelineSvg(report.timeline), '</div>', legend()]
      : []),
    ...(lines.length === 0 ? [] : ['<h2>Tasks</h2>', ...lines.map(taskItem)]),
    ...(report.jobs.length === 0 ? [] : ['<h2>Jobs</h2>', jobTable(report)]),
    ...report.unreadable.map(
      (file) => markup`<p class="bad">left out because it cannot be read: ${safe(file)}</p>`,
    ),
    markup`<footer>Made by Blackbird, ${timeOfDay(now, '')}. Times are those of the machine it was made on.</footer>`,
    '</main></body></html>',
  ].join('\n');
}

const needItem = ({sign, tone, task_id, title, why, command, output}: NeedItem): string =>
  [
    markup`<li><span class="sign ${tone}">${sign}</span> <b>${safe(task_id)}</b> ${safe(title)}<br>${safe(why)}`,
    command === null ? '' : markup`<br><code>${safe(command)}</code>`,
    output === null
      ? ''
      : markup`<pre>${output.lines.join('\n')}</pre>all of it: <code>${safe(output.command)}</code>`,
    '</li>',
  ].join('');

function taskItem(line: ReportLine): string {
  const {task} = line;
  const {sign, word, tone} = lineWords(line);
  const rows = rowsOf(task);
  return [
    markup`<details><summary><span class="sign ${tone}">${sign}</span> <b>${safe(task.task_id)}</b> ${safe(task.title)}`,
    markup` <span class="facts">${[task.outcome === 'done' ? '' : word, ...taskPieces(task)].filter(Boolean).join('  ·  ')}</span></summary><dl>`,
    ...rows.map(([label, value]) => markup`<dt>${label}</dt><dd>${safe(value)}</dd>`),
    '</dl></details>',
  ].join('');
}

function rowsOf(task: TaskReport): Array<readonly [label: string, value: string]> {
  const {change, commit, started_at, ended_at} = task;
  const time = (at: string | null) => (at === null ? '?' : timeOfDay(at, ''));
  const more =
    change && change.files > change.paths.length ? `, and ${change.files - change.paths.length} more` : '';
  return [
    ['outcome', outcomeWords[task.outcome].word],
    ...(task.failure === null ? [] : [['failure', task.failure] as const]),
    ['agent', task.model === null ? task.agent : `${task.agent}, ${task.model}`],
    ['time', `${time(started_at)} – ${time(ended_at)}, worked ${duration(task.work_milliseconds)}`],
    ...(task.tokens === null ? [] : [['tokens', tokenCount(task.tokens)] as const]),
    ...(task.cost_usd === null ? [] : [['cost', dollars(task.cost_usd)] as const]),
    ...(change && change.files > 0
      ? [['change', `+${change.added} −${change.removed} in ${change.paths.join(', ')}${more}`] as const]
      : []),
    ...task.checks.map((check) => {
      const how = check.passed ? '' : `, exit ${check.exit_code ?? '?'}`;
      return ['check', `${checkPiece(check)}${how}, ${duration(check.seconds * 1000)}`] as const;
    }),
    ...(commit === null ? [] : [['commit', commitWords(commit)] as const]),
    ...task.questions.map(
      ({prompt, answer}) => ['question', `${prompt}${answer === null ? '' : ` → ${answer}`}`] as const,
    ),
    ...task.waits.map(
      ({reason, from, to, milliseconds}) =>
        [
          'wait',
          `${reason === 'limit' ? 'usage limit' : 'outage'}, ${time(from)} – ${time(to)}, ${duration(milliseconds)}`,
        ] as const,
    ),
    ['runs', task.run_ids.join(', ')],
  ];
}

function jobTable({jobs}: Report): string {
  const rows = jobs.map(({job_id, agent, from, to, outcome, message}) => {
    const end =
      outcome === 'working' ? 'at work' : outcome === 'lost' ? 'Blackbird ended unexpectedly' : message;
    return markup`<tr><td><code>${safe(job_id)}</code></td><td>${safe(agent)}</td><td>${timeOfDay(from, '')} – ${timeOfDay(to, from)}</td><td>${safe(end)}</td></tr>`;
  });
  return `<div class="scroll"><table>${rows.join('')}</table></div>`;
}

const legend = (): string =>
  [
    '<p class="legend">',
    ...barStates.map((state) => markup`<span><i class="bar ${state}"></i>${barWords[state]}</span>`),
    ...markKinds.map((kind) => markup`<span><b class="mark ${kind}">${markSigns[kind]}</b>${kind}</span>`),
    '</p>',
  ].join('');
