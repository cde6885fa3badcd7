import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {restingRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

// Logs that someone removed: the record of the run has the end of both streams.
test.each([
  {what: 'what it said', args: [], printed: 'Hello\nfailed (agent_error): it broke\n'},
  {what: 'exactly what it printed', args: ['--raw'], printed: '{"demo":"message","text":"Hello"}\n'},
  {what: 'its error output', args: ['--stderr'], printed: 'no disk\n'},
  {
    what: 'data',
    args: ['--json'],
    printed: '{"run_id":"a-1","line":"{\\"demo\\":\\"message\\",\\"text\\":\\"Hello\\"}"}\n',
  },
])('without a log its record shows $what', async ({args, printed}) => {
  const project = cliProject(planOf(task('a', {status: 'failed'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const run = restingRun({
    provider: 'demo',
    state: 'failed',
    failure: {kind: 'agent_error', message: 'it broke'},
    stdout: '{"demo":"message","text":"Hello"}\n',
    stderr: 'no disk\n',
  });
  writeFileSync(path.join(folder, `${run.run_id}.json`), JSON.stringify({...run, repo_root: project.folder}));
  expect(await project.run(['logs', 'a', ...args])).toEqual({code: 0, out: printed, err: ''});
});
