import http from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {machines} from '../../src/machines/machines.ts';
import {chartOf, statesOf} from '../../src/machines/policies/inspect/chart.ts';
import type {InspectedEntry} from '../../src/services/contracts/journal.ts';
import {entry, fakeSource} from '../fakes/journal-entries.ts';
import {launchChromium} from '../helpers/chromium.ts';
import {eventually} from '../helpers/eventually.ts';
import {entriesOfAPause, serveMachines} from '../helpers/inspected-machines.ts';
import {activeStates, eventNames, goToEvent, openPage} from '../helpers/page.ts';

let browser: Browser;
let recorded: readonly InspectedEntry[];
beforeAll(async () => {
  browser = await launchChromium();
  recorded = await entriesOfAPause();
});
afterAll(() => browser.close());

const served = (source = fakeSource(...recorded)) => serveMachines(source);

const moment = (page: Page) => page.locator('#moment').textContent();

/** The page at rest: it shows the requested state. */
const untilAt = (page: Page, position: number) =>
  eventually(async () => expect(await moment(page)).toMatch(new RegExp(`^${position} of `)));

describe('by keyboard alone', () => {
  test('every moment can be reached, and the page shows where it is', async () => {
    const {page, complaints} = await openPage(browser, (await served()).url);
    const last = recorded.length;
    await untilAt(page, last);
    expect(await page.locator('#follow').getAttribute('aria-pressed')).toBe('true');

    await page.keyboard.press('ArrowLeft');
    await untilAt(page, last - 1);
    expect(await page.locator('#follow').getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await untilAt(page, last);
    await page.keyboard.press('Home');
    await untilAt(page, 1);
    await page.keyboard.press('ArrowLeft');
    await untilAt(page, 1);
    await page.locator('[data-state="engine.idle"].active').waitFor();
    expect(await activeStates(page)).toEqual(['engine.idle']);
    await page.keyboard.press('f');
    await untilAt(page, last);
    expect(await page.locator('#follow').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    await untilAt(page, last);

    // Shift steps through the events of the actor; with p, nothing else counts.
    await page.keyboard.press('p');
    await page.keyboard.press('Shift+ArrowLeft');
    await eventually(async () =>
      expect(await page.locator('#current-state').textContent()).toMatch(/^releasing/),
    );
    await page.keyboard.press('ArrowLeft');
    await eventually(async () =>
      expect(await page.locator('#current-state').textContent()).toMatch(/^closing/),
    );
    expect(await page.locator('#chart-heading').textContent()).toBe('engine');
    await eventually(async () =>
      expect(await page.locator('#announcer').textContent()).toMatch(
        /^Event \d+ of \d+: engine took .* and is closing( \(pausing\))?: paused$/,
      ),
    );
    expect(complaints).toEqual([]);
  });

  test('every control can be reached with Tab, has a visible focus, and has a name', async () => {
    const {page} = await openPage(browser, (await served()).url);
    await untilAt(page, recorded.length);
    const reached = new Set<string>();
    for (let index = 0; index < 200 && !reached.has('slider'); index++) {
      await page.keyboard.press('Tab');
      const {id, outline, name} = await page.evaluate(focusedControl);
      reached.add(id);
      expect([id, outline, name.trim()]).toEqual([id, 'solid', expect.stringMatching(/./)]);
    }
    const controls = [
      ...['theme', 'show-keys', 'visits', 'smaller', 'near', 'fit', 'larger', 'save-svg', 'chart', 'only'],
      ...[
        'find',
        'kind',
        'tab-context',
        'context',
        'first',
        'back',
        'follow',
        'by-time',
        'copy-link',
        'slider',
      ],
    ];
    expect([...reached]).toEqual(expect.arrayContaining([...controls, 'splitter', 'actor ended', 'event']));
  });

  test('Enter on an event goes there and keeps the focus on it', async () => {
    const {page} = await openPage(browser, (await served()).url);
    await untilAt(page, recorded.length);
    const index = String(recorded.length - 4);
    await page.locator(`#events [data-index="${index}"]`).focus();
    await page.keyboard.press('Enter');
    await untilAt(page, recorded.length - 3);
    await eventually(async () => expect(await page.locator(':focus').getAttribute('data-index')).toBe(index));
    expect(await page.locator('#events [aria-current="step"]').getAttribute('data-index')).toBe(index);
  });
});

test('every machine is drawn, with all its states', async () => {
  const source = fakeSource(
    ...machines.map(({name}, index) => entry({seq: index + 1, actor: name, machine: name, state: null})),
  );
  const {page, complaints} = await openPage(browser, (await served(source)).url);
  await untilAt(page, machines.length);
  await page.keyboard.press('Home');
  for (const [index, {name, machine}] of machines.entries()) {
    await untilAt(page, index + 1);
    const drawing = page.locator(`svg[data-chart="${name}"]`);
    await drawing.waitFor();
    const boxes = await drawing.locator('.state').all();
    const drawn = await Promise.all(boxes.map((box) => box.getAttribute('data-state')));
    expect(drawn.sort()).toEqual(
      statesOf(chartOf(machine).root)
        .map(({id}) => id)
        .sort(),
    );
    const {BLACKBIRD_SCREENSHOTS: folder} = process.env;
    if (folder) await page.screenshot({path: `${folder}/machine-${name}.png`});
    await page.keyboard.press('ArrowRight');
  }
  expect(complaints).toEqual([]);
});

test('a selected moment stays while more events come; following moves along', async () => {
  const source = fakeSource(...recorded.slice(0, 10));
  const {page} = await openPage(browser, (await served(source)).url);
  await untilAt(page, 10);
  await page.keyboard.press('ArrowLeft');
  source.add(...recorded.slice(10, 20));
  await eventually(async () => expect(await moment(page)).toMatch(/^9 of 20,/));
  await page.keyboard.press('End');
  source.add(...recorded.slice(20, 22));
  await untilAt(page, 22);
  expect(await eventNames(page)).toHaveLength(22);
});

test('only the events of the shown actor', async () => {
  const {page} = await openPage(browser, (await served()).url);
  await untilAt(page, recorded.length);
  await page.locator('#only').click();
  const mine = recorded.filter(({actor}) => actor === 'engine').length;
  await eventually(async () => expect(await eventNames(page)).toHaveLength(mine));
});

test('contexts fold, and stay folded from event to event', async () => {
  const {page} = await openPage(browser, (await served()).url);
  await untilAt(page, recorded.length);
  await goToEvent(page, 'recordPauseIntent');
  const request = page
    .locator('#context details', {has: page.locator('> summary', {hasText: 'request'})})
    .first();
  expect(await request.getAttribute('open')).toBe('');
  await request.locator('> summary').click();
  expect(await request.getAttribute('open')).toBeNull();
  await page.keyboard.press('Shift+ArrowRight');
  await eventually(async () =>
    expect(await page.locator('#current-state').textContent()).not.toMatch(/recordPauseIntent/),
  );
  expect(await request.getAttribute('open')).toBeNull();
});

test('text of an agent or a plan stays text, whatever it looks like', async () => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const source = fakeSource(
    entry({
      seq: 1,
      actor: evil,
      machine: evil,
      event: {type: evil, [evil]: evil},
      state: evil,
      context: {[evil]: evil},
    }),
    entry({
      seq: 2,
      actor: 'run',
      event: {type: evil},
      state: {[evil]: evil},
      context: {nested: {[evil]: [evil]}},
    }),
  );
  const {page, complaints} = await openPage(browser, (await served(source)).url);
  await untilAt(page, 2);
  await page.keyboard.press('Home');
  await untilAt(page, 1);
  expect(await page.locator('#chart-heading').textContent()).toBe(evil);
  expect(await page.locator('#chart').textContent()).toContain(`no machine called ${evil}`);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.title()).toBe('pay-05 · Refund e2e test · Blackbird inspector');
  expect(complaints).toEqual([]);
});

