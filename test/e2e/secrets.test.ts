import {chmodSync, readdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {engineProject} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

test('secrets stay where they are: keys in no file and no output, text in no bundle', async () => {
  const key = 'key-7f3a-of-the-account';
  const words = {prompt: 'words-of-the-prompt', title: 'words-of-the-title', output: 'words-of-the-agent'};
  const project = engineProject(planOf(task('a', {title: words.title, prompt: words.prompt})), {
    env: {
      ANTHROPIC_API_KEY: key,
      SOME_TOKEN: key,
      BLACKBIRD_AGENT_CMD: `cat >/dev/null; echo ${words.output}; test -n "$SOME_TOKEN"`,
    },
  });
  chmodSync(path.join(project.folder, '.blackbird'), 0o700);
  const commands = [
    ['execute', '--json'],
    ['report', '--json'],
    ['runs', 'a', '--json'],
    ['doctor', '--json'],
    ['config', 'list', '--json'],
    ['bundle', 'a', '--output', 'sent.bundle'],
  ];
  const printed: string[] = [];
  for (const args of commands) {
    const {code, out, err} = await project.run(args);
    expect({args, code}).toEqual({args, code: 0});
    printed.push(out, err);
  }
  const files = readdirSync(project.folder, {recursive: true, encoding: 'utf8'})
    .map((file) => path.join(project.folder, file))
    .filter((file) => statSync(file).isFile());
  expect(printed.join('')).not.toContain(key);
  expect(files.filter((file) => readFileSync(file, 'utf8').includes(key))).toEqual([]);
  // Only the log of the run and its record contain the agent's text, and they are private.
  const telling = files.filter((file) => readFileSync(file, 'utf8').includes(words.output));
  expect(telling.map((file) => path.extname(file)).sort()).toEqual(['.json', '.log']);
  for (const file of telling) expect(statSync(file).mode & 0o077).toBe(0);
  const bundle = project.text('sent.bundle');
  for (const secret of [...Object.values(words), key, project.folder]) {
    expect(bundle).not.toContain(secret);
  }
  expect(statSync(path.join(project.folder, 'sent.bundle')).mode & 0o077).toBe(0);
});
