import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {afterAll, onTestFinished} from 'vitest';
import {systemErrorCode} from '../../src/services/contracts/errors.ts';

/** A folder for the running test, removed afterwards. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A folder for all tests of a file or a `describe`, removed after the last one. */
export function sharedFolder(): string {
  const folder = makeFolder();
  afterAll(() => removeFolder(folder));
  return folder;
}

const makeFolder = () => realpathSync(mkdtempSync(path.join(os.tmpdir(), 'blackbird-test-')));

/** What a test started may still be writing there. */
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(folder, {recursive: true, force: true, maxRetries: 3});
      return;
    } catch (error) {
      if (attempt === 20 || systemErrorCode(error) !== 'ENOTEMPTY') throw error;
      await delay(50);
    }
  }
}