describe('a page of another origin', () => {
  test('reads nothing, even with the address', async () => {
    const inspector = await served();
    const foreign = http.createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end('<title>elsewhere</title>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void foreign.close());
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${(foreign.address() as AddressInfo).port}/`);
      const seen = await page.evaluate(async (url) => {
        const {document, EventSource, fetch, window} = globalThis as unknown as BrowserGlobals;
        const attempt = (mode: string) =>
          fetch(`${url}facts`, {mode}).then(
            (response) => response.text(),
            () => 'refused',
          );
        const loaded = (tag: string) =>
          new Promise((resolve) => {
            const element = document.createElement(tag);
            element.onload = () => resolve('loaded');
            element.onerror = () => resolve('refused');
            element.src = `${url}page.js`;
            document.documentElement.append(element);
          });
        const streamed = new Promise((resolve) => {
          const events = new EventSource(`${url}entries`);
          events.onerror = () => resolve('refused');
          events.addEventListener('all', () => resolve('read'));
        });
        const frame = document.createElement('iframe');
        frame.src = url;
        document.documentElement.append(frame);
        await new Promise((resolve) => {
          frame.onload = resolve;
        });
        return {
          cors: await attempt('cors'),
          opaque: await attempt('no-cors'),
          script: await loaded('script'),
          stream: await streamed,
          frames: window.frames.length,
          framed: frame.contentDocument === null,
        };
      }, inspector.url);
      expect(seen).toEqual({
        cors: 'refused',
        opaque: expect.stringMatching(/^(refused)?$/),
        script: 'refused',
        stream: 'refused',
        frames: 1,
        framed: true,
      });
    }
  });

  test('and neither does a client with another token, or another name for this machine', async () => {
    const inspector = await served();
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const statusOf = async (url: string) => (await page.goto(url))?.status();
    expect(await statusOf(`http://127.0.0.1:${inspector.port}/${'x'.repeat(22)}/facts`)).toBe(404);
    expect(await statusOf(`http://127.0.0.1:${inspector.port}/`)).toBe(404);
    // A name that resolves to this machine, like an attacker's after rebinding.
    expect(await statusOf(`http://evil.localhost:${inspector.port}/${inspector.token}/facts`)).toBe(403);
    expect(await statusOf(`${inspector.url}facts`)).toBe(200);
  });
});

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  test('everything fits 1280 × 800 and can be read', async () => {
    const {page, complaints} = await openPage(browser, (await served()).url, scheme);
    await untilAt(page, recorded.length);
    for (const name of ['sweeping', 'active', 'launching']) {
      await goToEvent(page, `segment ${name}`);
      const box = page.locator(`[data-state="segment.${name}"].active`);
      await box.waitFor();
      const [inside, around] = [await box.boundingBox(), await page.locator('#chart').boundingBox()];
      if (!inside || !around) throw new Error('there is no drawing');
      expect(inside.x).toBeGreaterThanOrEqual(around.x);
      expect(inside.y).toBeGreaterThanOrEqual(around.y);
      expect(inside.x + inside.width).toBeLessThanOrEqual(around.x + around.width);
      expect(inside.y + inside.height).toBeLessThanOrEqual(around.y + around.height);
      expect(await letterHeight(page)).toBeGreaterThanOrEqual(11);
    }
    const size = await page.evaluate(() => {
      const {documentElement} = (globalThis as unknown as BrowserGlobals).document;
      return [documentElement.scrollWidth, documentElement.scrollHeight];
    });
    expect(size).toEqual([1280, 800]);
    const {BLACKBIRD_SCREENSHOTS: folder} = process.env;
    if (folder) await page.screenshot({path: `${folder}/${scheme}.png`});
    expect(complaints).toEqual([]);
  });
});

