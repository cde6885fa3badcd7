import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {afterAll, onTestFinished} from 'vitest';

/** A folder of its own for the running test, gone when the test is finished. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A folder for all tests of a file or of a `describe`, gone after the last of them. */
export function sharedFolder(): string {
  const folder = makeFolder();
  afterAll(() => removeFolder(folder));
  return folder;
}

const makeFolder = () => realpathSync(mkdtempSync(path.join(os.tmpdir(), 'blackbird-test-')));

const removeFolder = (folder: string) => rmSync(folder, {recursive: true, force: true, maxRetries: 3});
