import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {execaSync} from 'execa';
import {describe, expect, test} from 'vitest';
import {taskStatuses} from '../../src/services/contracts/task-status.ts';
import {type BuiltProject, builtProject} from '../helpers/built-cli.ts';
import {planOf, task} from '../helpers/plans.ts';
import {planFileText} from '../helpers/run-cli.ts';

const plan = planOf(
  task('api', {title: 'Refund: "endpoint" \u001b[31m$(touch ran)'}),
  task('e2e'),
  task('ns:one'),
  task('$(touch ran)'),
  task('two words'),
);

const project = () => builtProject(plan);
const ids = ['api', 'e2e', 'ns:one'];
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** What a shell offers for these words after `blackbird`, with the cursor at the end. */
type Offer = (words: readonly string[], inProject?: BuiltProject) => Promise<string[]>;

/** The same words must give the same completions in every shell. */
function offersTheSame(offer: Offer): void {
  test('commands', async () => {
    expect(await offer([''])).toEqual(expect.arrayContaining(['add', 'list', 'set-status', 'show', 'why']));
    expect(await offer(['set-s'])).toEqual(['set-status']);
    expect(await offer(['deps', 're'])).toEqual(['remove']);
    expect(await offer(['help', 'va'])).toEqual(['validate']);
  });

  test('flags', async () => {
    expect(await offer(['list', '--'])).toEqual(
      expect.arrayContaining([
        '--all',
        '--blocked',
        '--cwd',
        '--features',
        '--help',
        '--json',
        '--status',
        '--tree',
      ]),
    );
    expect(await offer(['edit', 'api', '--clear-n'])).toEqual(['--clear-notes']);
  });

  test('task ids, but none that the shell would split or run', async () => {
    const inProject = project();
    expect((await offer(['show', ''], inProject)).sort()).toEqual(ids);
    expect(await offer(['show', 'a'], inProject)).toEqual(['api']);
    expect(await offer(['deps', 'add', 'api', 'e'], inProject)).toEqual(['e2e']);
    expect(await offer(['add', '--parent', 'ro'], inProject)).toEqual(['root']);
    expect(inProject.entries()).toEqual(['blackbird.plan.json']);
  });

  test('statuses', async () => {
    expect((await offer(['set-status', 'api', ''])).sort()).toEqual([...taskStatuses].sort());
    expect(await offer(['list', '--status', 'in'])).toEqual(['in_progress']);
  });

  test('tasks of the named folder', async () => {
    const inProject = project();
    const other = path.join(inProject.env.HOME ?? '', 'blackbird.plan.json');
    writeFileSync(other, planFileText(planOf(task('home'))));
    expect(await offer(['--cwd', path.dirname(other), 'show', ''], inProject)).toEqual(['home']);
    expect(await offer(['--cwd', '~', 'show', ''], inProject)).toEqual(['home']);
  });

  test('nothing when nothing fits, and no error without a plan', async () => {
    expect(await offer(['show', 'zzz'])).toEqual([]);
    expect(await offer(['show', ''], builtProject())).toEqual([]);
    expect(await offer(['show', ''], builtProject('broken'))).toEqual([]);
  });
}

/** Runs a script in a shell; the test fails when it prints any error. */
async function linesOf(inProject: BuiltProject, shell: readonly string[], script: string): Promise<string[]> {
  const file = path.join(inProject.env.HOME ?? '', 'script');
  writeFileSync(file, script);
  const {code, out, err} = await inProject.bash(`exec ${[...shell, file].map(quoted).join(' ')}`);
  expect({code, err}).toEqual({code: 0, err: ''});
  return out.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  /** Words as bash splits them, which is not only at spaces. */
  const offer: Offer = (words, inProject = project()) =>
    linesOf(
      inProject,
      ['bash', '--norc'],
      `source <(blackbird completion bash)
      COMP_WORDS=(blackbird ${words.map(quoted).join(' ')})
      COMP_CWORD=${words.length}
      _blackbird
      printf '%s\\n' "\${COMPREPLY[@]}"`,
    );

  offersTheSame(offer);

  test('words that bash splits at = and :, of which only the last piece is replaced', async () => {
    expect(await offer(['list', '--status', '=', 'd'])).toEqual(['done']);
    expect((await offer(['list', '--status', '='])).sort()).toEqual([...taskStatuses].sort());
    expect(await offer(['show', 'ns', ':', 'o'])).toEqual(['one']);
    expect(await offer(['show', 'ns', ':'])).toEqual(['one']);
    // When COMP_WORDBREAKS lacks the colon, the whole word is replaced.
    expect(await offer(['show', 'ns:'])).toEqual(['ns:one']);
    expect(await offer(['list', '--status', '=', 'done', '--tr'])).toEqual(['--tree']);
  });

  test('words in quotes', async () => {
    const inProject = project();
    expect(await offer(['show', '"ap'], inProject)).toEqual(['api']);
    expect(await offer(['--cwd', `"${inProject.folder}"`, 'show', 'ap'], inProject)).toEqual(['api']);
    expect(await offer(['edit', 'api', '--title', "'new one'", '--clear-n'], inProject)).toEqual([
      '--clear-notes',
    ]);
  });

  test('is registered, and falls back to file names', async () => {
    const script = 'source <(blackbird completion bash); complete -p blackbird';
    expect(await linesOf(project(), ['bash', '--norc'], script)).toEqual([
      'complete -o default -F _blackbird blackbird',
    ]);
  });
});

