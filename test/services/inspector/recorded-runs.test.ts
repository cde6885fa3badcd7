import {mkdirSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {recordedRuns} from '../../../src/services/inspector/recorded-runs.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const time = (seconds: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + seconds * 1000);

/** A journal of a run, changed this many seconds after the start of the others. */
function journal(folder: string, task: string, run: string, seconds: number, text?: string): string {
  mkdirSync(path.join(folder, task), {recursive: true});
  const file = path.join(folder, task, `${run}.journal.jsonl`);
  const head = JSON.stringify({kind: 'header', task_id: `task of ${task}`, run_id: run});
  writeFileSync(file, text ?? `${head}\n{"kind":"event"}\n`);
  utimesSync(file, time(seconds), time(seconds));
  return file;
}

test('the runs whose journals changed last come first, as many as requested', () => {
  const folder = temporaryFolder();
  journal(folder, 'a', 'a-1', 1);
  journal(folder, 'b', 'b-1', 3);
  journal(folder, 'a', 'a-2', 2);
  const all = [
    {task_id: 'task of b', run_id: 'b-1', changed_at: time(3).toISOString()},
    {task_id: 'task of a', run_id: 'a-2', changed_at: time(2).toISOString()},
    {task_id: 'task of a', run_id: 'a-1', changed_at: time(1).toISOString()},
  ];
  expect(recordedRuns(folder, 3)).toEqual(all);
  expect(recordedRuns(folder, 2)).toEqual(all.slice(0, 2));
});

test('unreadable runs are skipped, and a link is not followed', () => {
  const folder = temporaryFolder();
  const real = journal(folder, 'a', 'a-1', 1);
  journal(folder, 'a', 'torn', 2, '{"kind":"head');
  journal(folder, 'a', 'empty', 3, '');
  journal(folder, 'a', 'nameless', 4, '{"kind":"header","task_id":1}\n');
  symlinkSync(real, path.join(folder, 'a', 'link.journal.jsonl'));
  writeFileSync(path.join(folder, 'a', 'a-1.json'), '{}');
  writeFileSync(path.join(folder, 'loose.journal.jsonl'), '{}');
  expect(recordedRuns(folder, 10).map(({run_id}) => run_id)).toEqual(['a-1']);
});

test('without runs nothing is recorded', () => {
  expect(recordedRuns(path.join(temporaryFolder(), 'none'), 10)).toEqual([]);
});
