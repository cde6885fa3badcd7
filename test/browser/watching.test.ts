import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {deferred} from '../fakes/memory-run-store.ts';
import {launchChromium} from '../helpers/chromium.ts';
import {demo, engineProject, pauseInTheMiddle, untilAtWork} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {activeStates, addressIn, eventNames, goToEvent, openPage} from '../helpers/page.ts';
import {planOf, task} from '../helpers/plans.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

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
  const {page, complaints} = await openPage(browser, `${await addressIn(running.err)}#process`);
  await untilAtWork(project, 'a');

  // It follows by itself: the agent is at work, and its segment shows it.
  await page.locator('[data-state="segment.active"].active').waitFor();
  expect(await activeStates(page)).toEqual(['segment.active']);
  const actors = await page.locator('#actors .actor.working .name').allTextContents();
  expect(actors).toEqual(['engine', 'executor', 'task', 'run', 'segment', 'budget']);
  expect(await page.locator('#actors button', {hasText: 'task'}).textContent()).toBe('●taska · running');
  expect(await page.locator('#connection').textContent()).toBe('live');

  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);

  // The end arrived before the process was gone, and what it did stays.
  await eventually(async () => expect((await eventNames(page))[0]).toBe('done(releaseLock)'));
  await eventually(async () => expect(await page.locator('#connection').textContent()).toMatch(/^ended/));
  const happened = await eventNames(page);
  expect(happened).toEqual(expect.arrayContaining(['engine.pause', 'run.pause', 'done(recordPause)']));
  await page.locator('[data-state="engine.idle"].active').waitFor();
  // The state it was in, and no longer is.
  expect(await page.locator('.chart-drawing.over').count()).toBe(1);
  const ended = page.locator('#actors button', {hasText: 'segment'});
  expect(await ended.textContent()).toBe('Ⅱsegmentended · user interrupt');

  await page.keyboard.press('ArrowLeft');
  await page.locator('[data-state="engine.working.work.releasing"].active').waitFor();
  expect(await activeStates(page)).toEqual(['pausing', 'engine.working.work.releasing']);
  expect(await page.locator('.edge.taken').getAttribute('data-edge')).toBe(
    'engine.working.work.closing engine.working.work.releasing',
  );
  expect(await page.locator('#current-state').textContent()).toBe(
    'releasing (pausing) — after done(closeJob)',
  );

  // To the pause by its mark: the agent was still at work.
  await page.locator('#marks .paused').first().click();
  await eventually(async () =>
    expect(await page.locator('#actors button', {hasText: 'segment'}).textContent()).toBe('●segmentactive'),
  );
  expect(complaints).toEqual([]);
});

test('a paused run is followed into its resume, and its earlier events are still there', async () => {
  const prompt = demo('write started x', 'sleep 60', 'write done x');
  const project = engineProject(planOf(task('a', {prompt})));
  await pauseInTheMiddle(project, 'a');
  const served = project.start(['inspect', 'a']);
  const {page, complaints} = await openPage(browser, await addressIn(served.out));

  // Where it paused: its segment has recorded the pause and is done.
  await eventually(async () => expect((await eventNames(page))[0]).toBe('done(releaseLock)'));
  const before = await eventNames(page);

  const resumed = await project.run(['resume', 'a']);
  expect(resumed.code).toBe(0);
  await eventually(async () => expect((await eventNames(page)).length).toBeGreaterThan(before.length));
  await eventually(async () => expect((await eventNames(page))[0]).toBe('done(releaseLock)'));
  expect((await eventNames(page)).slice(-before.length)).toEqual(before);
  const actors = await page.locator('#actors .process, #actors button .name').allTextContents();
  const ofTheRun = ['process 1', 'process 2', 'engine', 'executor', 'task', 'run', 'segment'];
  expect(actors.filter((name) => ofTheRun.includes(name))).toEqual([
    ...['process 1', 'engine', 'executor', 'task', 'run', 'segment'],
    ...['process 2', 'engine', 'task', 'run', 'segment'],
  ]);

  // The run was paused once, and continued: both are a click away.
  await page.locator('#actors button', {hasText: 'run'}).last().click();
  await page.locator('[data-state="run.settled"].active').waitFor();
  await goToEvent(page, 'done(recordRelaunch)');
  await page.locator('[data-state="run.running"].active').waitFor();
  expect(await page.locator('.edge.taken').getAttribute('data-edge')).toBe(
    'run.recordingRelaunch run.running',
  );
  expect(await page.locator('#context').textContent()).toContain('phase "launching"');
  expect(complaints).toEqual([]);
  served.child.kill('SIGINT');
  expect((await served.ended).code).toBe(0);
});

