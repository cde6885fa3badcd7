import {describe, expect, test} from 'vitest';
import {findSession, inListOrder, requireMeta} from '../../../src/machines/policies/session/session-refs.ts';
import {brokenEntry, repoId, sessionEntry} from '../../fakes/session-runs.ts';
import {errorOf, rejectionOf, seen} from '../../helpers/errors.ts';

const first = sessionEntry({run_id: '20260110120000-a3f2', name: 'refunds'});
const second = sessionEntry({run_id: '20260110120000-b000', name: 'ledger'});
const longer = sessionEntry({run_id: '20260110120000-a3f2x', name: 'longer'});
const archived = sessionEntry({
  run_id: '20260109000000-0001',
  name: 'old',
  archive: {archived_at: '2026-01-09T01:00:00Z'},
});
const broken = brokenEntry('20260108000000-0002');
const entries = [longer, second, first, archived, broken];
const nowhere = async () => null;
const find = (ref: string, all = entries, here: () => Promise<string | null> = nowhere) =>
  findSession(all, ref, here);

describe('a session is found', () => {
  test.each([
    ['20260110120000-a3f2', first],
    ['  20260110120000-a3f2\n', first],
    ['20260110120000-b', second],
    ['20260109', archived],
    ['refunds', first],
    [' ledger ', second],
    ['old', archived],
    ['20260108000000-0002', broken],
    ['20260108', broken],
  ])('%j', async (ref, expected) => {
    expect(await find(ref)).toBe(expected);
  });

  test('by a name that an archived session also has', async () => {
    const again = sessionEntry({run_id: '20260111000000-0003', name: 'old'});
    expect(await find('old', [...entries, again])).toBe(again);
  });

  test("in the user's repository, when several have one", async () => {
    const there = sessionEntry({run_id: '20260111000000-0003', repo_id: 'other', name: 'refunds'});
    const twin = sessionEntry({run_id: first.runId, repo_id: 'other', name: 'twin'});
    expect(await find('refunds', [first, there], async () => 'other')).toBe(there);
    expect(await find('refunds', [first, there], async () => repoId)).toBe(first);
    expect(await find(first.runId, [first, twin], async () => 'other')).toBe(twin);
  });

  test('without reading the working directory, when there is only one', async () => {
    const ask = async () => {
      throw new Error('asked');
    };
    expect(await find('refunds', entries, ask)).toBe(first);
    expect(await find('20260110120000-b', entries, ask)).toBe(second);
  });
});

describe('a session is not found', () => {
  test.each(['', '   ', 'nobody', '20260110120000-c', 'refund', '../20260110120000-a3f2', '*', '__proto__'])(
    '%j',
    async (ref) => {
      expect(seen(await rejectionOf(find(ref)))).toMatchObject({
        code: 'E_RUN_NOT_FOUND',
        message: `run not found: ${ref.trim()}`,
      });
    },
  );

  test('when there is none', async () => {
    expect((await rejectionOf(find('x', []))).code).toBe('E_RUN_NOT_FOUND');
  });
});

describe('when several match', () => {
  test('and all matches are named in the order of their ids', async () => {
    expect(seen(await rejectionOf(find('20260110')))).toEqual({
      code: 'E_RUN_ID_AMBIGUOUS',
      message: [
        'ambiguous run_id "20260110" matches multiple runs:',
        `  20260110120000-a3f2 (refunds) in repo ${repoId}`,
        `  20260110120000-a3f2x (longer) in repo ${repoId}`,
        `  20260110120000-b000 (ledger) in repo ${repoId}`,
      ].join('\n'),
      details: [['hint', 'use the full run_id']],
      next: [],
    });
  });

  test('when two repositories have the name, neither of them here', async () => {
    const there = sessionEntry({run_id: '20260111000000-0003', repo_id: 'other', name: 'refunds'});
    expect(await rejectionOf(find('refunds', [there, first], async () => 'third'))).toMatchObject({
      code: 'E_RUN_REF_AMBIGUOUS',
      message: [
        'ambiguous name "refunds" matches multiple runs:',
        `  20260110120000-a3f2 (refunds) in repo ${repoId}`,
        '  20260111000000-0003 (refunds) in repo other',
      ].join('\n'),
    });
  });
});

test('a broken session is refused by name', () => {
  expect(seen(errorOf(() => requireMeta(broken)))).toEqual({
    code: 'E_RUN_BROKEN',
    message: 'run exists but meta.json is unreadable or invalid',
    details: [
      ['run', '20260108000000-0002'],
      ['file', broken.file],
      ['reason', 'it is empty'],
    ],
    next: [],
  });
});

test('lists start with the newest and end with broken sessions', () => {
  const newer = sessionEntry({run_id: '20260112000000-0000', created_at: '2026-01-12T00:00:00Z'});
  expect(inListOrder([broken, first, newer, second]).map(({runId}) => runId)).toEqual([
    '20260112000000-0000',
    '20260110120000-b000',
    '20260110120000-a3f2',
    '20260108000000-0002',
  ]);
});
