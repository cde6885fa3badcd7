import {describe, expect, test} from 'vitest';
import type {RunRecord, RunStore} from '../../../src/services/contracts/run.ts';
import {openSegment, pausedRun, restingRun, runRecord, sessionRef} from '../../fakes/runs.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {now} from '../../helpers/plans.ts';

export type RunStoreHarness = {
  readonly store: RunStore;
  /** The same records as the next Blackbird finds them. */
  reopen(): RunStore;
  /** Puts a file into the folder of a task, as another program might. */
  put(taskId: string, fileName: string, text: string): void;
  text(taskId: string, fileName: string): string | undefined;
};

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const finish = (run: RunRecord): RunRecord => ({...run, state: 'failed', updated_at: now});

/** Task ids that would leave the folder, or clash, if they were used as file names. */
const hostileIds = [
  '..',
  '.',
  '/',
  '../other',
  '../../../../tmp/x',
  'a/b',
  'a_b',
  'a\\b',
  'a\0b',
  'con',
  '.hidden',
  '-rf',
  'ends.',
  '__proto__',
  'constructor',
  'schöne Aufgabe',
  'x'.repeat(300),
  'a.json',
];

/** What every run store must do, wherever it keeps the records. */
export function describeRunRecords(
  name: string,
  open: () => Pick<RunStoreHarness, 'store' | 'reopen'>,
): void {
  describe(`${name}: records`, () => {
    test('of a task that never ran are none', async () => {
      const {store} = open();
      expect(await store.list('a')).toEqual({runs: [], broken: []});
      expect(await store.latest('a')).toBeNull();
    });

    test('are read as they were inserted', async () => {
      const {store, reopen} = open();
      const run = runRecord({segments: [openSegment()], stdout: 'a <b> & "c"\u2028\n'});
      await store.insert(run);
      expect(await store.list('a')).toEqual({runs: [run], broken: []});
      expect(await store.latest('a')).toEqual(run);
      expect(await reopen().latest('a')).toEqual(run);
    });

    test('are only created: a second one with the same id is refused and the first stays', async () => {
      const {store} = open();
      await store.insert(runRecord());
      expect((await rejectionOf(store.insert(runRecord({state: 'failed'})))).code).toBe('E_RUN_EXISTS');
      expect((await store.list('a')).runs).toEqual([runRecord()]);
    });

    test('are changed by a function, which gets what is stored', async () => {
      const {store} = open();
      await store.insert(runRecord());
      expect(await store.update('a', 'a-1', finish)).toEqual(finish(runRecord()));
      expect(await store.update('a', 'a-1', (run) => ({...run, stdout: run.state}))).toEqual({
        ...finish(runRecord()),
        stdout: 'failed',
      });
      expect((await store.list('a')).runs).toEqual([{...finish(runRecord()), stdout: 'failed'}]);
    });

    test('that do not exist cannot be changed, and are not created', async () => {
      const {store} = open();
      expect((await rejectionOf(store.update('a', 'a-1', finish))).code).toBe('E_RUN_NOT_FOUND');
      expect(await store.list('a')).toEqual({runs: [], broken: []});
    });
  });

  describe(`${name}: the latest run`, () => {
    test('is the one with the highest attempt, whatever the clock and the names say', async () => {
      const {store} = open();
      const runs = [
        runRecord({
          run_id: 'z',
          attempt: 9,
          created_at: '2030-01-01T00:00:00Z',
          updated_at: '2030-01-01T00:00:00Z',
        }),
        runRecord({
          run_id: 'b',
          attempt: 10,
          created_at: '2020-01-01T00:00:00Z',
          updated_at: '2020-01-01T00:00:00Z',
        }),
        runRecord({run_id: 'c', attempt: 2}),
      ];
      for (const run of runs) await store.insert(run);
      expect((await store.latest('a'))?.run_id).toBe('b');
      expect((await store.list('a')).runs.map(({attempt}) => attempt)).toEqual([2, 9, 10]);
    });

    test('is never one that never started', async () => {
      const {store} = open();
      await store.insert(pausedRun());
      await store.insert(restingRun({run_id: 'a-2', attempt: 2, state: 'canceled', segments: []}));
      expect(await store.latest('a')).toEqual(pausedRun());
      await store.insert(restingRun({run_id: 'a-3', attempt: 3, state: 'canceled'}));
      expect((await store.latest('a'))?.run_id).toBe('a-3');
    });

    test('is never a review', async () => {
      const {store} = open();
      await store.insert(runRecord());
      await store.insert(runRecord({run_id: 'a-2', attempt: 2, run_type: 'review'}));
      expect((await store.latest('a'))?.run_id).toBe('a-1');
      expect((await store.list('a')).runs.map(({run_id}) => run_id)).toEqual(['a-1', 'a-2']);
    });
  });

  describe(`${name}: hostile names`, () => {
    test('every task id has its own folder', async () => {
      const {store, reopen} = open();
      for (const id of hostileIds) await store.insert(runRecord({task_id: id, run_id: 'r-1'}));
      for (const id of hostileIds) {
        expect(await store.latest(id)).toEqual(runRecord({task_id: id, run_id: 'r-1'}));
        await store.update(id, 'r-1', (run) => ({...run, stdout: id}));
      }
      const next = reopen();
      for (const id of hostileIds) expect((await next.latest(id))?.stdout).toBe(id);
      expect(new Set(hostileIds.map((id) => store.files(id, 'r-1').record)).size).toBe(hostileIds.length);
    });

    test.each(['..', '.', '', '../a', '/etc/passwd', 'a/b', 'a\\b', 'a\0b', '.hidden', 'ü', 'a b'])(
      'the run id %j is refused everywhere',
      async (runId) => {
        const {store} = open();
        expect((await rejectionOf(store.insert(runRecord({run_id: runId})))).code).toBe('E_RUN_NOT_FOUND');
        expect((await rejectionOf(store.update('a', runId, finish))).code).toBe('E_RUN_NOT_FOUND');
        expect(() => store.files('a', runId)).toThrow('is not a run id');
      },
    );

    test.each(['a-1', 'feedfacefeedface', 'T_1.2-3', '-rf-0123456789ab-1-0a1b2c'])(
      'the run id %j is accepted',
      async (runId) => {
        const {store} = open();
        await store.insert(runRecord({run_id: runId}));
        expect((await store.latest('a'))?.run_id).toBe(runId);
      },
    );
  });

  test(`${name}: a run keeps its place through all its states`, async () => {
    const {store, reopen} = open();
    await store.insert(runRecord());
    await store.update('a', 'a-1', () => pausedRun());
    expect(await reopen().latest('a')).toEqual(pausedRun());
    await store.update('a', 'a-1', () => restingRun({state: 'succeeded'}));
    expect(await reopen().list('a')).toEqual({runs: [restingRun({state: 'succeeded'})], broken: []});
  });
}

