import {readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {offsetSince, openTimedLog, timesIn} from '../../../src/services/output/time-marks.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

test('when each part of a log was written, to the second, also after it was reopened', async () => {
  const [file, times] = ['log', 'times'].map((name) => path.join(temporaryFolder(), name)) as [
    string,
    string,
  ];
  let now = 1_000;
  for (const words of [['one\n', 'two\n'], ['three\n']]) {
    const log = openTimedLog(file, times, () => now);
    for (const word of words) {
      log.write(Buffer.from(word));
      now += 999;
    }
    now += 10_000;
    await log.close();
  }
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
  expect(readFileSync(times, 'utf8')).toBe('1000 0\n12998 8\n');
  const timeAt = timesIn(readFileSync(times, 'utf8'));
  expect([0, 1_001, 12_999].map((time) => offsetSince(readFileSync(times, 'utf8'), time))).toEqual([
    0,
    8,
    null,
  ]);
  expect([0, 4, 7, 8, 13].map(timeAt)).toEqual([1_000, 1_000, 1_000, 12_998, 12_998]);
});

test('a log without marks has no times, nor has the part before the first mark', () => {
  expect(timesIn('')(0)).toBe(null);
  expect(timesIn('5 10\n')(9)).toBe(null);
  expect(timesIn('5 10\nnonsense\n')(10)).toBe(5);
});
