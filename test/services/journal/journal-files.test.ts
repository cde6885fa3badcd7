import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {JournalEntry, JournalLine} from '../../../src/services/contracts/journal.ts';
import {createJournalFiles} from '../../../src/services/journal/journal-files.ts';
import {inspectJournal} from '../../../src/services/journal/read-journal.ts';
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

  test('is written at once by an ending process, even during another write', () => {
    const {open, lines} = openJournal();
    const journal = open();
    // This many are no longer held back: their file is being opened.
    const many = Array.from({length: 2_000}, (_, index) => entry(index + 1));
    journal.append(run, many);
    journal.append(run, [entry(2_001)]);
    journal.flush();
    expect(lines()).toEqual([header, ...many, entry(2_001)]);
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
    const many = Array.from({length: 2_000}, (_, index) => entry(index + 1));
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
    spoil(file);
    const journal = open();
    journal.append(run, [entry(1)]);
    await eventually(() => expect(failures).toEqual([expect.stringMatching(reason)]));
    journal.append(run, [entry(2)]);
    journal.flush();
    expect(failures).toHaveLength(1);
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
