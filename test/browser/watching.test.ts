import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {launchChromium} from '../helpers/chromium.ts';
import {demo, engineProject, eventually, untilAtWork} from '../helpers/engine-project.ts';
import {activeStates, addressIn, eventNames, openPage} from '../helpers/page.ts';
import {planOf, task} from '../helpers/plans.ts';

// The built program and a real browser: a run is watched on the page that the program itself serves.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const longWork = demo('write started x', 'sleep 60', 'write done x');

test('a live run is watched from its start to its pause, and a step back shows the earlier state', async () => {
  const project = engineProject(planOf(task('a', {prompt: longWork})));
  const running = project.start(['execute', '--inspect', 'a']);
  const {page, complaints} = await openPage(browser, await addressIn(running.err));
  await untilAtWork(project, 'a');

  // It follows by itself: the agent is at work, and its segment says so.
  await page.locator('[data-state="segment.active"].active').waitFor();
  expect(await activeStates(page)).toEqual(['segment.active']);
  const actors = await page.locator('#actors button .name').allTextContents();
  expect(actors).toEqual(['engine', 'executor', 'task', 'run', 'segment']);
  expect(await page.locator('#connection').textContent()).toBe('live');

  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);

  // The end came through before the process was gone, and what it did stays.
  await eventually(async () => expect((await eventNames(page))[0]).toBe('done(releaseLock)'));
  await eventually(async () => expect(await page.locator('#connection').textContent()).toMatch(/^ended/));
  const happened = await eventNames(page);
  expect(happened).toEqual(expect.arrayContaining(['engine.pause', 'run.pause', '✓ done(recordPause)']));
  await page.locator('[data-state="engine.idle"].active').waitFor();

  await page.keyboard.press('ArrowLeft');
  await page.locator('[data-state="engine.releasing"].active').waitFor();
  expect(await activeStates(page)).toEqual(['engine.releasing']);
  expect(await page.locator('.edge.taken').getAttribute('data-edge')).toBe(
    'engine.executing engine.releasing',
  );
  expect(await page.locator('#standing').textContent()).toBe('releasing — after done(executor)');

  // To the pause by its mark: the agent was still at work.
  await page.locator('#marks button').click();
  await eventually(async () =>
    expect(await page.locator('#actors button').last().textContent()).toBe('●segmentactive'),
  );
  expect(complaints).toEqual([]);
});
