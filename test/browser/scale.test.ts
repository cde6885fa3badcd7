import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {inspectedOf} from '../../src/cli/inspect/inspect-page.ts';
import {jobPage} from '../../src/machines/policies/inspect/job-page.ts';
import {planRows, rowPage} from '../../src/machines/policies/inspect/job-rows.ts';
import {timelineOf} from '../../src/machines/policies/report/timeline.ts';
import type {InspectedProject} from '../../src/services/contracts/inspector.ts';
import {startInspector} from '../../src/services/inspector/inspector-server.ts';
import {endedJob} from '../fakes/jobs.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {launchChromium} from '../helpers/chromium.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';

// How much the page requests and draws of a long job, in counts; seconds are in `npm run bench:inspect`.

const tasks = 2_000;
const minute = (number: number) => new Date(Date.UTC(2026, 0, 10, 22) + number * 60_000).toISOString();

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** A night of 2,000 tasks; every hundredth failed. */
function longNight(): InspectedProject {
  const ids = Array.from({length: tasks}, (_, number) => `task-${number}`);
  const runs = ids.map((task_id, number) =>
    restingRun({
      task_id,
      run_id: `${task_id}-1`,
      created_at: minute(number),
      ...(number % 100 === 0
        ? {state: 'failed', failure: {kind: 'agent_error', message: `no way for ${number}`}}
        : {state: 'succeeded'}),
      segments: [endedSegment(1, {started_at: minute(number), ended_at: minute(number + 0.9)})],
    }),
  );
  const plan = planOf(...ids.map((id) => task(id, {title: `What is to be done as ${id}`})));
  const jobs = [endedJob({startedAt: minute(0), endedAt: minute(tasks)})] as const;
  const timeline = timelineOf({jobs, runs, plan, now: minute(tasks), isLive: false});
  const rows = planRows(plan, timeline.lanes);
  return {
    jobs: async () => ({jobs: [], broken: []}),
    job: async () => ({...jobPage(timeline, plan, 'shop'), notices: []}),
    rows: async (_, query) => rowPage(rows, query),
    visits: async () => null,
    run: async () => null,
    journal: async () => null,
  };
}

/** The requests since the last call, without the token. */
function requestsOf(page: Page): () => string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').slice(2).join('/')));
  return () => asked.splice(0);
}

test('2,000 tasks: the page requests what it shows, draws what is visible, and scrolls to the end', async () => {
  const facts = {title: 'shop', version: '1', notices: [], opens: 'job', job_id: 'night'} as const;
  const inspector = await startInspector(inspectedOf({source: null, project: longNight()}, facts), {port: 0});
  onTestFinished(() => inspector.close());
  const page = await browser.newPage({viewport: {width: 1280, height: 800}});
  onTestFinished(() => page.close());
  const sizes: Array<Promise<number>> = [];
  page.on('response', (response) => sizes.push(response.body().then(({length}) => length)));
  const asked = requestsOf(page);
  const drawn = () => page.locator('#rows .row').count();

  await page.goto(inspector.url);
  await page.locator('#rows .row .bar').first().waitFor();
  await page.waitForLoadState('networkidle');
  expect(
    asked()
      .filter((path) => !path.startsWith('parts/'))
      .sort(),
  ).toEqual(['', 'facts', 'jobs', 'jobs/night', 'jobs/night/rows', 'page.js', 'style.css'].sort());
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(200_000);
  expect(await drawn()).toBeLessThan(60);
  expect(await page.locator('#row-count').textContent()).toBe(`${tasks} rows`);
  // The first failures are named, the rest counted.
  expect(await page.locator('#notable .notable').count()).toBe(tasks / 100);

  const scrollTo = (row: number) =>
    page.locator('#rows').evaluate((place, top) => {
      (place as unknown as {scrollTop: number}).scrollTop = top;
    }, row * 30);
  for (const row of [1_000, tasks]) {
    await scrollTo(row);
    const seen = `task-${Math.min(row, tasks - 1)}`;
    await page.locator(`#rows .task:has(.id:text-is("${seen}"))`).waitFor();
    expect(await drawn()).toBeLessThan(60);
    // No more than the pages with the visible rows.
    const rows = asked();
    expect(rows.filter((path) => path !== 'jobs/night/rows')).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(2);
  }
  await page.locator('#find-task').fill('task-1999');
  await eventually(async () => {
    expect(await page.locator('#row-count').textContent()).toBe('1 rows');
    expect(await drawn()).toBe(1);
  });
});
