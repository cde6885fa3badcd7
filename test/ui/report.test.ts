import {describe, expect, test} from 'vitest';
import {reportText} from '../../src/cli/report/report-text.ts';
import type {Report} from '../../src/machines/policies/report/report.ts';
import {barStates} from '../../src/machines/policies/report/run-bars.ts';
import {markKinds} from '../../src/machines/policies/report/run-marks.ts';
import {reportHtml} from '../../src/ui/report/report-html.ts';
import {reportMarkdown} from '../../src/ui/report/report-markdown.ts';
import {reportStyle} from '../../src/ui/report/report-style.ts';
import {nightFacts, nightPlan, nightReport, nightTime} from '../fakes/night.ts';

const morning = nightTime(600);
const plain = {isTerminal: false, hasColor: false, columns: Number.POSITIVE_INFINITY};

/** Everything that an agent, a plan or a repository may put into a report. */
const hostile =
  '"><script>alert(1)</script><img src=x onerror=alert(2)> \u001b[31m`|` ![a](http://x) @you \u202e&lt;';
const hostileReport = () => {
  const report = nightReport({
    plan: {
      ...nightPlan,
      items: new Map([...nightPlan.items].map(([id, each]) => [id, {...each, title: hostile}])),
    },
    runs: nightFacts.runs.map((run) => ({
      ...run,
      model: hostile,
      commit: {skipped: hostile},
      ...(run.failure && {failure: {...run.failure, message: hostile}}),
      ...(run.questions && {questions: [{id: 'q', prompt: hostile}]}),
      ...(run.review_summary && {review_summary: {...run.review_summary, files: [hostile]}}),
      ...(run.verifications && {
        verifications: run.verifications.map((check) => ({
          ...check,
          command: hostile,
          tail: `${hostile}\n\`\`\`\n`,
        })),
      }),
    })),
    unreadable: [hostile],
  });
  const needs_you = report.needs_you.map((need) => ({...need, why: hostile, command: hostile}));
  return {...report, needs_you, jobs: report.jobs.map((job) => ({...job, agent: hostile, message: hostile}))};
};

test('as text: a line for each task, what needs you last', () => {
  expect(reportText(nightReport(), morning, plain).split('\n')).toEqual([
    'Last night  22:00 – 03:41  claude  6 of 9 done  900k tokens  $11.25  1 wait of 2h10m (usage limit)  1 wait of 4m00s (outage)  1 question  1 retry  1 crash',
    '✓ pay-01  Schema for refunds  3m30s  $1.25  2 files +46 −3  committed 3f2a9c1',
    '✓ pay-02  Repository layer    24m48s  $1.25  2 files +46 −3  1 wait of 2h10m (usage limit)',
    '✓ pay-03  Idempotency keys    14m30s  $1.25  2 files +46 −3  1 wait of 4m00s (outage)',
    '✓ pay-04  Refund endpoint     9m30s  $1.25  2 files +46 −3  npm test ✓ (2nd round)',
    '✓ pay-05  Refund e2e test     35m00s  $1.25  2 files +46 −3  survived a crash of Blackbird',
    '✓ pay-06  Audit log           18m00s  $2.50  2 files +46 −3  1 retry',
    '✗ pay-07  Webhooks            failed: npm test failed 3 times  27m00s  $1.25  2 files +46 −3  npm test ✗ (3rd round)  blackbird resume pay-07',
    '    POST /refunds',
    '      expected 404, got `500`',
    '    all of it: blackbird runs pay-07 --verbose',
    '? pay-08  Dashboard           asks: Which currency?  29m00s  $1.25  2 files +46 −3  blackbird resume pay-08',
    '1 ready: pay-09. Continue with: blackbird execute',
  ]);
});

test('on a terminal no line is too wide, and every command is whole', () => {
  const lines = reportText(nightReport(), morning, {...plain, isTerminal: true, columns: 80}).split('\n');
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  expect(lines).toContain('    2 files +46 −3  npm test ✗ (3rd round)  blackbird resume pay-07');
});