const isInstalled = (shell: string) =>
  execaSync('sh', ['-c', `command -v ${shell}`], {reject: false}).exitCode === 0;

describe.skipIf(!isInstalled('zsh'))('zsh', () => {
  /** The function as the completion system calls it, with that system's own part printed instead of shown. */
  const offer: Offer = async (words, inProject = project()) => {
    const candidates = await linesOf(
      inProject,
      ['zsh', '-f'],
      `compdef() { : }
      _describe() { print -rl -- "\${(@P)2}" }
      source <(blackbird completion zsh)
      words=(blackbird ${words.map(quoted).join(' ')})
      CURRENT=${words.length + 1}
      _blackbird`,
    );
    return candidates.map((each) => each.replace(/(?<!\\):.*$/, '').replaceAll('\\:', ':'));
  };

  offersTheSame(offer);

  test('words in quotes', async () => {
    const inProject = project();
    expect(await offer(['--cwd', `"${inProject.folder}"`, 'show', 'ap'], inProject)).toEqual(['api']);
    expect(await offer(['list', '--status=d'], inProject)).toEqual(['--status=done']);
  });

  /** A shell in its own terminal, in which a user presses Tab. */
  const typed = (inProject: BuiltProject, setup: string, text: string, expected: string) =>
    linesOf(
      inProject,
      ['zsh', '-f'],
      `zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      zpty -w shell "PS1=; cd ${inProject.folder}; ${setup}; print read''y"
      zpty -r -m shell seen '*ready*'
      zpty -w -n shell $'${text}\\t'
      zpty -r -m shell seen ${quoted(`*${expected}*`)} && print found
      zpty -d shell`,
    );
  const system = 'autoload -Uz compinit; compinit -u -D';

  test.each([
    ['blackbird set-st', 'blackbird set-status '],
    ['blackbird show ns:', 'blackbird show ns:one '],
    ['blackbird list --status=do', 'blackbird list --status=done '],
  ])('at a terminal, %s becomes %s', async (text, expected) => {
    const setup = `${system}; source <(blackbird completion zsh)`;
    expect(await typed(project(), setup, text, expected)).toEqual(['found']);
  });

  test('also as a file that the completion system loads by itself, from the first time on', async () => {
    const inProject = project();
    const folder = inProject.env.HOME ?? '';
    writeFileSync(path.join(folder, '_blackbird'), (await inProject.run(['completion', 'zsh'])).out);
    const setup = `fpath=(${folder} \\$fpath); ${system}`;
    expect(await typed(inProject, setup, 'blackbird set-st', 'blackbird set-status ')).toEqual(['found']);
  });
});

describe.skipIf(!isInstalled('fish'))('fish', () => {
  const offer: Offer = async (words, inProject = project()) => {
    const line = ['blackbird', ...words].join(' ').replaceAll('\\', '\\\\').replaceAll("'", "\\'");
    const script = `blackbird completion fish | source\ncomplete -C '${line}'`;
    const found = await linesOf(inProject, ['fish', '--no-config'], script);
    return found.map((each) => each.split('\t')[0] ?? '');
  };

  offersTheSame(offer);

  test('the value of an option in one word, and the description of a candidate', async () => {
    const inProject = project();
    expect(await offer(['list', '--status=d'], inProject)).toEqual(['--status=done']);
    const script = `blackbird completion fish | source\ncomplete -C 'blackbird show a'`;
    expect(await linesOf(inProject, ['fish', '--no-config'], script)).toEqual([
      'api\tRefund: "endpoint" $(touch ran)',
    ]);
  });
});
