import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {pausedRun, restingRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const provider_session_ref = '0b2c5d7e-3f41-4a6b-8c9d-0e1f2a3b4c5d';
const failed = restingRun({state: 'failed', provider_session_ref, resumable: true});

test.each<{what: string; run: RunRecord; cell: string}>([
  {what: 'a paused run', run: pausedRun({provider_session_ref}), cell: 'yes'},
  {what: 'a failed run with a session', run: failed, cell: 'yes'},
  {
    what: 'a failed run without a session',
    run: {...failed, provider_session_ref: '', resumable: false},
    cell: 'no',
  },
  {what: 'a failed run that was replaced', run: {...failed, superseded_by_run_id: 'a-2'}, cell: '-'},
  {what: 'a run that is done', run: {...failed, state: 'succeeded'}, cell: '-'},
])('RESUMABLE of $what is $cell', async ({run, cell}) => {
  const project = cliProject(planOf(task('a', {status: run.state === 'failed' ? 'failed' : 'in_progress'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, `${run.run_id}.json`), JSON.stringify({...run, repo_root: project.folder}));
  const {out} = await project.run(['runs', 'a'], {terminal: {columns: 200}});
  const [head = '', row = ''] = out.split('\n');
  expect(row.slice(head.indexOf('RESUMABLE'), head.indexOf('STARTED')).trim()).toBe(cell);
});

test('the reason for a pause is shown in words', async () => {
  const project = cliProject(planOf(task('a', {status: 'in_progress'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const run = pausedRun({provider_session_ref, repo_root: project.folder, pause_reason: 'usage_limit'});
  writeFileSync(path.join(folder, `${run.run_id}.json`), JSON.stringify(run));
  expect((await project.run(['runs', 'a'])).out).toContain('paused (usage limit)');
});

test.each([200, 80])(
  'below the table of %i columns: how a check failed, and what became of the commit',
  async (columns) => {
    const project = cliProject(planOf(task('a', {status: 'failed'})));
    const folder = path.join(project.folder, '.blackbird/runs/a');
    mkdirSync(folder, {recursive: true});
    const check = {
      command: 'npm test',
      round: 1,
      started_at: '',
      seconds: 2,
      exit_code: 1,
      signal: null,
      tail: 'setup\n1 test failed\n',
      log_file: 'l',
      log_digest: '',
    };
    const run = restingRun({
      state: 'failed',
      repo_root: project.folder,
      verifications: [check],
      commit: {skipped: 'a merge is under way'},
    });
    writeFileSync(path.join(folder, `${run.run_id}.json`), JSON.stringify(run));
    const {out} = await project.run(['runs', 'a'], {terminal: {columns}});
    expect(out).toContain('\n    setup\n    1 test failed\n    all of it: blackbird runs a --verbose');
    expect(out).toMatch(/^a-1 {2}not committed: a merge/m);
  },
);

test('on a narrow terminal: a line for each run, and how to see one in full', async () => {
  const project = cliProject(planOf(task('a', {status: 'failed'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const first = restingRun({
    run_id: 'refunds-1-404893',
    repo_root: project.folder,
    superseded_by_run_id: 'a-2',
    state: 'succeeded',
    decision_state: 'changes_requested',
  } as const);
  const second = {...failed, run_id: 'a-2', repo_root: project.folder, resumed_from_run_id: first.run_id};
  for (const run of [first, second])
    writeFileSync(path.join(folder, `${run.run_id}.json`), JSON.stringify(run));
  const {out} = await project.run(['runs', 'a'], {terminal: {columns: 80}});
  expect(out.split('\n')).toEqual([
    'RUN               STATE                     STARTED           TIME  TOKENS  COST',
    'a-2               failed                    2026-02-02 01:00  0.0s  -       -',
    'refunds-1-404893  succeeded (changes requ…  2026-02-02 01:00  0.0s  -       -',
    'One in full: blackbird runs a <runId>',
    '',
  ]);
});
