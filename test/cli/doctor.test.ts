import {execFileSync} from 'node:child_process';
import {chmodSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {unrecordedText} from '../../src/machines/policies/job/repository-warnings.ts';
import {planOf, task} from '../helpers/plans.ts';
import {type CliProject, cliProject, controlCharacters} from '../helpers/run-cli.ts';

type Check = {name: string; state: string; found: string; advice?: string};

/** A folder for PATH with a program that prints, or does, what the script says. */
function programs(project: CliProject, scripts: Record<string, string>): {PATH: string} {
  const folder = path.join(project.home, 'bin');
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  return {PATH: folder};
}

/** With the built-in agent, when a test is not about agents. */
async function checks(
  project: CliProject,
  env: Record<string, string> = {BLACKBIRD_AGENT_PROVIDER: 'demo'},
): Promise<{code: number; ok: boolean; by: Record<string, Check>}> {
  const {code, out, err} = await project.run(['doctor', '--json'], {env});
  expect(err).toBe('');
  const {ok, checks: list} = JSON.parse(out) as {ok: boolean; checks: Check[]};
  return {code, ok, by: Object.fromEntries(list.map((check) => [check.name, check]))};
}

describe('doctor', () => {
  test('prints each result as soon as it is known, before a slow agent has answered', async () => {
    const project = cliProject(planOf(task('a')));
    const answer = path.join(project.home, 'answer');
    execFileSync('mkfifo', [answer]);
    const env = programs(project, {
      codex: `[ "$1" = --version ] && read -r v < '${answer}' && echo "$v"; true`,
    });
    let isAnswered = false;
    const {out} = await project.run(['doctor'], {
      env,
      onOut: (text) => {
        if (isAnswered || !text.includes('repository')) return;
        isAnswered = true;
        void writeFile(answer, 'codex-cli 1.0\n');
      },
    });
    expect(out).toMatch(/✓ ok +codex +codex-cli 1\.0 /);
  });

  test('fits the terminal', async () => {
    const project = cliProject(planOf(task('a')));
    const {out} = await project.run(['doctor'], {terminal: {columns: 60}});
    // A path is never cut.
    const words = out.split('\n').filter((line) => line.length > 60 && !line.includes('/'));
    expect(words).toEqual([]);
  });

  test('accepts a project without any tool, and says what each would be for', async () => {
    const project = cliProject(planOf(task('a'), task('b')));
    const {code, ok, by} = await checks(project);
    expect({code, ok}).toEqual({code: 0, ok: true});
    expect(by.node).toEqual({name: 'node', state: 'good', found: process.version});
    expect(by.plan).toEqual({name: 'plan', state: 'good', found: `2 tasks in ${project.planFile}`});
    expect(by.config).toEqual({name: 'config', state: 'good', found: 'defaults only'});
    expect(by.repository).toEqual({
      name: 'repository',
      state: 'missing',
      found: unrecordedText,
      advice: 'git init',
    });
    expect(by.state).toEqual({
      name: 'state',
      state: 'good',
      found: `${path.join(project.folder, '.blackbird')} is created on first use`,
    });
    expect(by.codex).toEqual({
      name: 'codex',
      state: 'missing',
      found: 'not installed',
      advice: 'npm install -g @openai/codex',
    });
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });

  test('prints a mark, a name, the finding and what to do', async () => {
    const {code, out, err} = await cliProject(planOf()).run(['doctor']);
    expect({code, err}).toEqual({code: 1, err: ''});
    expect(out).toMatch(/^✓ ok +node +v\d+/);
    expect(out).toMatch(/^○ none +codex +not installed\n +npm install -g @openai\/codex$/m);
    expect(out).toMatch(/^✗ wrong +provider +none is installed\n +install one, .*: blackbird demo$/m);
  });

  test('uses colour when the terminal does', async () => {
    const {out} = await cliProject(planOf()).run(['doctor'], {terminal: {hasColor: true}});
    expect(out).toMatch(/^\u001b\[32m✓ ok +\u001b\[39m {2}node/);
  });

  test('knows whether you are logged in and names the command to log in', async () => {
    const project = cliProject(planOf());
    const env = programs(project, {
      codex: 'case "$1" in login) echo "Not logged in" >&2; exit 1;; esac; echo codex-cli 1.2',
    });
    const {code, by} = await checks(project, env);
    expect(by.codex).toEqual({
      name: 'codex',
      state: 'missing',
      found: `codex-cli 1.2  ${path.join(env.PATH, 'codex')}  not logged in`,
      advice: 'codex login',
    });
    expect(by.provider).toEqual({
      name: 'provider',
      state: 'wrong',
      found: 'codex would be used but cannot work yet',
      advice: 'see codex above; or look around with the built-in agent: blackbird demo',
    });
    expect(code).toBe(1);
  });

  test('a working agent is named next to a chosen one that cannot work', async () => {
    const project = cliProject(planOf());
    const env = programs(project, {
      codex: 'echo codex-cli 1.2',
      claude: 'case "$1" in auth) echo \'{"loggedIn": false}\'; exit 1;; esac; echo 2.1',
    });
    const {code, ok, by} = await checks(project, {...env, IS_SANDBOX: '1'});
    expect(by.provider).toMatchObject({
      state: 'wrong',
      advice: 'see claude above; or blackbird agents use codex',
    });
    expect({code, ok}).toEqual({code: 1, ok: false});
    const chosen = await checks(project, {...env, BLACKBIRD_AGENT_PROVIDER: 'codex'});
    expect(chosen.by.provider).toEqual({name: 'provider', state: 'good', found: 'codex'});
    expect(chosen.code).toBe(0);
  });

  test('of two agents names the one in use, and how to choose', async () => {
    const project = cliProject(planOf());
    const {by} = await checks(project, {
      ...programs(project, {codex: 'echo 1', claude: 'echo 2'}),
      IS_SANDBOX: '1',
    });
    expect(by.provider).toEqual({
      name: 'provider',
      state: 'good',
      found: 'claude, by default: codex and claude are installed',
      advice: 'blackbird agents use codex',
    });
  });

  test.runIf(process.getuid?.() === 0)('as root it knows what Claude Code needs', async () => {
    const project = cliProject(planOf());
    const env = programs(project, {claude: 'echo 2.1'});
    const asRoot = 'work as another user, or in a container: export IS_SANDBOX=1';
    const found = `2.1  ${path.join(env.PATH, 'claude')}  `;
    expect((await checks(project, env)).by.claude).toMatchObject({
      state: 'missing',
      found: `${found}refuses to edit files for root`,
      advice: asRoot,
    });
    const loggedOut = 'case "$1" in auth) echo \'{"loggedIn": false}\'; exit 1;; esac; echo 2.1';
    writeFileSync(path.join(env.PATH, 'claude'), `#!/bin/sh\n${loggedOut}\n`);
    expect((await checks(project, env)).by.claude).toMatchObject({
      state: 'missing',
      found: `${found}not logged in, and refuses to edit files for root`,
      advice: `claude auth login; and ${asRoot}`,
    });
    writeFileSync(path.join(env.PATH, 'claude'), '#!/bin/sh\necho 2.1\n');
    expect((await checks(project, {...env, IS_SANDBOX: '1'})).by.claude?.state).toBe('good');
  });

  test('asks the programs it finds for their version', async () => {
    const project = cliProject(planOf());
    const env = programs(project, {
      git: 'echo "git version 9.9"; echo more',
      claude: 'echo broken >&2; exit 3',
    });
    const {code, by} = await checks(project, env);
    expect(by.git).toEqual({
      name: 'git',
      state: 'good',
      found: `git version 9.9  ${path.join(env.PATH, 'git')}`,
    });
    expect(by.claude).toMatchObject({state: 'wrong', advice: 'npm install -g @anthropic-ai/claude-code'});
    expect(by.claude?.found).toContain(`${path.join(env.PATH, 'claude')} does not run`);
    expect(code).toBe(1);
  });

  test('a missing plan is no fault, a broken one is', async () => {
    const missing = await checks(cliProject());
    expect({code: missing.code, plan: missing.by.plan}).toEqual({
      code: 0,
      plan: expect.objectContaining({state: 'missing', advice: 'blackbird init'}),
    });
    for (const broken of ['', 'null', '{"schemaVersion":1}']) {
      const {code, ok, by} = await checks(cliProject(broken));
      expect({code, ok, state: by.plan?.state}).toEqual({code: 1, ok: false, state: 'wrong'});
    }
  });

  test('names a configuration that is ignored', async () => {
    const project = cliProject(planOf());
    mkdirSync(path.join(project.folder, '.blackbird'), {mode: 0o700});
    const file = path.join(project.folder, '.blackbird', 'config.json');
    writeFileSync(file, '[]');
    const {code, by} = await checks(project);
    expect(code).toBe(1);
    expect(by.config).toEqual({
      name: 'config',
      state: 'wrong',
      found: `${file} is ignored: it does not contain a JSON object`,
      advice: 'blackbird config list',
    });
  });

  test('reports a state folder that is a link, not a folder, or open to others', async () => {
    const stateOf = async (make: (folder: string) => void) => {
      const project = cliProject(planOf());
      make(path.join(project.folder, '.blackbird'));
      const {code, by} = await checks(project);
      return {code, state: by.state?.state, found: by.state?.found.replace(project.folder, '')};
    };
    expect(await stateOf((folder) => mkdirSync(folder, {mode: 0o700}))).toEqual({
      code: 0,
      state: 'good',
      found: '/.blackbird',
    });
    const noFolder = {code: 1, state: 'wrong', found: '/.blackbird is not a folder'};
    expect(await stateOf((folder) => writeFileSync(folder, ''))).toEqual(noFolder);
    expect(await stateOf((folder) => symlinkSync('..', folder))).toEqual(noFolder);
    expect(
      await stateOf((folder) => {
        mkdirSync(folder);
        chmodSync(folder, 0o755);
      }),
    ).toEqual({code: 1, state: 'wrong', found: '/.blackbird can be read by others'});
  });

  test('names an unusable run record, and what to do with it', async () => {
    const project = cliProject(planOf(task('a'), task('b')));
    const folder = path.join(project.folder, '.blackbird', 'runs', 'b');
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const file = path.join(folder, 'b-1-abc.json');
    writeFileSync(file, '{"cut');
    const {code, ok, by} = await checks(project);
    expect({code, ok}).toEqual({code: 1, ok: false});
    expect(by.run).toMatchObject({state: 'wrong', advice: `mv ${file} ${file}.broken`});
    expect(by.run?.found).toContain(`${file} cannot be used: it is not valid JSON`);
  });

  test('prints no control characters of what it finds', async () => {
    const project = cliProject('{"schemaVersion":"\u009b31m\u202e"}');
    const env = programs(project, {git: `printf 'git \\033[31mred\\007\\n'`});
    const {out} = await project.run(['doctor'], {env});
    expect(out).toContain('git red');
    expect(out).not.toMatch(controlCharacters);
  });
});
