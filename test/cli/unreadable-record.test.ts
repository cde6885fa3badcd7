import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

test.each([[['set-status', 'a', 'todo']], [['retry', 'a']]])(
  '%j of a task that may be at a checkpoint is refused while its record cannot be read',
  async (args) => {
    const project = cliProject(planOf(task('a', {status: 'in_progress'})));
    const folder = path.join(project.folder, '.blackbird/runs/a');
    mkdirSync(folder, {recursive: true});
    writeFileSync(path.join(folder, 'a-1.json'), '{x');
    const planText = () => readFileSync(path.join(project.folder, 'blackbird.plan.json'), 'utf8');
    const before = planText();
    expect(await project.error(args)).toMatchObject({
      code: 1,
      error: {
        code: 'E_STORE_CORRUPT',
        next: [{command: expect.stringMatching(/^mv /)}, {command: 'blackbird set-status a done'}],
      },
    });
    expect(planText()).toBe(before);
    expect((await project.run(['why', 'a'])).out).toMatch(/its record cannot be read: .*a-1\.json/);
  },
);
