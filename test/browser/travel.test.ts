import {readFileSync} from 'node:fs';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {InspectedEntry} from '../../src/services/contracts/journal.ts';
import {fakeSource} from '../fakes/journal-entries.ts';
import {launchChromium} from '../helpers/chromium.ts';
import {eventually} from '../helpers/eventually.ts';
import {entriesOfAPause, serveMachines} from '../helpers/inspected-machines.ts';
import {goToEvent, openPage} from '../helpers/page.ts';

// What a user does on the machines page, with pointer and keyboard, on one page after another.

let browser: Browser;
let recorded: readonly InspectedEntry[];
beforeAll(async () => {
  browser = await launchChromium();
  recorded = await entriesOfAPause();
});
afterAll(() => browser.close());

async function opened(): Promise<{page: Page; complaints: string[]; url: string}> {
  const {url} = await serveMachines(fakeSource(...recorded));
  const {page, complaints} = await openPage(browser, url);
  await untilAt(page, recorded.length);
  await page.locator('.state.active').first().waitFor();
  return {page, complaints, url};
}

const untilAt = (page: Page, position: number) =>
  eventually(async () => expect(await page.locator('#moment').textContent()).toMatch(`${position} of `));
const textOf = (page: Page, selector: string) => page.locator(selector).textContent();

/** The accent of the light colors. */
const accent = 'rgb(10, 102, 194)';
const fillOf = (shape: unknown) =>
  (globalThis as unknown as {getComputedStyle(of: unknown): {fill: string}}).getComputedStyle(shape).fill;

/** What a button saves. */
async function saved(page: Page, button: string): Promise<{name: string; text: string}> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()]);
  return {name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8')};
}

/** The position and zoom of the drawing. */
async function camera(page: Page): Promise<{x: number; y: number; width: number}> {
  const [x = 0, y = 0, width = 0] =
    (await page.locator('.chart-drawing').getAttribute('viewBox'))?.split(' ').map(Number) ?? [];
  return {x, y, width};
}

test('every moment has a link, by event and by time, and the current view can be saved', async () => {
  const {page, complaints, url} = await opened();
  await goToEvent(page, 'recordPauseIntent');
  const [moment, state] = [await textOf(page, '#moment'), await textOf(page, '#current-state')];
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], {origin: new URL(url).origin});
  await page.locator('#copy-link').click();
  const link = await eventually(async () => {
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/#process\/1\.\d+$/);
    return copied;
  });
  expect(link).toBe(page.url());
  const {page: other} = await openPage(browser, link);
  await eventually(async () => {
    expect([await textOf(other, '#moment'), await textOf(other, '#current-state')]).toEqual([moment, state]);
    expect(await other.locator('#events [aria-current]').count()).toBe(1);
  });
  const at = recorded[20]?.at ?? '';
  await other.goto(`${url}#process/@${encodeURIComponent(at)}`);
  await untilAt(other, 21);

  const events = await saved(other, '#save-json');
  expect([events.name, JSON.parse(events.text)]).toEqual(['events.json', recorded]);
  await other.locator('.chart-drawing').waitFor();
  const chart = await other.locator('.chart-drawing').getAttribute('data-chart');
  const drawing = await saved(other, '#save-svg');
  expect(drawing.name).toBe(`${chart}.svg`);
  // As anyone who opens the file sees it.
  const file = await browser.newPage();
  await file.setContent(`<body>${drawing.text}</body>`);
  const fill = await file.locator('.state.active:not(.holds) > rect').first().evaluate(fillOf);
  const seen = await file.locator('svg .state').count();
  await file.close();
  const states = await other.locator('.chart-drawing .state').count();
  expect([seen, fill]).toEqual([states, accent]);
  expect(complaints).toEqual([]);
});

test('the slider moves by event and by time, steps stay with an actor, events are searched and filtered', async () => {
  const {page, complaints} = await opened();
  const slider = page.locator('#slider');
  const slide = async (value: number) => {
    await slider.fill(String(value));
  };
  await slide(9);
  await untilAt(page, 10);
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^10 of /);
  await page.keyboard.press('s');
  expect(await page.locator('#by-time').getAttribute('aria-pressed')).toBe('true');
  // Half the time: the events are evenly spaced, so it is half of them.
  await slide(5_000);
  await untilAt(page, Math.floor((recorded.length - 1) / 2) + 1);
  await page.locator('#by-time').click();
  expect(await slider.getAttribute('max')).toBe(String(recorded.length - 1));

  await goToEvent(page, 'segment active');
  const key = await page.locator('#actors [aria-current]').getAttribute('data-actor');
  await page.locator('#chart-heading').click();
  await page.keyboard.press('Shift+ArrowLeft');
  await eventually(async () => expect(await textOf(page, '#current-state')).toMatch(/^recordingStart/));
  expect(await page.locator('#actors [aria-current]').getAttribute('data-actor')).toBe(key);

  await page.keyboard.press('/');
  await page.keyboard.type('run.pause');
  const paused = recorded.filter(({event}) => event.type.includes('run.pause')).length;
  const count = (shown: number) =>
    eventually(async () => expect(await textOf(page, '#event-count')).toBe(`${shown} of ${recorded.length}`));
  await count(paused);
  await page.locator('#find').fill('');
  await page.locator('#kind').selectOption('people');
  await eventually(async () => {
    const types = await page.locator('#events .type').allTextContents();
    expect(types.length).toBeGreaterThan(0);
    expect(
      types.filter((type) => !/^(∅ )?(run|engine|review|question|executor|job|retry)\./.test(type)),
    ).toEqual([]);
  });
  expect(complaints).toEqual([]);
});

