import {execFileSync} from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {stat} from 'node:fs/promises';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {JournalEntry, JournalLine} from '../../../src/services/contracts/journal.ts';
import {createJournalFiles} from '../../../src/services/journal/journal-files.ts';
import {inspectJournal, readJournalLines} from '../../../src/services/journal/read-journal.ts';
import {eventually} from '../../helpers/eventually.ts';
import {now} from '../../helpers/plans.ts';
import {readJournal} from '../../helpers/read-journal.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const run = {task_id: 'a', run_id: 'a-1'};
const header = {
  kind: 'header',
  format: 1,
  blackbird: '1.2.3',
  at: now,
  ...run,
  machines: ['engine'],
} as const;

function entry(seq: number, fields: Partial<JournalEntry> = {}): JournalEntry {
  return {
    kind: 'event',
    seq,
    at: now,
    actor: 'engine',
    parent: null,
    machine: 'engine',
    event: {type: 'engine.stopAfterTask'},
    state: 'idle',
    status: 'active',
    transitions: [{source: 'engine', event: 'engine.stopAfterTask', index: 0, target: null}],
    ...fields,
  };
}

function openJournal({maxBytes}: {maxBytes?: number} = {}) {
  const folder = temporaryFolder();
  const failures: string[] = [];
  const fileOf = (taskId: string, runId: string) => path.join(folder, `${taskId}.${runId}.journal.jsonl`);
  const open = () =>
    createJournalFiles({
      fileOf,
      version: '1.2.3',
      now: () => now,
      onFailure: (reason) => failures.push(reason),
      ...(maxBytes === undefined ? {} : {maxBytes}),
    });
  const file = fileOf('a', 'a-1');
  return {
    open,
    file,
    failures,
    lines: (): JournalLine[] =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

/** Files that are being opened are open, or refused. */
async function opened() {
  for (let round = 0; round < 10; round++) {
    await stat('/');
    await nextTurn();
  }
}

const many = Array.from({length: 2_000}, (_, index) => entry(index + 1));

describe('a journal', () => {
  test('is written by itself after a pause, whole lines under one header, private', async () => {
    const {open, file, lines} = openJournal();
    const journal = open();
    journal.append(run, [entry(1)]);
    journal.append(run, [entry(2), entry(3)]);
    expect(existsSync(file)).toBe(false);
    await eventually(() => expect(lines()).toEqual([header, entry(1), entry(2), entry(3)]));
    journal.append(run, [entry(4)]);
    await eventually(() => expect(lines()).toEqual([header, entry(1), entry(2), entry(3), entry(4)]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is written at once by an ending process, even during another write, and only once', async () => {
    const {open, lines} = openJournal();
    const journal = open();
    // So many are not held back any longer: their file is being opened.
    journal.append(run, many);
    journal.append(run, [entry(2_001)]);
    journal.flush();
    expect(lines()).toEqual([header, ...many, entry(2_001)]);
    await opened();
    expect(lines()).toEqual([header, ...many, entry(2_001)]);
  });

  test('waits for a quiet moment, for two seconds at most', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance']});
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(10_000);
    const {open, file, lines} = openJournal();
    const journal = open();
    for (let seq = 1; seq <= 21; seq++) {
      journal.append(run, [entry(seq)]);
      vi.advanceTimersByTime(99);
      await opened();
      expect([seq, existsSync(file)]).toEqual([seq, false]);
    }
    // 2,079 ms after the first: it is not waited for.
    journal.append(run, [entry(22)]);
    vi.advanceTimersByTime(1);
    while (!statSync(file, {throwIfNoEntry: false})?.size) await nextTurn();
    expect(lines()).toEqual([header, ...many.slice(0, 22)]);
  });

  test('leaves nothing in memory once it is written', async () => {
    const before = process.listenerCount('exit');
    const {open, lines} = openJournal();
    const journal = open();
    journal.append(run, [entry(1)]);
    expect(process.listenerCount('exit')).toBe(before + 1);
    await eventually(() => {
      expect(lines()).toEqual([header, entry(1)]);
      expect(process.listenerCount('exit')).toBe(before);
    });
  });

  test('keeps entries that arrive during a write for the end of the process', async () => {
    // What is held back waits forever.
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    onTestFinished(() => void vi.useRealTimers());
    const before = process.listeners('exit');
    const {open, file, lines} = openJournal();
    const journal = open();
    journal.append(run, many);
    // The file of the many is being opened; this one is held back.
    journal.append(run, [entry(2_001)]);
    while (!statSync(file, {throwIfNoEntry: false})?.size) await nextTurn();
    const [atExit] = process.listeners('exit').filter((each) => !before.includes(each));
    expect(atExit).toBeDefined();
    atExit?.(0);
    expect(lines()).toEqual([header, ...many, entry(2_001)]);
    expect(process.listeners('exit')).toEqual(before);
  });

  test('continues in the next process under a new header', () => {
    const {open, lines, file} = openJournal();
    for (const seq of [1, 2]) {
      const journal = open();
      journal.append(run, [entry(seq)]);
      journal.flush();
    }
    expect(lines()).toEqual([header, entry(1), header, entry(2)]);
    expect(readJournal(file)).toEqual({
      headers: [header, header],
      entries: [
        {...entry(1), session: 1},
        {...entry(2), session: 2},
      ],
      isCut: false,
      broken: [],
    });
  });

  test('keeps interleaved runs apart, each with one header of its process', () => {
    const {open, file} = openJournal();
    const journal = open();
    const other = {task_id: 'b', run_id: 'b-1'};
    for (const first of [1, 3]) {
      journal.append(run, [entry(first)]);
      journal.append(other, [entry(first + 1)]);
      journal.append(run, [entry(first + 10)]);
      journal.flush();
    }
    const sessions = (name: string) => readJournal(name).entries.map(({session}) => session);
    expect(sessions(file)).toEqual([1, 1, 1, 1]);
    expect(sessions(file.replace('a.a-1', 'b.b-1'))).toEqual([1, 1]);
  });

  test.each([
    {name: 'in the middle of a line', torn: '{"kind":"event","seq":9'},
    {name: 'in a line longer than one read', torn: `{"kind":"${'x'.repeat(200_000)}`},
  ])('that was torn $name is repaired by the next process', ({torn}) => {
    const {open, file, lines} = openJournal();
    const first = open();
    first.append(run, [entry(1)]);
    first.flush();
    appendFileSync(file, torn);
    expect(readJournal(file)).toMatchObject({entries: [{...entry(1), session: 1}], broken: []});
    const second = open();
    second.append(run, [entry(2)]);
    second.flush();
    expect(lines()).toEqual([header, entry(1), header, entry(2)]);
  });

  test('with nothing but a torn line starts over', () => {
    const {open, file, lines} = openJournal();
    writeFileSync(file, '{"kind":"hea');
    const journal = open();
    journal.append(run, [entry(1)]);
    journal.flush();
    expect(lines()).toEqual([header, entry(1)]);
  });

  test('may be exactly as long as is allowed', () => {
    const text = `${[header, entry(1)].map((line) => JSON.stringify(line)).join('\n')}\n`;
    const {open, lines} = openJournal({maxBytes: Buffer.byteLength(text)});
    const journal = open();
    journal.append(run, [entry(1)]);
    journal.flush();
    expect(lines()).toEqual([header, entry(1)]);
  });

  test('is cut when it grows too long, says so, and stays cut', () => {
    const room = Buffer.byteLength(
      `${[header, entry(1), entry(2)].map((line) => JSON.stringify(line)).join('\n')}\n`,
    );
    const {open, file, lines} = openJournal({maxBytes: room + 200});
    const journal = open();
    journal.append(run, [entry(1), entry(2), entry(3), entry(4)]);
    journal.flush();
    const cut = {kind: 'truncated', at: now, bytes: room + 200};
    expect(lines()).toEqual([header, entry(1), entry(2), cut]);
    // By its size alone the next Blackbird knows that it is full.
    expect(statSync(file).size).toBe(room + 200);
    journal.append(run, [entry(5)]);
    journal.flush();
    const next = open();
    next.append(run, [entry(6)]);
    next.flush();
    expect(lines()).toEqual([header, entry(1), entry(2), cut]);
    expect(readJournal(file)).toMatchObject({isCut: true, broken: [], entries: {length: 2}});
  });

  test.each<{name: string; spoil: (file: string) => void; reason: RegExp}>([
    {name: 'its folder is in the way', spoil: (file) => mkdirSync(file), reason: /EISDIR/},
    {name: 'a link leads elsewhere', spoil: (file) => symlinkSync('/dev/null', file), reason: /ELOOP/},
  ])('ends with one message about it when $name', async ({spoil, reason}) => {
    const {open, file, failures} = openJournal();
    const before = process.listenerCount('exit');
    spoil(file);
    const journal = open();
    journal.append(run, [entry(1)]);
    await eventually(() => expect(failures).toEqual([expect.stringMatching(reason)]));
    rmSync(file, {recursive: true});
    journal.append(run, [entry(2)]);
    journal.flush();
    expect([failures.length, existsSync(file), process.listenerCount('exit')]).toEqual([1, false, before]);
  });

  test('ends for all runs, with one message, when one of them cannot be written', async () => {
    const {open, file, failures} = openJournal();
    const others = ['b', 'c'].map((id) => ({task_id: id, run_id: `${id}-1`}));
    mkdirSync(file);
    const journal = open();
    journal.append(run, [entry(1)]);
    if (others[0]) journal.append(others[0], many);
    // The folder is being opened, b waits for it, and c is held back.
    if (others[1]) journal.append(others[1], [entry(1)]);
    await eventually(() => expect(failures).toEqual([expect.stringMatching(/EISDIR/)]));
    journal.flush();
    await opened();
    expect(readdirSync(path.dirname(file))).toEqual(['a.a-1.journal.jsonl']);
  });

  test('that fails when flushed and again in the background reports it once', async () => {
    const {open, file, failures} = openJournal();
    mkdirSync(file);
    const journal = open();
    journal.append(run, many);
    journal.flush();
    expect(failures).toEqual([expect.stringMatching(/EISDIR/)]);
    await opened();
    expect(failures).toHaveLength(1);
  });

  test.each([
    {count: 1_000, failed: [], files: 1_000},
    {count: 1_001, failed: ['the disk does not answer'], files: 0},
  ])('of $count runs that wait for the disk', ({count, failed, files}) => {
    const {open, file, failures} = openJournal();
    const journal = open();
    for (let each = 0; each < count; each++) journal.append({task_id: `t${each}`, run_id: '1'}, [entry(1)]);
    journal.flush();
    expect([failures, readdirSync(path.dirname(file)).length]).toEqual([failed, files]);
  });
});

describe('reading a journal', () => {
  test('there is none', () => {
    const file = path.join(temporaryFolder(), 'none.jsonl');
    expect(readJournal(file)).toEqual({headers: [], entries: [], isCut: false, broken: []});
  });

  test('names the lines it does not understand', () => {
    const file = path.join(temporaryFolder(), 'j.jsonl');
    const lines = [
      entry(1),
      header,
      'no JSON',
      {kind: 'event', seq: 1},
      {...entry(1), transitions: [{source: 1}]},
      {...header, format: 2},
      entry(2),
    ];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(file, `${text.join('\n')}\n`);
    expect(readJournal(file)).toEqual({
      headers: [header],
      entries: [{...entry(2), seq: 1, session: 1}],
      isCut: false,
      broken: [1, 3, 4, 5, 6],
    });
  });

  test.each<readonly [string, unknown]>([
    ...[
      {kind: 'other'},
      {status: 'other'},
      {seq: '1'},
      {at: 1},
      {actor: 1},
      {machine: 1},
      {parent: 1},
      {event: []},
      {event: {type: 1}},
      {state: undefined},
      {transitions: {}},
      {transitions: [null]},
      {transitions: [{source: 1, event: '', index: 0, target: null}]},
      {transitions: [{source: 's', event: 1, index: 0, target: null}]},
      {transitions: [{source: 's', event: '', index: '0', target: null}]},
      {transitions: [{source: 's', event: '', index: 0, target: 1}]},
      {context: []},
    ].map((fields) => ['an entry', {...entry(1), ...fields}] as const),
    ...[{format: '1'}, {blackbird: 1}, {at: 1}, {run_id: 1}, {task_id: 1}].map(
      (fields) => ['a header', {...header, ...fields}] as const,
    ),
    ['a cut', {kind: 'truncated', at: now, bytes: '1'}],
    ['nothing', null],
    ['a list', []],
  ])('rejects %s that is invalid: %j', (_, line) => {
    const file = path.join(temporaryFolder(), 'j.jsonl');
    writeFileSync(file, `${[header, line].map((each) => JSON.stringify(each)).join('\n')}\n`);
    expect(readJournal(file)).toEqual({headers: [header], entries: [], isCut: false, broken: [2]});
  });

  test('returns its lines as they are, and the numbers of those left out', () => {
    const file = path.join(temporaryFolder(), 'j.jsonl');
    expect(readJournalLines(file)).toBeNull();
    const text = [header, entry(7)].map((line) => JSON.stringify(line)).join('\nno JSON\n');
    writeFileSync(file, `${text}\ntorn`);
    expect(readJournalLines(file)).toEqual({lines: [header, entry(7)], broken: [2]});
  });

  test.each<{name: string; spoil: (file: string) => void; reason: RegExp}>([
    {name: 'a link', spoil: (file) => symlinkSync('/dev/null', file), reason: /cannot read the journal/},
    {name: 'a pipe', spoil: (file) => void execFileSync('mkfifo', [file]), reason: /not a regular file/},
    {
      name: 'a file of more than 64 MiB',
      spoil: (file) => {
        writeFileSync(file, '');
        truncateSync(file, 64 * 1024 * 1024 + 1);
      },
      reason: /too large/,
    },
  ])('$name is refused', ({spoil, reason}) => {
    const file = path.join(temporaryFolder(), 'j.jsonl');
    spoil(file);
    expect(() => inspectJournal(file)).toThrow(reason);
  });

  test('follows it for the remaining listeners, and for later ones', async () => {
    const file = path.join(temporaryFolder(), 'j.jsonl');
    const add = (line: unknown) => appendFileSync(file, `${JSON.stringify(line)}\n`);
    add(header);
    const source = inspectJournal(file, {pollMilliseconds: 5});
    const heard: string[] = [];
    const listen = (name: string) => source.subscribe(({seq}) => heard.push(`${name}${seq}`));
    const [first, second] = [listen('first'), listen('second')];
    first();
    add(entry(1));
    await eventually(() => expect(heard).toEqual(['second1']));
    second();
    const third = listen('third');
    add(entry(2));
    await eventually(() => expect(heard).toEqual(['second1', 'third2']));
    third();
  });

  test('follows it while there is a listener', async () => {
    const {open, file} = openJournal();
    const journal = open();
    journal.append(run, [entry(1)]);
    journal.flush();
    const source = inspectJournal(file, {pollMilliseconds: 5});
    expect(source.entries()).toEqual([{...entry(1), session: 1}]);
    const heard: number[] = [];
    const stop = source.subscribe(({seq}) => heard.push(seq));
    appendFileSync(file, JSON.stringify(entry(2)).slice(0, 20));
    appendFileSync(file, `${JSON.stringify(entry(2)).slice(20)}\n`);
    await eventually(() => expect(heard).toEqual([2]));
    expect(source.entries()).toHaveLength(2);
    stop();
  });

  test('that does not exist yet starts empty and is followed', async () => {
    const {open, file} = openJournal();
    const source = inspectJournal(file, {pollMilliseconds: 5});
    const heard: number[] = [];
    const stop = source.subscribe(({seq}) => heard.push(seq));
    const journal = open();
    journal.append(run, [entry(1)]);
    journal.flush();
    await eventually(() => expect(heard).toEqual([1]));
    stop();
  });
});
