import {execFileSync} from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {canary, fingerprint, type TestRepository, testRepository} from './test-repository.ts';

type Trap = {
  readonly name: string;
  /** Makes git run the program; a second argument is a folder outside the repository. */
  readonly set: (repository: TestRepository, program: string, outside: string) => void;
  /** A plain git command that runs it, which proves that the trap works. */
  readonly trigger: (repository: TestRepository) => void;
};

const hooks = [
  'post-index-change',
  'pre-commit',
  'post-checkout',
  'reference-transaction',
  'fsmonitor-watchman',
  'pre-auto-gc',
  'post-rewrite',
];
const status = ({git}: TestRepository) => git('status');
const setting =
  (key: string, value = '') =>
  (repository: TestRepository, program: string) =>
    repository.git('config', key, value || program);
const attributes =
  (line: string, ...keys: readonly string[]) =>
  (repository: TestRepository, program: string) => {
    for (const key of keys) repository.git('config', key, program);
    repository.write('.gitattributes', `${line}\n`);
  };

const traps: readonly Trap[] = [
  {name: 'core.fsmonitor', set: setting('core.fsmonitor'), trigger: status},
  {
    name: 'hooks',
    set: ({folder}, program) => {
      for (const hook of hooks) copyFileSync(program, path.join(folder, '.git/hooks', hook));
    },
    trigger: ({git}) => git('add', '-A'),
  },
  {
    name: 'core.hooksPath',
    set: ({git}, program, outside) => {
      for (const hook of hooks) copyFileSync(program, path.join(outside, hook));
      git('config', 'core.hooksPath', outside);
    },
    trigger: ({git}) => git('add', '-A'),
  },
  {
    name: 'a clean filter',
    set: attributes('* filter=trap', 'filter.trap.clean', 'filter.trap.smudge'),
    trigger: ({git}) => git('add', '-A'),
  },
  {
    name: 'a required filter process',
    set: (repository, program) => {
      attributes('* filter=trap', 'filter.trap.process')(repository, program);
      repository.git('config', 'filter.trap.required', 'true');
    },
    trigger: ({git}) => {
      try {
        git('add', '-A');
      } catch {
        // The trap does not implement the filter protocol.
      }
    },
  },
  {
    name: 'a filter of the user, chosen by the repository',
    set: (repository, program) => {
      repository.git('config', '--global', 'filter.trap.clean', program);
      repository.write('.gitattributes', '* filter=trap\n');
    },
    trigger: ({git}) => git('add', '-A'),
  },
  {name: 'diff.external', set: setting('diff.external'), trigger: ({git}) => git('diff')},
  {
    name: 'a diff driver',
    set: attributes('* diff=trap', 'diff.trap.command'),
    trigger: ({git}) => git('diff'),
  },
  {
    name: 'a text conversion',
    set: attributes('* diff=trap', 'diff.trap.textconv'),
    trigger: ({git}) => git('diff'),
  },
  {
    name: 'a setting in an included file',
    set: ({git}, program, outside) => {
      writeFileSync(path.join(outside, 'included'), `[core]\n\tfsmonitor = ${program}\n`);
      git('config', 'include.path', path.join(outside, 'included'));
    },
    trigger: status,
  },
  {
    name: 'a setting of the worktree',
    set: ({git}, program) => {
      git('config', 'extensions.worktreeConfig', 'true');
      git('config', '--worktree', 'core.fsmonitor', program);
    },
    trigger: status,
  },
  {
    name: 'a promisor remote, asked for missing objects',
    set: ({git, folder, commit, write}, program) => {
      write('deep/er/file');
      commit();
      git('config', 'core.repositoryFormatVersion', '1');
      git('config', 'extensions.partialClone', 'trap');
      git('config', 'remote.trap.url', folder);
      git('config', 'remote.trap.promisor', 'true');
      git('config', 'remote.trap.uploadpack', program);
      // With a sparse index, git reads trees to know the files in them.
      git('sparse-checkout', 'set', '--cone', '--sparse-index', 'other');
      const tree = git('rev-parse', 'HEAD:deep').trim();
      const object = path.join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2));
      chmodSync(object, 0o600);
      execFileSync('rm', [object]);
    },
    trigger: ({git}) => {
      try {
        git('ls-files');
      } catch {
        // The trap does not implement the transport protocol.
      }
    },
  },
  {
    name: 'fsmonitor, hooks and filters of a submodule',
    set: (repository, program) => {
      const library = testRepository();
      const {git, folder, commit, write} = repository;
      git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.folder, 'sub');
      commit();
      const inner = testRepository({folder: path.join(folder, 'sub'), commit: false});
      for (const key of ['core.fsmonitor', 'filter.trap.clean']) inner.git('config', key, program);
      write('sub/.gitattributes', '* filter=trap\n');
      for (const hook of hooks) copyFileSync(program, path.join(folder, '.git/modules/sub/hooks', hook));
    },
    trigger: status,
  },
  {
    name: 'fsmonitor of a nested repository',
    set: ({folder, git}, program) => {
      const inner = testRepository({folder: path.join(folder, 'inner')});
      git('add', 'inner');
      inner.git('config', 'core.fsmonitor', program);
    },
    trigger: status,
  },
];

