import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {builtProject} from '../helpers/built-cli.ts';
import {planOf, task} from '../helpers/plans.ts';

// Every command in README and docs is run as it is written, one after another, in a project with the demo agent.

const pages = readdirSync('docs')
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);

/** The commands of the shell blocks, without comments and endless commands. */
const commandsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, kind, block = '']) =>
      block
        .replace(/\\\n\s*/g, '')
        .split('\n')
        .filter((line) => kind === 'sh' || line.startsWith('$ ')),
    )
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .replace(' --watch', '')
        // Sessions have their own terminal and tmux; they are tested elsewhere.
        .replace(/^agency (\w+).*/, 'blackbird session $1 --help')
        .trim(),
    )
    .filter((line) => line.startsWith('blackbird '));

const shown = pages
  .map((page) => [page, commandsOf(page)] as const)
  .filter(([, commands]) => commands.length > 0);

test('the README shows the way from a sentence to a commit', () => {
  const readme = commandsOf('README.md').join('\n');
  for (const command of ['plan generate', 'execute --review', 'resume', 'review', 'report', 'undo']) {
    expect(readme).toContain(`blackbird ${command}`);
  }
});

test.each(shown)('%s: every command exists', async (_page, commands) => {
  const project = builtProject(planOf(task('other', {prompt: 'demo: print hello'})));
  // A file that a page names must exist.
  mkdirSync(path.join(project.folder, 'docs'));
  writeFileSync(path.join(project.folder, 'docs', 'spec.md'), '- Store refunds\n');
  for (const line of commands) {
    const {code, err} = await project.bash(`export BLACKBIRD_AGENT_PROVIDER=demo; ${line}`);
    // 2 is a wrong command line; what follows from the state of the project is not the page's fault.
    expect({line, code, err}).not.toMatchObject({code: 2});
    expect(err, line).not.toMatch(/E_USAGE|command not found/);
  }
});

test('README: its commands, typed in this order in a repository, end as a reader expects', async () => {
  const project = builtProject();
  const identity = '-c user.name=reader -c user.email=reader@localhost';
  writeFileSync(path.join(project.folder, 'package.json'), '{"scripts": {"test": "true"}}');
  await project.bash(`git init --quiet && git add . && git ${identity} commit --quiet --message first`);
  /** Nobody is at a terminal here: what would ask there ends with these codes. Everything else ends with 0. */
  const others: Readonly<Record<string, number>> = {
    'plan generate': 4,
    'execute --review': 4,
    // The README pauses it first.
    'resume api': 1,
    'review api --request-changes': 4,
    'review api --approve': 4,
    'undo e2e': 1,
  };
  const unexpected: string[] = [];
  for (const line of commandsOf('README.md')) {
    const {code, err} = await project.bash(`export BLACKBIRD_AGENT_PROVIDER=demo; ${line}`);
    const [, expected = 0] = Object.entries(others).find(([words]) => line.includes(words)) ?? [];
    if (code !== expected) unexpected.push(`${line} ended with ${code}: ${err}`);
  }
  expect(unexpected).toEqual([]);
});