test('at 400 % everything is stacked, whole, and nothing is cut off at the side', async () => {
  const {page} = await openPage(browser, (await served()).url);
  await page.setViewportSize({width: 320, height: 200});
  await untilAt(page, recorded.length);
  await page.locator('[data-state="engine.idle"].active').waitFor();
  const width = await page.evaluate(
    () => (globalThis as unknown as BrowserGlobals).document.documentElement.scrollWidth,
  );
  expect(width).toBe(320);
  let end = 0;
  for (const part of ['header', '.columns > nav', '.middle', 'aside', 'footer']) {
    const box = await page.locator(part).boundingBox();
    if (!box) throw new Error(`${part} is not there`);
    expect(box.y).toBeGreaterThanOrEqual(end);
    expect(box.height).toBeGreaterThan(30);
    end = box.y + box.height;
  }
  expect((await page.locator('#chart').boundingBox())?.height).toBeGreaterThan(250);
  const {BLACKBIRD_SCREENSHOTS: folder} = process.env;
  if (folder) await page.screenshot({path: `${folder}/narrow.png`, fullPage: true});
});

test('when the system sets the colors, a selection shows by its border', async () => {
  const {page} = await openPage(browser, (await served()).url);
  await page.emulateMedia({forcedColors: 'active'});
  await untilAt(page, recorded.length);
  const widthOf = (selector: string) => page.locator(selector).first().evaluate(borderOf);
  // The lists are redrawn until the page is at rest.
  await eventually(async () => {
    expect(await widthOf('.event[aria-current]')).toBe('3px');
    expect(await widthOf('.actor[aria-current]')).toBe('3px');
    expect(await widthOf('.event:not([aria-current])')).toBe('1px');
  });
});

