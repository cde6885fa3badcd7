import type {Browser, Page} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {eventually} from './eventually.ts';

export type OpenedPage = {
  readonly page: Page;
  /** Errors on the page, and every foreign address it requested. */
  readonly complaints: string[];
};

/** The inspector's page at an address, in a window of 1280 × 800. */
export async function openPage(
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<OpenedPage> {
  const page = await browser.newPage({viewport: {width: 1280, height: 800}, colorScheme});
  onTestFinished(() => page.close());
  // For a hang only; its own 30 s can pass on a busy machine.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A process that has ended refuses connections, and Chromium logs that.
    if (message.type() === 'error' && !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED)/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url.replace(/#.*$/, ''))) complaints.push(request.url());
  });
  await page.goto(url);
  return {page, complaints};
}

/** The address that a program printed. */
export function addressIn(text: () => string): Promise<string> {
  return eventually(() => {
    const url = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\//.exec(text())?.[0];
    if (!url) throw new Error(`no address yet: ${text()}`);
    return url;
  });
}

/** The active states, without their parents. */
export async function activeStates(page: Page): Promise<Array<string | null>> {
  const boxes = await page.locator('.state.active:not(.holds)').all();
  return Promise.all(boxes.map((box) => box.getAttribute('data-state')));
}

/** The events, newest first. Only visible rows exist, so the list is scrolled through. */
export async function eventNames(page: Page): Promise<string[]> {
  const names = new Map<number, string>();
  const place = page.locator('#events');
  const scrollTo = (top: number) =>
    place.evaluate(async (element, to) => {
      const list = element as unknown as {scrollTop: number; scrollHeight: number; clientHeight: number};
      const {requestAnimationFrame} = globalThis as unknown as {requestAnimationFrame(act: () => void): void};
      list.scrollTop = to;
      // The rows are drawn in the next frame.
      for (let frame = 0; frame < 2; frame++)
        await new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
      return {height: list.clientHeight, end: list.scrollHeight};
    }, top);
  for (let top = 0, end = 1; top < end; ) {
    const seen = await scrollTo(top);
    for (const [index, name] of await place.locator('.event').evaluateAll(rowsOf)) names.set(index, name);
    end = seen.end;
    top += Math.max(1, seen.height);
  }
  return [...names].sort(([one], [other]) => other - one).map(([, name]) => name);
}

/** Their positions and names, in one call. */
const rowsOf = (rows: readonly unknown[]): Array<[number, string]> =>
  (rows as ReadonlyArray<{dataset: {index: string}; querySelector(of: string): {textContent: string}}>).map(
    (row) => [Number(row.dataset.index), row.querySelector('.type').textContent],
  );

/** Goes to the newest event that the page finds with these words. */
export async function goToEvent(page: Page, words: string): Promise<void> {
  await page.locator('#find').fill(words);
  await page.locator('#events .event').first().click();
  await page.locator('#find').fill('');
}

const named = new Set(
  'button link slider searchbox combobox tab tabpanel dialog img splitter region navigation complementary'.split(
    ' ',
  ),
);

/** Elements a screen reader reaches that have no name. */
export async function nameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const {nodes} = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes.flatMap(({ignored, role, name}) =>
    !ignored && named.has(role?.value) && !name?.value ? [String(role?.value)] : [],
  );
}
