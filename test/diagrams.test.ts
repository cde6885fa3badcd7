import {execFile} from 'node:child_process';
import path from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

// To fix a failure: npm run diagrams
test('the docs draw the machines as they are', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/diagrams.mjs', '--check'], {cwd: root});
  await expect(check).resolves.toEqual({stdout: '', stderr: ''});
});