/** What a store must do in addition when others may write its records. */
export function describeRunStore(name: string, open: () => RunStoreHarness): void {
  describeRunRecords(name, open);

  describe(`${name}: records`, () => {
    test('that are running are written by no one else: an outside edit is reverted', async () => {
      const {store, put, text} = open();
      const run = runRecord({segments: [openSegment()], decision_required: true});
      await store.insert(run);
      expect(store.isAsWritten('a', run.run_id)).toBe(true);
      put('a', `${run.run_id}.json`, json({...run, decision_required: false}));
      expect(store.isAsWritten('a', run.run_id)).toBe(false);
      await store.update('a', run.run_id, (current) => ({...current, stdout: 'x'}));
      expect(JSON.parse(text('a', `${run.run_id}.json`) ?? '')).toEqual({...run, stdout: 'x'});
      put('a', `${run.run_id}.json`, 'broken');
      await store.update('a', run.run_id, finish);
      expect(await store.latest('a')).toEqual(finish({...run, stdout: 'x'}));
      expect(store.isAsWritten('a', run.run_id)).toBe(true);
    });

    test('that ended may be edited by others, and can be restored', async () => {
      const {store, put} = open();
      const run = restingRun({state: 'succeeded'});
      await store.insert(run);
      put('a', `${run.run_id}.json`, json({...run, result: 'other'}));
      expect(store.isAsWritten('a', run.run_id)).toBe(true);
      expect(await store.latest('a')).toEqual({...run, result: 'other'});
      await store.restore(run);
      expect(await store.latest('a')).toEqual(run);
    });

    test('keep unknown fields, at every level', async () => {
      const {store, put, text} = open();
      const run = {
        ...runRecord({
          segments: [{...openSegment(), nice: 19}],
          questions: [{id: 'q', prompt: 'p', help: 'h'}],
        }),
        decision_state: 'pending',
        someday: {files: ['x'], diffstat: ''},
        usage: {input_tokens: 1, output_tokens: 2, cached_tokens: 3},
        __proto: {deep: [1, {two: 2}]},
      };
      put('a', 'a-1.json', json(run));
      await store.update('a', 'a-1', finish);
      expect(JSON.parse(text('a', 'a-1.json') ?? '')).toEqual({...run, state: 'failed', updated_at: now});
    });

    test('are not written when the function changes nothing', async () => {
      const {store, put, text} = open();
      const odd = JSON.stringify(runRecord());
      put('a', 'a-1.json', odd);
      await store.update('a', 'a-1', (run) => run);
      expect(text('a', 'a-1.json')).toBe(odd);
    });

    test('are not written when the function throws', async () => {
      const {store, text} = open();
      await store.insert(runRecord());
      const before = text('a', 'a-1.json');
      const refused = store.update('a', 'a-1', () => {
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      expect(text('a', 'a-1.json')).toBe(before);
      expect((await store.list('a')).runs).toEqual([runRecord()]);
    });

    test('of another task are not shown, even in the same folder', async () => {
      const {store, put} = open();
      put('a', 'b-1.json', json(runRecord({run_id: 'b-1', task_id: 'b'})));
      expect(await store.list('a')).toEqual({runs: [], broken: []});
    });

    test('are told apart from stray and temporary files', async () => {
      const {store, put} = open();
      await store.insert(runRecord());
      put('a', 'notes.txt', 'hello');
      put('a', 'a-1.stdout.log', '{}');
      put('a', 'a-1.json.bak', '{');
      put('a', '.a-1.json.17.0123456789ab.tmp', '{');
      put('a', '.hidden.json', '{');
      expect(await store.list('a')).toEqual({runs: [runRecord()], broken: []});
    });
  });

  describe(`${name}: the latest run`, () => {
    test('that is running names its task, whatever its id', async () => {
      const {store, reopen, put} = open();
      expect(await store.runningTaskIds()).toEqual([]);
      for (const id of hostileIds) await store.insert(runRecord({task_id: id, run_id: 'r-1'}));
      await store.insert(pausedRun({task_id: 'rests', stdout: '\n  "state": "running"\n'}));
      await store.insert(runRecord({task_id: 'ended', run_id: 'e-1'}));
      await store.update('ended', 'e-1', finish);
      put('broken', 'b-1.json', '{');
      expect([...(await reopen().runningTaskIds())].sort()).toEqual([...hostileIds].sort());
    });
  });

  describe(`${name}: a broken record`, () => {
    const whole = runRecord({run_id: 'a-2', attempt: 2});
    test.each([
      {name: 'that is cut off', text: json(whole).slice(0, -20)},
      {name: 'that is empty', text: ''},
      {name: 'that is not JSON', text: 'hello'},
      {name: 'that is a list', text: '[]'},
      {name: 'that lacks a field', text: json({...whole, state: undefined})},
      {name: 'with an unknown state', text: json({...whole, state: 'sleeping'})},
      {name: 'of a later version', text: json({...whole, schema_version: 2})},
      {name: 'with attempt 0', text: json({...whole, attempt: 0})},
      {name: 'with another run id than its file name', text: json({...whole, run_id: '../a-1'})},
    ])('$name is named, kept as it is, and stops nothing else', async ({text: broken}) => {
      const {store, put, text} = open();
      await store.insert(runRecord());
      await store.insert(runRecord({task_id: 'b', run_id: 'b-1'}));
      put('a', 'a-2.json', broken);
      const {record} = store.files('a', 'a-2');

      expect(await store.list('a')).toEqual({
        runs: [runRecord()],
        broken: [{file: record, reason: expect.stringMatching(/./)}],
      });
      // Which run is the latest cannot be known.
      const refusal = await rejectionOf(store.latest('a'));
      expect(refusal.code).toBe('E_STORE_CORRUPT');
      expect(refusal.message).toContain(record);
      await expect(store.update('a', 'a-2', finish)).rejects.toThrow();
      expect((await rejectionOf(store.insert(whole))).code).toBe('E_RUN_EXISTS');
      expect(text('a', 'a-2.json')).toBe(broken);

      expect(await store.update('a', 'a-1', finish)).toEqual(finish(runRecord()));
      expect(await store.latest('b')).toEqual(runRecord({task_id: 'b', run_id: 'b-1'}));
    });
  });

  describe(`${name}: a record of the Go program`, () => {
    const go = (fields: Record<string, unknown> = {}) => ({
      id: 'feedfacefeedface',
      taskId: 'a',
      provider: 'claude',
      provider_session_ref: sessionRef,
      startedAt: '2025-12-24T18:00:00.123456789Z',
      completedAt: '2025-12-24T18:05:00Z',
      status: 'success',
      exitCode: 0,
      stdout: 'out',
      stderr: 'err',
      context: {task: {id: 'a'}},
      decision_state: 'approved_continue',
      ...fields,
    });
    const converted: RunRecord = {
      schema_version: 1,
      run_id: 'feedfacefeedface',
      task_id: 'a',
      run_type: 'execute',
      attempt: 1,
      state: 'succeeded',
      provider: 'claude',
      provider_session_ref: sessionRef,
      resumable: true,
      repo_root: '',
      created_at: '2025-12-24T18:00:00.123456789Z',
      updated_at: '2025-12-24T18:05:00Z',
      segments: [],
      stdout: 'out',
      stderr: 'err',
      exit_code: 0,
      decision_state: 'approved_continue',
    };

    test.each<{name: string; fields: Record<string, unknown>; expected: Partial<RunRecord>}>([
      {name: 'a success', fields: {}, expected: {}},
      {
        name: 'a failure',
        fields: {status: 'failed', exitCode: 1, error: 'exit status 1'},
        expected: {
          state: 'failed',
          exit_code: 1,
          failure: {kind: 'agent_error', message: 'exit status 1'},
        },
      },
      {name: 'a question', fields: {status: 'waiting_user'}, expected: {state: 'waiting'}},
      {name: 'a review', fields: {run_type: 'review'}, expected: {run_type: 'review'}},
      {
        name: 'a run whose program was lost',
        fields: {status: 'running', completedAt: undefined, exitCode: undefined},
        expected: {
          state: 'paused',
          pause_reason: 'process_lost',
          paused_at: '2025-12-24T18:00:00.123456789Z',
          updated_at: '2025-12-24T18:00:00.123456789Z',
          exit_code: null,
        },
      },
      {
        name: 'Codex, whose ref was never valid',
        fields: {provider: 'codex', provider_session_ref: 'feedfacefeedface'},
        expected: {provider: 'codex', provider_session_ref: '', resumable: false},
      },
    ])('is read in our terms: $name', async ({fields, expected}) => {
      const {store, put} = open();
      put('a', 'feedfacefeedface.json', json(go(fields)));
      expect(await store.list('a')).toEqual({runs: [{...converted, ...expected}], broken: []});
    });

    test('is never rewritten', async () => {
      const {store, put, text} = open();
      const own = json(go({status: 'waiting_user'}));
      put('a', 'feedfacefeedface.json', own);
      const refusal = await rejectionOf(store.update('a', 'feedfacefeedface', finish));
      expect(refusal.code).toBe('E_STORE_WRITE');
      expect(text('a', 'feedfacefeedface.json')).toBe(own);
      expect(await store.latest('a')).toEqual({...converted, state: 'waiting'});
    });

    test('comes before our own, by its start, and counts as an attempt', async () => {
      const {store, put} = open();
      put('a', 'aaaa.json', json(go({id: 'aaaa', startedAt: '2025-12-24T23:30:00Z'})));
      put('a', 'bbbb.json', json(go({id: 'bbbb', startedAt: '2025-12-24T23:00:00Z'})));
      put('a', 'cccc.json', json(go({id: 'cccc', startedAt: '2025-12-25T01:00:00.5+02:00'})));
      expect((await store.latest('a'))?.attempt).toBe(3);
      await store.insert(runRecord({attempt: 4}));
      expect((await store.list('a')).runs.map(({run_id, attempt}) => [run_id, attempt])).toEqual([
        ['bbbb', 1],
        ['cccc', 2],
        ['aaaa', 3],
        ['a-1', 4],
      ]);
    });
  });
}
