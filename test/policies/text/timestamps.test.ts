import {describe, expect, test} from 'vitest';
import {compareTimestamps, isTimestamp, laterOf} from '../../../src/machines/policies/text/timestamps.ts';
import fc from '../../helpers/fast-check.ts';

describe('compareTimestamps', () => {
  test.each([
    {name: 'the same text', a: '2026-01-01T00:00:00Z', b: '2026-01-01T00:00:00Z', order: 0},
    {
      name: 'the same moment in two zones',
      a: '2026-01-01T05:30:00+05:30',
      b: '2026-01-01T00:00:00Z',
      order: 0,
    },
    {
      name: 'a moment before midnight in the west',
      a: '2025-12-31T19:00:00-05:00',
      b: '2026-01-01T00:00:00Z',
      order: 0,
    },
    {name: 'trailing zeros', a: '2026-01-01T00:00:00.5Z', b: '2026-01-01T00:00:00.500000000Z', order: 0},
    {name: 'one second', a: '2026-01-01T00:00:01Z', b: '2026-01-01T00:00:00Z', order: 1},
    {name: 'one millisecond', a: '2026-01-01T00:00:00.001Z', b: '2026-01-01T00:00:00Z', order: 1},
    {name: 'one nanosecond', a: '2026-01-01T00:00:00.000000001Z', b: '2026-01-01T00:00:00Z', order: 1},
    {
      name: 'the last nanosecond of a second against the next second',
      a: '2026-01-01T00:00:00.999999999Z',
      b: '2026-01-01T00:00:01Z',
      order: -1,
    },
    {name: 'fractions before 1970', a: '1969-12-31T23:59:59.1Z', b: '1969-12-31T23:59:59.9Z', order: -1},
    {name: 'the turn of 1970', a: '1969-12-31T23:59:59.999999999Z', b: '1970-01-01T00:00:00Z', order: -1},
    {name: "Go's zero time", a: '0001-01-01T00:00:00Z', b: '2026-01-01T00:00:00Z', order: -1},
  ])('$name', ({a, b, order}) => {
    expect([compareTimestamps(a, b), compareTimestamps(b, a)]).toEqual([order, order === 0 ? 0 : -order]);
  });

  test('orders any two moments, whatever their zones, to the nanosecond', () => {
    const moment = fc.record({
      seconds: fc.integer({min: -30_000_000_000, max: 200_000_000_000}),
      nanoseconds: fc.integer({min: 0, max: 999_999_999}),
      zone: fc.integer({min: -14 * 60, max: 14 * 60}),
    });
    const close = fc.tuple(moment, moment).map(([a, b]) => [a, {...b, seconds: a.seconds}] as const);
    fc.assert(
      fc.property(fc.oneof(fc.tuple(moment, moment), close), ([a, b]) => {
        const total = (each: typeof a) => BigInt(each.seconds) * 1_000_000_000n + BigInt(each.nanoseconds);
        const expected = total(a) < total(b) ? -1 : total(a) > total(b) ? 1 : 0;
        expect(compareTimestamps(textOf(a), textOf(b))).toBe(expected);
      }),
      {numRuns: 1_000},
    );
  });
});

describe('laterOf', () => {
  test.each([
    {name: 'now, when the clock advanced', now: '2026-01-02T00:00:00Z', later: '2026-01-02T00:00:00Z'},
    {
      name: 'the lower bound, when the clock went back',
      now: '2025-12-31T00:00:00Z',
      later: '2026-01-01T00:00:00Z',
    },
    {
      name: 'the lower bound, when the clock went back by a nanosecond',
      now: '2025-12-31T23:59:59.999999999Z',
      later: '2026-01-01T00:00:00Z',
    },
    {
      name: 'now, when both are the same moment',
      now: '2026-01-01T01:00:00+01:00',
      later: '2026-01-01T01:00:00+01:00',
    },
  ])('is $name', ({now, later}) => {
    expect(laterOf(now, '2026-01-01T00:00:00Z')).toBe(later);
  });
});

describe('isTimestamp', () => {
  test.each([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.1Z',
    '2026-01-01T00:00:00.123456789Z',
    '2026-01-01T00:00:00.1234567890123Z',
    '2026-01-01T23:59:59+14:00',
    '2024-02-29T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('accepts %s', (text) => {
    expect(isTimestamp(text)).toBe(true);
  });

  test.each([
    '',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-01-01t00:00:00z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00+24:00',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '+002026-01-01T00:00:00Z',
    '1767225600',
    'now',
  ])('refuses %j', (text) => {
    expect(isTimestamp(text)).toBe(false);
  });
});

function textOf({seconds, nanoseconds, zone}: {seconds: number; nanoseconds: number; zone: number}): string {
  const local = new Date((seconds + zone * 60) * 1000).toISOString().slice(0, 19);
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
  const offset = `${zone < 0 ? '-' : '+'}${two(Math.abs(zone) / 60)}:${two(Math.abs(zone) % 60)}`;
  return `${local}.${String(nanoseconds).padStart(9, '0')}${offset}`;
}