test('when the process has ended, everything it sent can still be viewed, including contexts', async () => {
  const inspector = await served();
  const {page} = await openPage(browser, inspector.url);
  await untilAt(page, recorded.length);
  inspector.close();
  await eventually(async () => expect(await page.locator('#connection').textContent()).toMatch(/^ended/));
  await goToEvent(page, 'recordingOutcome');
  await eventually(async () =>
    expect(await page.locator('#context').textContent()).toMatch(/state "running".*phase "active"/),
  );
});

/** The drawn height, in pixels, of letters that are 11 units high. */
const letterHeight = (page: Page) =>
  page.locator('.chart-drawing').evaluate((drawing) => {
    const {clientWidth, viewBox} = drawing as unknown as {
      clientWidth: number;
      viewBox: {baseVal: {width: number}};
    };
    return (11 * clientWidth) / viewBox.baseVal.width;
  });

/** What the functions above use inside the browser; the tests themselves are compiled without its types. */
type BrowserGlobals = {
  readonly document: {
    readonly documentElement: {append(child: unknown): void; scrollWidth: number; scrollHeight: number};
    createElement(tag: string): {
      src: string;
      onload: (value?: unknown) => void;
      onerror: () => void;
      contentDocument?: unknown;
    };
  };
  readonly EventSource: new (
    url: string,
  ) => {
    onerror: () => void;
    addEventListener(name: string, listener: () => void): void;
  };
  readonly fetch: (url: string, options: {mode: string}) => Promise<{text(): Promise<string>}>;
  readonly window: {frames: {length: number}};
};

const borderOf = (element: unknown) =>
  (globalThis as unknown as {getComputedStyle(of: unknown): {borderTopWidth: string}}).getComputedStyle(
    element,
  ).borderTopWidth;

/** The focused element, whether its focus is visible, and its accessible name. */
const focusedControl = () => {
  const {document, getComputedStyle} = globalThis as unknown as FocusGlobals;
  const {activeElement: control} = document;
  return {
    id: control.id || control.className,
    outline: getComputedStyle(control).outlineStyle,
    name: control.getAttribute('aria-label') || control.textContent || control.labels?.[0]?.textContent || '',
  };
};
type FocusGlobals = {
  readonly document: {
    readonly activeElement: {
      id: string;
      className: string;
      textContent: string;
      labels?: ArrayLike<{textContent: string}>;
      getAttribute(name: string): string | null;
    };
  };
  getComputedStyle(of: unknown): {outlineStyle: string};
};