describe('nothing in a hostile repository is run', () => {
  for (const {name, set, trigger} of traps) {
    test(name, async () => {
      const armed = async (repository: TestRepository) => {
        const outside = temporaryFolder();
        const {program, wasRun} = canary(outside);
        repository.write('a', 'one\n');
        repository.write('old', 'one\n');
        repository.commit();
        repository.write('old', 'two\n');
        set(repository, program, outside);
        repository.write('a', 'two\n');
        if (wasRun()) execFileSync('rm', [path.join(outside, 'canary.trace')]);
        return {repository, wasRun};
      };
      const victim = await armed(testRepository());
      trigger(victim.repository);
      expect(victim.wasRun()).toBe(true);

      const {repository, wasRun} = await armed(testRepository());
      const before = fingerprint(path.join(repository.folder, '.git'));
      const {files, diff, from, to} = await repository.change(() => {
        repository.write('a', 'three\n');
        repository.write('b', 'one\n');
      });
      expect(files).toEqual(['a', 'b']);
      expect(diff).toContain('-two\n+three\n');
      await repository.tracker().diff(from ?? '', to ?? '', {stat: true});
      expect(wasRun()).toBe(false);
      expect(fingerprint(path.join(repository.folder, '.git'))).toEqual(before);
    });
  }

  test('a program called git, wherever on the PATH the repository puts it', async () => {
    const {folder, change, write} = testRepository();
    const {program, wasRun} = canary(temporaryFolder());
    const inside = path.join(folder, 'node_modules/.bin');
    for (const place of [folder, inside]) {
      mkdirSync(place, {recursive: true});
      copyFileSync(program, path.join(place, 'git'));
    }
    const searched = ['', '.', 'node_modules/.bin', inside, folder, process.env.PATH].join(':');
    const {files} = await change(() => write('a'), {env: {PATH: searched}});
    expect(files).toEqual(['a']);
    expect(wasRun()).toBe(false);
  });

  test('environment variables of the caller', async () => {
    const {change, write} = testRepository();
    const elsewhere = testRepository();
    const outside = temporaryFolder();
    const {program, wasRun} = canary(outside);
    const before = fingerprint(elsewhere.folder);
    const env = {
      GIT_DIR: path.join(elsewhere.folder, '.git'),
      GIT_WORK_TREE: elsewhere.folder,
      GIT_INDEX_FILE: path.join(outside, 'index'),
      GIT_OBJECT_DIRECTORY: outside,
      GIT_EXTERNAL_DIFF: program,
      GIT_PAGER: program,
      GIT_EDITOR: program,
      EDITOR: program,
      PAGER: program,
      GIT_SSH_COMMAND: program,
      GIT_EXEC_PATH: outside,
      GIT_TEMPLATE_DIR: outside,
      GIT_TRACE: path.join(outside, 'trace'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: program,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${program}'`,
      GIT_LITERAL_PATHSPECS: '1',
    };
    const {files} = await change(() => write('a'), {env});
    expect(files).toEqual(['a']);
    expect(wasRun()).toBe(false);
    expect(readdirSync(outside)).toEqual(['canary.sh']);
    expect(fingerprint(elsewhere.folder)).toEqual(before);
  });

  test('a store of changes that came with the repository', async () => {
    const {folder, change, write} = testRepository();
    const {program, wasRun} = canary(temporaryFolder());
    const kept = path.join(folder, '.blackbird/changes');
    for (const place of ['hooks', 'info', 'objects/info', 'refs', 'main']) {
      mkdirSync(path.join(kept, place), {recursive: true});
    }
    for (const hook of hooks) copyFileSync(program, path.join(kept, 'hooks', hook));
    const config = `[core]\n\tfsmonitor = ${program}\n[filter "trap"]\n\tclean = ${program}\n[diff]\n\texternal = ${program}\n`;
    for (const file of ['config', 'main/config', '.gitconfig', 'objects/config']) {
      writeFileSync(path.join(kept, file), config);
    }
    writeFileSync(path.join(kept, 'info/attributes'), '* filter=trap\n');
    writeFileSync(path.join(kept, 'HEAD'), 'ref: refs/heads/main\n');
    write('.gitattributes', '* filter=trap\n');
    const {files} = await change(() => write('a'));
    expect(files).toEqual(['a']);
    expect(wasRun()).toBe(false);
  });
});

describe('a hostile repository shows no files but its own', () => {
  test('whatever its work tree is set to', async () => {
    const {change, write, git, folder} = testRepository();
    const outside = temporaryFolder();
    writeFileSync(path.join(outside, 'secret'), 'secret\n');
    git('config', 'core.worktree', outside);
    const {files, diff} = await change(() => {
      write('a');
      appendFileSync(path.join(outside, 'secret'), 'more\n');
    });
    expect(files).toEqual(['a']);
    expect(diff).not.toContain('secret');
    expect(existsSync(path.join(folder, '.blackbird/changes/main.index'))).toBe(true);
  });

  test('ignore lists are regular files, or none', async () => {
    const {change, write, git, folder} = testRepository();
    execFileSync('mkfifo', [path.join(folder, '.git/pipe')]);
    git('config', 'core.excludesFile', path.join(folder, '.git/pipe'));
    execFileSync('rm', ['-f', path.join(folder, '.git/info/exclude')]);
    execFileSync('mkfifo', [path.join(folder, '.git/info/exclude')]);
    const {files} = await change(() => write('a'));
    expect(files).toEqual(['a']);
  });
});
