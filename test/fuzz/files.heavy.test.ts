import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {AppError} from '../../src/services/contracts/errors.ts';
import fc from '../helpers/fast-check.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';
import {fuzz} from './fuzz.ts';
import {changedBytes, jsonLike} from './hostile.ts';
import {kept as ofProjects} from './kept-files.ts';
import {keptSessionFiles} from './kept-session-files.ts';

// Every file that Blackbird reads back, with every kind of garbage in it: it is used, or refused by name, and
// stays as it is until the user changes it.

const kept = [...ofProjects, ...keptSessionFiles];

/** The error it ends with; anything but an expected error fails the test. */
async function refusalOf(job: () => Promise<unknown>): Promise<AppError | null> {
  try {
    await job();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

test.each(kept)(
  '$name is used or refused by name, and never lost',
  async ({file, sample, open, isReplaceable}) => {
    const folder = temporaryFolder();
    const whole = path.join(folder, file);
    mkdirSync(path.dirname(whole), {recursive: true, mode: 0o700});
    const tryOut = async (bytes: Buffer) => {
      writeFileSync(whole, bytes);
      const {read, change} = open(folder);
      const refused = await refusalOf(read);
      expect(readFileSync(whole).equals(bytes)).toBe(true);
      const changeRefused = await refusalOf(change);
      if (isReplaceable) return;
      if (changeRefused !== null) expect(readFileSync(whole).equals(bytes)).toBe(true);
      else if (refused === null) expect(await refusalOf(open(folder).read)).toBeNull();
      expect(readdirSync(path.dirname(whole)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    };
    await tryOut(Buffer.from(sample));
    await fuzz(fc.asyncProperty(fc.oneof(jsonLike(sample), changedBytes(sample)), tryOut), 40);
  },
);

test('every sample file can be read and changed before it is fuzzed', async () => {
  for (const {name, file, sample, open, isReplaceable} of kept) {
    if (isReplaceable) continue;
    const folder = temporaryFolder();
    const whole = path.join(folder, file);
    mkdirSync(path.dirname(whole), {recursive: true, mode: 0o700});
    writeFileSync(whole, sample);
    const {read, change} = open(folder);
    const refused = [await refusalOf(read), await refusalOf(change)];
    expect({name, refused}).toEqual({name, refused: [null, null]});
  }
});