test('a chart is dragged, zoomed by wheel and keys, and fitted; a state shows its description', async () => {
  const {page, complaints} = await opened();
  await goToEvent(page, 'segment active');
  await page.locator('[data-state="segment.active"].active').waitFor();
  const box = await page.locator('#chart').boundingBox();
  if (!box) throw new Error('there is no chart');
  const middle = {x: box.x + box.width / 2, y: box.y + box.height / 2};
  const before = await camera(page);
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x - 40, middle.y - 30, {steps: 3});
  await page.mouse.up();
  const dragged = await camera(page);
  const scale = box.width / before.width;
  expect((dragged.x - before.x) * scale).toBeCloseTo(40, 0);
  expect((dragged.y - before.y) * scale).toBeCloseTo(30, 0);
  await page.mouse.wheel(0, -200);
  await eventually(async () => expect((await camera(page)).width).toBeLessThan(dragged.width));

  const width = async () => (await camera(page)).width;
  await page.keyboard.press('0');
  await eventually(async () => expect(await page.locator('#fit').getAttribute('aria-pressed')).toBe('true'));
  const whole = await width();
  await page.keyboard.press('+');
  expect(await width()).toBeLessThan(whole);
  await page.keyboard.press('-');
  expect(await width()).toBeCloseTo(whole, 3);
  const {y} = await camera(page);
  await page.keyboard.press('ArrowDown');
  expect((await camera(page)).y).toBeGreaterThan(y);
  await page.keyboard.press('1');
  expect(await page.locator('#near').getAttribute('aria-pressed')).toBe('true');

  await page.keyboard.press('n');
  const pointed = page.locator('.state.hot');
  await eventually(async () => expect(await pointed.count()).toBe(1));
  const name = (await pointed.getAttribute('data-state'))?.split('.').at(-1) ?? '?';
  await eventually(async () => expect(await textOf(page, '#about')).toMatch(new RegExp(`^${name} .{10,}`)));
  await page.keyboard.press('v');
  await eventually(async () => expect(await page.locator('.visits').count()).toBeGreaterThan(3));
  expect(await page.locator('.state.never').count()).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});

test('columns are dragged and moved by keys, colors are switched, both are kept; ? lists the keys', async () => {
  const {page, complaints} = await opened();
  const line = page.locator('.splitter[data-sets="--actors"]');
  const widthOfActors = async () => (await page.locator('.columns > nav').boundingBox())?.width ?? 0;
  const [width, place] = [await widthOfActors(), await line.boundingBox()];
  if (!place) throw new Error('there is no line between the columns');
  const at = {x: place.x + place.width / 2, y: place.y + place.height / 2};
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 100, at.y, {steps: 4});
  await page.mouse.up();
  expect(await widthOfActors()).toBeCloseTo(width + 100, 0);
  await line.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await widthOfActors()).toBeCloseTo(width + 84, 0);
  expect(await line.getAttribute('aria-valuenow')).toBe(String(Math.round(width + 84)));

  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.keyboard.press('t');
  expect([await page.locator('#theme').getAttribute('aria-label'), await ground()]).toEqual([
    'Colors: light',
    light,
  ]);
  await page.keyboard.press('t');
  expect(await page.locator('#theme').getAttribute('aria-label')).toBe('Colors: dark');
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  await untilAt(page, recorded.length);
  expect(await ground()).toBe(dark);
  expect(await widthOfActors()).toBeCloseTo(width + 84, 0);

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', {name: 'Keys'});
  await help.waitFor();
  const told = await help.locator('dl').textContent();
  for (const words of ['one event back', 'follow what happens', 'find', 'light or dark', 'copy a link'])
    expect(told).toContain(words);
  // The page's keys are off while it is read.
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  await help.waitFor({state: 'hidden'});
  await untilAt(page, recorded.length);
  expect(complaints).toEqual([]);
});
