import {mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {waitingRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const ref = '0195d27e-46c6-4b0f-bd54-657f920eee8d';

function asking(fields: Partial<RunRecord> = {}) {
  const project = cliProject(planOf(task('a', {status: 'waiting_user'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const run = waitingRun({repo_root: realpathSync(project.folder), provider_session_ref: ref, ...fields});
  writeFileSync(path.join(folder, 'a-1.json'), JSON.stringify(run));
  const [prompt = ''] = (run.questions ?? []).map((question) => question.prompt);
  return {project, prompt};
}

test.each<{why: string; fields?: Partial<RunRecord>; args?: readonly string[]; says: string}>([
  {why: 'that belongs to another folder', fields: {repo_root: '/elsewhere'}, says: 'cannot resume a: '},
  {why: 'of another agent than is asked for', args: ['--agent', 'codex'], says: 'cannot resume a: '},
])(
  'no question is asked when a session $why could not receive the answer',
  async ({fields, args = [], says}) => {
    const {project, prompt} = asking(fields);
    const {code, out, err} = await project.run(['resume', 'a', ...args], {terminal: true, answers: ['blue']});
    expect(code).not.toBe(0);
    expect(err).toContain(says);
    expect(err).toContain('E_RESUME_REFUSED');
    expect(out + err).not.toContain('Answer');
    expect(err.split('\n')).not.toContain(prompt);
  },
);

test('questions that can be delivered are asked first', async () => {
  const {project, prompt} = asking();
  const {err} = await project.run(['resume', 'a'], {terminal: true, answers: []});
  expect(err.split('\n')).toContain(prompt);
  expect(err).toContain('a still waits for your answer');
});

test('a blank line is no answer: the question says so, and how to leave it', async () => {
  const {project} = asking();
  const {err} = await project.run(['resume', 'a'], {terminal: true, answers: ['']});
  expect(err).toContain('\nAn answer is needed. Ctrl+C leaves the question for later.\n');
  expect(err).toContain('\n  next  blackbird resume a  answer it\n');
});
