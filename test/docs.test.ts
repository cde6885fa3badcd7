import {execFile} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {exitCodes} from '../src/cli/exit-codes.ts';
import {settingText} from '../src/machines/policies/setting-types.ts';
import {type Setting, settingKeys, settings} from '../src/services/contracts/config.ts';
import {programIds, providerIds, providerTable} from '../src/services/contracts/provider-table.ts';
import {ownFolders, ownNames} from '../src/services/git/known-names.ts';
import {projectFolder} from '../src/services/stores/project-folder.ts';
import {commands} from '../src/ui/commands/command-table.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const pages = [
  ...['README.md', 'AGENTS.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(path.join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** The anchors of a page, as GitHub makes them from its headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- ]/gu, '')
      .replace(/ /g, '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('has no broken link', () => {
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file, anchor] = target.split('#');
      const found = file ? path.join(path.dirname(page), file) : page;
      if (!existsSync(path.join(root, found))) return [target];
      return anchor && !anchorsOf(read(found)).includes(anchor) ? [target] : [];
    });
    expect(broken).toEqual([]);
  });

  test('names no machine path and no registry', () => {
    expect(text).not.toMatch(/\/(home|root|Users)\/\w|registry\.npmjs/);
  });
});

test('every threat of SECURITY.md has a test', () => {
  const rows = read('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | '))
    .slice(2);
  expect(rows.length).toBeGreaterThan(15);
  // The test of all links checks that the files exist.
  expect(rows.filter((cells) => !/\]\(test\/[\w./-]+\.test\.ts\)/.test(cells[3] ?? ''))).toEqual([]);
});

/** Pages for people who change the program. The files that other pages name are examples. */
const developerPages = [
  'AGENTS.md',
  ...['architecture', 'providers', 'testing'].map((name) => `docs/${name}.md`),
];

test.each(developerPages)('%s names files that exist', (page) => {
  const files = ['src', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(path.join(root, folder), {recursive: true}).map((file) => `/${folder}/${file}`),
  );
  const named = [...read(page).matchAll(/`([\w./-]+\.(?:tsx?|mjs|cjs))`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

test('README has at most 250 lines, and AGENTS.md 60', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(251);
  expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(61);
});

test('README, page and plot have the figures of docs/speed.json', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/bench.mjs', '--check'], {cwd: root});
  await expect(check).resolves.toEqual({stdout: '', stderr: ''});
});

test('every page is in the list of the README', () => {
  const listed = [...read('README.md').matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, file]) => file);
  expect(pages.filter((page) => page.startsWith('docs/') && !listed.includes(page))).toEqual([]);
});

test('docs/configuration.md has every setting with its default and its range', () => {
  const text = read('docs/configuration.md');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const rowOf = (key: string) => rows.find((row) => row.split('|')[1]?.includes(`\`${key}\``));
  const rangeOf = (setting: Setting) =>
    'min' in setting ? `${setting.min}–${setting.max === 1e12 ? '10^12' : setting.max}` : '';
  const missing = settingKeys.filter((key) => {
    const value = settingText(settings[key].default);
    const [, , shown = '', range = ''] = rowOf(key)?.split('|') ?? [];
    return !shown.replaceAll('`', '').includes(value) || !range.includes(rangeOf(settings[key]));
  });
  expect(missing, 'docs/configuration.md has no row for these, or another default or range').toEqual([]);
  const limited = providerIds.filter((id) => providerTable[id].limitsTurns);
  expect(rowOf('execution.maxTurns'), 'who can limit its turns, in its row').toContain(
    `(${limited.join(', ')} only)`,
  );
});

test('docs/providers.md has a row for every provider, and docs/sessions.md names those with a program', () => {
  const rows = read('docs/providers.md').split('\n');
  expect(
    providerIds.filter((id) => !rows.some((row) => new RegExp(`^\\| \`${id}\` +\\|`).test(row))),
    'the first table of docs/providers.md has no row for these',
  ).toEqual([]);
  const runners = /The \*\*runner\*\* is (.*), or an entry/.exec(read('docs/sessions.md'))?.[1];
  expect(runners?.split(', ').sort(), 'the sentence "The **runner** is …" in docs/sessions.md').toEqual(
    programIds.map((id) => `\`${id}\``).sort(),
  );
});

test('docs/terminal-ui.md has every command of the help that has a letter or sign as its key', () => {
  // The first column alone: in the text of another row, a letter may be the key of something else.
  const cells = read('docs/terminal-ui.md')
    .split('\n')
    .map((line) => /^\| (.*?[^\\])\|/.exec(line)?.[1] ?? '');
  const shown = new Set(cells.flatMap((cell) => [...cell.matchAll(/`\\?(\S+?)`/g)].map(([, key]) => key)));
  const arrows = new Map([
    ['left', '←'],
    ['right', '→'],
  ]);
  const missing = commands.filter(
    ({section, keys}) =>
      section !== undefined &&
      keys.some((key) => key.length === 1) &&
      !keys.some((key) => shown.has(arrows.get(key) ?? key)),
  );
  expect(
    missing.map(({id, keys}) => [id, ...keys]),
    'docs/terminal-ui.md has no row for these in its first column',
  ).toEqual([]);
});

test('docs/errors.md has every exit code', () => {
  const rows = read('docs/errors.md').split('\n');
  const isThere = (code: number) => rows.some((row) => new RegExp(`^\\| ${code} +\\|`).test(row));
  expect(
    Object.values(exitCodes).filter((code) => !isThere(code)),
    'docs/errors.md has no row for these',
  ).toEqual([]);
});

test('docs/errors.md has every error code', () => {
  const codes = [...read('src/services/contracts/errors.ts').matchAll(/'(E_[A-Z_]+)'/g)].map(
    ([, code = '']) => code,
  );
  expect(codes.length).toBeGreaterThan(40);
  const text = read('docs/errors.md');
  const isThere = (code: string) =>
    text.includes(`\`${code}\``) || /^E_(TMUX|GIT)_|_REMOVE_FAILED$/.test(code);
  expect(
    codes.filter((code) => !isThere(code)),
    'docs/errors.md has no row for these',
  ).toEqual([]);
});

test('docs/files.md has every file and folder of a project', () => {
  const text = read('docs/files.md');
  const places = Object.values(projectFolder('/project')).map((file) => path.relative('/project', file));
  const names = [...ownNames, ...ownFolders.keys()].map((name) => `.blackbird/${name}`);
  const isThere = (place: string) => new RegExp(`\`(~/)?${place.replaceAll('.', '\\.')}[\`/]`).test(text);
  expect(
    [...new Set([...places, ...names])].filter(
      (place) => place !== '' && place !== '.blackbird' && !isThere(place),
    ),
    'docs/files.md has no row for these',
  ).toEqual([]);
});
