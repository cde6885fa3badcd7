import type {Browser, Page} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {eventually} from './eventually.ts';

export type OpenedPage = {
  readonly page: Page;
  /** What went wrong on it, and every address it asked for that is not its own. */
  readonly complaints: string[];
};

/** The inspector's page of an address, in a window of 1280 × 800. */
export async function openPage(
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<OpenedPage> {
  const page = await browser.newPage({viewport: {width: 1280, height: 800}, colorScheme});
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A process that has ended refuses connections, and Chromium says so.
    if (message.type() === 'error' && !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED)/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(request.url());
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

/** The states that are filled, without those that only hold others. */
export async function activeStates(page: Page): Promise<Array<string | null>> {
  const boxes = await page.locator('.state.active:not(.holds)').all();
  return Promise.all(boxes.map((box) => box.getAttribute('data-state')));
}

/** What happened, newest first. */
export const eventNames = (page: Page): Promise<string[]> => page.locator('#events .type').allTextContents();