test('a request without a response is repeated, and a response for a view that was left changes nothing', async () => {
  const project = engineProject(planOf(task('a', {prompt: demo('write done x')})));
  expect((await project.run(['execute'])).code).toBe(0);
  const served = project.start(['inspect']);
  const {page} = await openPage(browser, await addressIn(served.out));
  const connection = (words: string) =>
    eventually(async () => expect(await page.locator('#connection').textContent()).toBe(words));
  const openMachines = async () => {
    await page.locator('#rows button.task').click();
    await page.locator('.state.active:not(.holds)').first().waitFor();
    await connection('ended');
  };
  await openMachines();

  let requests = 0;
  await page.route(/\/jobs\/newest$/, (route) => (requests++ === 0 ? route.abort() : route.continue()));
  await page.locator('#job-link').click();
  await eventually(() => expect(requests).toBeGreaterThan(1));
  await connection('ended');

  await openMachines();
  const isLeft = deferred();
  await page.unrouteAll();
  await page.route(/\/jobs\/newest$/, async (route) => {
    await isLeft.promise;
    await route.abort();
  });
  const [asked] = await Promise.all([
    page.waitForRequest(/\/jobs\/newest$/),
    page.locator('#job-link').click(),
  ]);
  await openMachines();
  const failed = page.waitForEvent('requestfailed', (request) => request === asked);
  isLeft.resolve();
  await failed;
  await eventNames(page);
  expect(await page.locator('#connection').textContent()).toBe('ended');
  served.child.kill('SIGINT');
  expect((await served.ended).code).toBe(0);
});

describe.skipIf(!hasTmux)('in the terminal UI (needs tmux)', () => {
  test('one page shows a run from its start to its pause to its resume', async () => {
    const project = engineProject(
      planOf(task('a', {prompt: demo('write started x', 'sleep 60', 'write done x')})),
    );
    const terminal = openTerminal(project);
    onTestFinished(() => terminal.press('q'));
    terminal.type('blackbird --inspect');
    const listed = await eventually(async () => {
      const [live] = JSON.parse((await project.run(['inspect', '--list', '--json'])).out).live;
      if (!live) throw new Error('nobody is inspected yet');
      return live;
    });
    expect(listed).toMatchObject({what: 'terminal UI'});
    await eventually(() => expect(terminal.visible()).toContain('Inspect: http://127.0.0.1:'));
    const {page, complaints} = await openPage(browser, `${listed.url}#process`);
    await page.locator('[data-state="engine.idle"].active').waitFor();

    terminal.press('Enter');
    await eventually(() => expect(terminal.visible()).toContain('┌ Plan'));
    terminal.press('e');
    await untilAtWork(project, 'a');
    await page.locator('[data-state="segment.active"].active').waitFor();
    terminal.press('C-c');
    await eventually(() => expect(project.latest('a')).toMatchObject({state: 'paused'}));
    await page.locator('[data-state="engine.idle"].active').waitFor();
    expect(await page.locator('#marks .paused').count()).toBe(1);

    await eventually(() => expect(terminal.visible()).toMatch(/Paused\. Ctrl\+C again to quit/));
    terminal.press('u');
    await eventually(() => expect(project.latest('a')).toMatchObject({state: 'succeeded'}));
    await eventually(async () =>
      expect((await eventNames(page)).filter((name) => name === 'done(releaseLock)')).toHaveLength(2),
    );
    await goToEvent(page, 'done(recordRelaunch)');
    await page.locator('[data-state="run.running"].active').waitFor();
    expect(await page.locator('#connection').textContent()).toBe('live');
    expect(complaints).toEqual([]);
  });
});
