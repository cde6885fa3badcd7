import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {builtProject} from '../helpers/built-cli.ts';
import {planOf, task} from '../helpers/plans.ts';

// Every command in README and docs is run as it is written, one after another, in a project with the demo agent.

const pages = ['README.md', ...readdirSync('docs').map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

/** The commands of the shell blocks, without comments and endless commands. */
const commandsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, kind, block = '']) =>
      block.split('\n').filter((line) => kind === 'sh' || line.startsWith('$ ')),
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
