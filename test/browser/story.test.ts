import {rmSync} from 'node:fs';
import path from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {launchChromium} from '../helpers/chromium.ts';
import {demo, type EngineProject, engineProject, untilAtWork} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {addressIn, nameless, openPage} from '../helpers/page.ts';
import {family, planOf, task} from '../helpers/plans.ts';

// What happened last night, from the page alone: everything is at most two clicks from the first screen.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const journalOf = (project: EngineProject, taskId: string) =>
  project.text(path.join('.blackbird', 'runs', taskId, `${project.latest(taskId)?.run_id}.journal.jsonl`));

/** A failure, a limit, a question, a crash and a refused resume, by the built program. */
async function badNight(): Promise<EngineProject> {
  const project = engineProject(
    planOf(
      family(
        task('pay'),
        task('pay-1', {prompt: demo('write a x')}),
        task('pay-2', {prompt: demo('fail expected cents, got dollars')}),
        task('pay-3', {prompt: demo('limit 2', 'write b y')}),
        task('pay-4', {prompt: demo('ask currency Which currency? | EUR | USD')}),
      ),
      task('mail', {prompt: demo('write started x', 'sleep 60')}),
    ),
  );
  expect((await project.run(['execute'])).out).toContain('pay-4 waits for your answer');
  const crashed = project.start(['execute', 'mail']);
  await untilAtWork(project, 'mail');
  // A journal is written in batches: what died before that is only in its record.
  await eventually(() => expect(journalOf(project, 'mail')).toMatch(/"machine":"segment".*"state":"active"/));
  crashed.child.kill('SIGKILL');
  await crashed.ended;
  // Processes that the guardian is still ending may be writing there.
  await eventually(() => expect(project.agents()).toEqual([]));
  rmSync(path.join(project.folder, '.blackbird', 'demo-sessions'), {recursive: true});
  expect((await project.run(['resume', 'mail'])).err).toContain('E_RESUME_REJECTED');
  return project;
}

const shot = async (page: Page, name: string) => {
  const {BLACKBIRD_SCREENSHOTS: folder} = process.env;
  if (folder) await page.screenshot({path: `${folder}/${name}.png`});
};

test('a bad night is understood from the page alone, in every size and color', async () => {
  const project = await badNight();
  const served = project.start(['inspect']);
  const url = await addressIn(served.out);
  const {page, complaints} = await openPage(browser, url);
  await page.locator('#rows .row').first().waitFor();
  expect(await page.locator('#connection').textContent()).toBe('ended');
  expect(await page.locator('#job-outcome').textContent()).toMatch(/^Last job: /);

  // The first screen has all of it, in words.
  const notable = await page.locator('.notable').allTextContents();
  const told = (words: RegExp) => expect(notable.filter((text) => words.test(text))).toHaveLength(1);
  told(/^✗pay-2failed\s*expected cents, got dollars/);
  told(/^⊘mailrefused/);
  told(/^Ⅱpay-3limit/);
  told(/^\?pay-4asked.*Which currency\?/);
  told(/^↯mailcrashed/);
  expect(await page.locator('.row.failed .task', {hasText: 'pay-2'}).textContent()).toMatch(/failed$/);
  await page.locator('.bar.waiting_limit').first().waitFor();
  expect(await nameless(page)).toEqual([]);

  // One click: the machines at that moment, which all agree.
  const open = async (words: string) => {
    await page.goto(`${url}#job/newest`);
    await page.locator('.notable', {hasText: words}).first().click();
    await page.locator('.state.active').first().waitFor();
  };
  await open('pay-2');
  await eventually(async () =>
    expect(await page.locator('#run').textContent()).toContain('expected cents, got dollars'),
  );
  await page.keyboard.press('End');
  for (const actor of ['segment', 'run', 'task']) {
    const shown = page.locator('#actors .actor.failed', {
      has: page.locator(`.name:text-matches("^${actor}")`),
    });
    await eventually(async () => expect(await shown.first().textContent()).toContain('the agent failed'));
  }
  expect(await page.locator('#marks .mark.failed').count()).toBe(1);

  await open('crashed');
  await eventually(async () => {
    expect(await page.locator('#current-state').textContent()).toMatch(/lost/);
    expect(await page.locator('#marks .mark.lost').count()).toBe(1);
  });

  await open('refused');
  await eventually(async () =>
    expect(await page.locator('#current-state').textContent()).toMatch(/refused to continue/),
  );
  await eventually(async () => {
    expect(await page.locator('#run').textContent()).toContain('blackbird restart mail');
    expect(await page.locator('.chart-drawing.over').count()).toBe(1);
    // The previous process died at work: its active actors are lost, neither live nor ended.
    expect(await page.locator('#actors .actor.lost .name').allTextContents()).toEqual(
      expect.arrayContaining(['engine', 'executor', 'task', 'run', 'segment']),
    );
  });

  // For a screen reader as well: everything has a name, a failure is announced, line labels are not read in a row.
  expect(await nameless(page)).toEqual([]);
  const said = await page.locator('#machines').ariaSnapshot();
  expect(said).toMatch(/button "run settled · the agent refused to continue/);
  expect(said).toMatch(/img "settled, active, its record says how it ended/);
  expect(said).not.toContain('[isPauseAsked]');
  // Back leads to where one came from: all three jobs.
  expect(await page.locator('#job-link').getAttribute('href')).toBe('#job/newest');

  // An actor is selected: chart, event and context follow.
  await page.locator('#actors .actor', {hasText: 'segment'}).last().click();
  await eventually(async () =>
    expect(await page.locator('#chart-heading').textContent()).toMatch(/\/segment$/),
  );
  const current = page.locator('#events [aria-current]');
  await eventually(async () => expect(await current.textContent()).toContain('segment'));
  expect(await page.locator('#context').textContent()).toContain('run');
  expect(complaints).toEqual([]);

  for (const [width, height] of [
    [1280, 800],
    [1920, 1080],
    [390, 844],
  ] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      await page.setViewportSize({width, height});
      await page.emulateMedia({colorScheme: scheme});
      const wide = await page.evaluate(
        () =>
          (globalThis as unknown as {document: {documentElement: {scrollWidth: number}}}).document
            .documentElement.scrollWidth,
      );
      expect(wide).toBe(width);
      await shot(page, `machines-${width}-${scheme}`);
      await page.goto(`${url}#job/newest`);
      await page.locator('#rows .row').first().waitFor();
      await shot(page, `job-${width}-${scheme}`);
      await page.goBack();
      await page.locator('.state.active').first().waitFor();
    }
  }
  served.child.kill('SIGINT');
  await served.ended;
});
