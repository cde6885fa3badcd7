import {describe, expect, test} from 'vitest';
import {redact, restore} from '../../../src/machines/policies/inspect/redaction.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import {sessionRef} from '../../fakes/runs.ts';

describe('what is kept of a value', () => {
  test.each<{name: string; value: unknown; kept: unknown}>([
    {name: 'text becomes its length', value: {prompt: 'Fix the login'}, kept: {prompt: '<13 chars>'}},
    {
      name: 'so does a single word',
      value: {value: 'hunter2', message: 'no'},
      kept: {value: '<7 chars>', message: '<2 chars>'},
    },
    {name: 'null stays null', value: {value: '', feedback: ' \n '}, kept: {value: '', feedback: ' '}},
    {name: 'a placeholder stays a placeholder', value: {prompt: '<13 chars>'}, kept: {prompt: '<13 chars>'}},
    {
      name: "the machine's paths are removed",
      value: {boot_id: 'b00t', bootId: 'b00t', run_id: 'a-1'},
      kept: {boot_id: '<4 chars>', bootId: '<4 chars>', run_id: 'a-1'},
    },
    {
      name: 'numbers and booleans stay',
      value: {exit_code: null, resumable: true, attempt: 2, pid: 7},
      kept: {exit_code: null, resumable: true, attempt: 2, pid: 7},
    },
    {
      name: 'states, ids, kinds and times stay',
      value: {
        type: 'run.pause',
        state: 'paused',
        task_id: 'api',
        kind: 'auth',
        paused_at: '2026-01-01T00:00:00.000Z',
        sessionRef,
      },
      kept: {
        type: 'run.pause',
        state: 'paused',
        task_id: 'api',
        kind: 'auth',
        paused_at: '2026-01-01T00:00:00.000Z',
        sessionRef,
      },
    },
    {
      name: 'a sentence or a path in place of a word does not stay',
      value: {reason: 'the session is gone', id: '/home/me/x', taskIds: ['a', 'b c']},
      kept: {reason: '<19 chars>', id: '<10 chars>', taskIds: ['a', '<3 chars>']},
    },
    {
      name: 'a word that is too long does not stay',
      value: {id: 'a'.repeat(200), taskId: 'a'.repeat(201)},
      kept: {id: 'a'.repeat(200), taskId: '<201 chars>'},
    },
    {
      name: 'arguments lose their text',
      value: {argv: ['claude', '-p']},
      kept: {argv: ['<6 chars>', '<2 chars>']},
    },
    {
      name: 'an expected error keeps its code',
      value: {error: new AppError('E_TASK_NOT_READY', 'api waits for db')},
      kept: {error: {$error: 'AppError', code: 'E_TASK_NOT_READY', message: '<16 chars>'}},
    },
    {
      name: 'any other error its name',
      value: new TypeError('secret'),
      kept: {$error: 'TypeError', message: '<6 chars>'},
    },
    {name: 'undefined values are left out', value: {a: undefined, b: () => 1}, kept: {}},
    {name: 'a list keeps its indexes', value: [undefined, 1], kept: [null, 1]},
    {name: 'a list of 20 stays whole', value: Array(20).fill(1), kept: Array(20).fill(1)},
    {
      name: 'a list of 21 becomes its length and its end',
      value: Array(21).fill(1),
      kept: {$list: 21, last: [1, 1, 1, 1, 1]},
    },
    {name: 'a map', value: new Map([['a', 1]]), kept: {$map: [['<1 chars>', 1]]}},
    {name: 'a set', value: new Set([1, 2]), kept: {$set: [1, 2]}},
    {name: 'NaN and infinities', value: Number.POSITIVE_INFINITY, kept: 'Infinity'},
    {name: 'an actor', value: {sessionId: 'x:0', getSnapshot: () => 1, secret: 1}, kept: {$actor: true}},
  ])('$name', ({value, kept}) => {
    expect(redact(value)).toEqual(kept);
  });

  test('a field called __proto__ is an ordinary field', () => {
    const kept = redact(JSON.parse('{"__proto__": {"state": "paused"}}'));
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"state":"paused"}}');
    expect(JSON.stringify(restore(kept))).toBe('{"__proto__":{"state":"paused"}}');
  });

  test('a cyclic value ends', () => {
    const value: Record<string, unknown> = {};
    value.again = value;
    expect(JSON.stringify(redact(value))).toMatch(/\{"\$cut":"depth"\}/);
  });
});

describe('what replay gets in its place', () => {
  test.each<{name: string; value: unknown; restored: unknown}>([
    {
      name: 'plain values',
      value: {state: 'paused', list: [1, null]},
      restored: {state: 'paused', list: [1, null]},
    },
    {name: 'a map', value: new Map([[1, 2]]), restored: new Map([[1, 2]])},
    {name: 'a set', value: new Set([1]), restored: new Set([1])},
    {name: 'a long list', value: Array(30).fill({id: 'a'}), restored: Array(30).fill({id: 'a'})},
  ])('$name', ({value, restored}) => {
    expect(restore(redact(value))).toEqual(restored);
  });

  test('errors whose code a guard reads', () => {
    const error = restore(redact(new AppError('E_TASK_NOT_READY', 'api')));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({code: 'E_TASK_NOT_READY', message: '<3 chars>'});
  });

  test('no more than fits in memory, whatever a file claims', () => {
    expect(restore({$list: 1e15, last: []})).toHaveLength(1_000_000);
    expect(restore({$list: -5, last: [1]})).toEqual([1]);
    const lists = restore(Array(3).fill({$list: 600_000, last: [{$list: 30, last: []}]})) as unknown[][];
    expect(lists.map(({length}) => length)).toEqual([599_999 + 1, 399_941 + 1, 1]);
  });
});
