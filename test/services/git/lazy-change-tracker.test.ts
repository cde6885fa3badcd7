import {expect, test} from 'vitest';
import {reviewRules} from '../../../src/machines/policies/review/review-summary.ts';
import {createLazyChangeTracker} from '../../../src/services/git/lazy-change-tracker.ts';
import {projectFolder} from '../../../src/services/stores/project-folder.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {testRepository} from './test-repository.ts';

const trackerOf = (folder: string, env: Record<string, string> = {}) =>
  createLazyChangeTracker({project: projectFolder(folder), env, rules: reviewRules});
const nothing = {files: [], diffstat: '', snippets: []};

test('without a repository it says so', async () => {
  const tracker = trackerOf(temporaryFolder());
  expect(await tracker.snapshot()).toBeNull();
  expect(await tracker.summarize(null, null)).toEqual({...nothing, note: 'there is no git repository'});
});

test('a repository it has not examined is not denied: a run of another process may have no tree', async () => {
  const {folder, env} = testRepository();
  const summary = await trackerOf(folder, env).summarize(null, null);
  expect(summary).toEqual({...nothing, note: 'the files were not recorded'});
});

test('a repository created later is found, and so are changes in it from then on', async () => {
  const folder = temporaryFolder();
  const tracker = trackerOf(folder, {PATH: process.env.PATH ?? ''});
  expect(await tracker.snapshot()).toBeNull();
  const {write} = testRepository({folder});
  const from = await tracker.snapshot();
  write('new.txt');
  const to = await tracker.snapshot(from);
  expect(await tracker.summarize(from, to)).toMatchObject({files: ['new.txt'], total_files: 1});
});
