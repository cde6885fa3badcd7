import {chmodSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {Bundle} from '../../../src/services/contracts/bundle.ts';
import {
  bundledEntries,
  inspectBundle,
  readBundle,
  writeBundle,
} from '../../../src/services/journal/bundle-file.ts';
import {errorOf} from '../../helpers/errors.ts';
import {now} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const header = (run_id: string) =>
  ({kind: 'header', format: 1, blackbird: '1', at: now, run_id, task_id: 'a', machines: []}) as const;
const entry = (seq: number) =>
  ({
    kind: 'event',
    seq,
    at: now,
    actor: 'engine',
    parent: null,
    machine: 'engine',
    event: {type: 'x'},
    state: 'idle',
    status: 'active',
    transitions: [],
  }) as const;

const bundle: Bundle = {
  kind: 'blackbird-bundle',
  format: 1,
  created_at: now,
  task_id: 'a',
  versions: {},
  config: {},
  plan: null,
  runs: [],
  journals: [
    {run_id: 'a-1', lines: [header('a-1'), entry(7), header('a-1'), entry(1)]},
    {run_id: 'a-2', lines: [header('a-2'), entry(2), {kind: 'truncated', at: now, bytes: 9}]},
  ],
  problems: [],
};

describe('a bundle', () => {
  test('is private and is read back as it was', () => {
    const file = path.join(temporaryFolder(), 'b.json');
    expect(writeBundle(file, bundle, {force: false})).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readBundle(file)).toEqual(bundle);
  });

  test('replaces an existing file only when told to, and makes it private', () => {
    const file = path.join(temporaryFolder(), 'b.json');
    writeFileSync(file, `${'x'.repeat(100_000)}`);
    chmodSync(file, 0o644);
    expect(errorOf(() => writeBundle(file, bundle, {force: false}))).toMatchObject({code: 'E_STORE_WRITE'});
    expect(readFileSync(file, 'utf8')).toHaveLength(100_000);
    writeBundle(file, bundle, {force: true});
    expect(readBundle(file)).toEqual(bundle);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('never follows a link', () => {
    const folder = temporaryFolder();
    const [file, victim] = [path.join(folder, 'b.json'), path.join(folder, 'victim')];
    writeFileSync(victim, 'mine');
    symlinkSync(victim, file);
    expect(errorOf(() => writeBundle(file, bundle, {force: true}))).toMatchObject({
      code: 'E_STORE_WRITE',
      message: expect.stringMatching(/^cannot write the bundle .*ELOOP/),
    });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  test.each<{name: string; text: string; message: RegExp}>([
    {name: 'no JSON', text: '{', message: /not valid JSON/},
    {name: 'something else', text: '{"kind": "plan"}', message: /not a bundle of Blackbird/},
    {
      name: 'a broken line',
      text: JSON.stringify({...bundle, journals: [{run_id: 'a', lines: [{}]}]}),
      message: /not a bundle/,
    },
    ...[
      {kind: 'plan'},
      {format: '1'},
      {task_id: 1},
      {versions: null},
      {versions: 'none'},
      {runs: {}},
      {journals: {}},
      {journals: [null]},
      {journals: ['a-1']},
      {journals: [{run_id: 1, lines: []}]},
      {journals: [{run_id: 'a-1', lines: {}}]},
    ].map((fields) => ({
      name: JSON.stringify(fields),
      text: JSON.stringify({...bundle, ...fields}),
      message: /not a bundle of Blackbird/,
    })),
    {
      name: 'more depth than can be passed on',
      text: JSON.stringify(bundle).replace('"runs":[]', `"runs":[${'['.repeat(99)}${']'.repeat(99)}]`),
      message: /nested deeper than 64 levels/,
    },
    {
      name: 'a later format',
      text: JSON.stringify({...bundle, format: 2}),
      message: /format 2; this Blackbird reads 1/,
    },
  ])('is refused when it contains $name', ({text, message}) => {
    const file = path.join(temporaryFolder(), 'b.json');
    writeFileSync(file, text);
    expect(errorOf(() => readBundle(file))).toMatchObject({
      code: 'E_STORE_CORRUPT',
      message: expect.stringMatching(message),
      // It is not ours: nothing is to be moved away.
      next: [],
    });
  });

  test('that does not exist is named', () => {
    expect(errorOf(() => readBundle('/nowhere/b.json'))).toMatchObject({code: 'E_STORE_READ'});
  });

  test('is read as one stream: every Blackbird is a session', () => {
    const entries = [
      {...entry(7), seq: 1, session: 1, run_id: 'a-1'},
      {...entry(1), seq: 2, session: 2, run_id: 'a-1'},
      {...entry(2), seq: 3, session: 3, run_id: 'a-2'},
    ];
    expect(bundledEntries(bundle)).toEqual(entries);
    expect(inspectBundle(bundle).entries()).toEqual(entries);
  });
});