test('a job that ended with an error is reported in every format', () => {
  const night = nightReport();
  const jobs = night.jobs.map((job) => ({
    ...job,
    job_id: 'j-1',
    reason: 'error',
    message: 'the disk is full',
    runs: 1,
  }));
  const line = '✗ job j-1 ended by an error: the disk is full';
  for (const show of [
    reportMarkdown,
    reportHtml,
    (report: Report, now: string) => reportText(report, now, plain),
  ])
    expect(show({...night, jobs}, morning)).toContain(line);
});

test('as text nothing controls the terminal', () => {
  expect(reportText(hostileReport(), morning, plain)).not.toMatch(/[\u001b\u202e]/);
});

describe('as Markdown', () => {
  test('a table, and what needs you', () => {
    const lines = reportMarkdown(nightReport(), morning).split('\n');
    expect(lines).toContain(
      '| ✓ done | `pay-04` | Refund endpoint | 9m30s · \\$1.25 · 2 files +46 −3 · npm test ✓ (2nd round) |',
    );
    expect(lines).toContain('- `pay-08`: asks: Which currency?: `blackbird resume pay-08`');
  });

  test('the output of a failed check is a block below its task', () => {
    expect(reportMarkdown(nightReport(), morning)).toContain(
      '`blackbird resume pay-07`\n\n  ```text\n  POST /refunds\n    expected 404, got `500`\n  ```\n\n  All of it: `blackbird runs pay-07 --verbose`\n',
    );
  });

  test('foreign text stays text: no tag, no link, no cell, no mention', () => {
    const text = reportMarkdown(hostileReport(), morning);
    // In code nothing is markup.
    const prose = text
      .replace(/^ {2}````text\n(?:.*\n)*?^ {2}````$/gm, '')
      .replace(/(`+)(?!`).+?(?<!`)\1(?!`)/g, '');
    expect(prose).not.toMatch(/(?<!\\)[<`[]|@you|http:\/\//);
    expect(text).not.toMatch(/[\u001b\u202e]/);
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.map((row) => row.match(/(?<!\\)\|/g)?.length)).toEqual(rows.map(() => 5));
  });
});

describe('as HTML', () => {
  const page = reportHtml(nightReport(), morning);

  test('one file that loads nothing', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\b(src|href)=|url\(|@import|https?:/);
  });

  test('shows what needs you before anything else, with its command', () => {
    const place = (text: string) => page.indexOf(text);
    expect(place('<code>blackbird resume pay-07</code>')).toBeGreaterThan(0);
    expect(place('<code>blackbird resume pay-07</code>')).toBeLessThan(place('<svg'));
  });

  test('shows the output of a failed check, and where all of it is', () => {
    expect(page).toContain(
      '<pre>POST /refunds\n  expected 404, got `500`</pre>all of it: <code>blackbird runs pay-07 --verbose</code>',
    );
  });

  test('draws each task as a lane, with its marks', () => {
    expect(page.match(/<g class="lane">/g)).toHaveLength(8);
    expect(page.match(/<g class="mark failure">/g)).toHaveLength(5);
    expect(page.match(/<g class="mark (crash|question|commit)">/g)).toHaveLength(3);
    expect(page).toContain('waits for a limit (usage limit), 22:20 – ');
  });

  test('every kind of bar and mark looks different', () => {
    for (const state of barStates) expect(reportStyle).toContain(`.bar.${state}{`);
    for (const kind of markKinds) expect(page).toContain(`class="mark ${kind}"`);
  });

  test('foreign text stays text, in elements and in attributes', () => {
    const hostilePage = reportHtml(hostileReport(), morning);
    expect(hostilePage).not.toMatch(/<script|<img|\u001b|\u202e/);
    expect(hostilePage).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    // What looks like an entity is shown as it was written.
    expect(hostilePage).toContain('&amp;lt;');
  });

  test('when nothing ran it says so', () => {
    const empty = reportHtml(nightReport({jobs: [], runs: []}), morning);
    expect(empty).toContain('<h1>Nothing ran</h1>');
    expect(empty).not.toContain('<svg');
  });
});
