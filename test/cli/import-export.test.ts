import {chmodSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {planOf, task} from '../helpers/plans.ts';
import {type CliProject, cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

const list = '- [ ] Build it\n  - [x] Parser\n- [ ] Ship it\n';

function project(text = list): CliProject {
  const made = cliProject(planOf(task('a')));
  writeFileSync(path.join(made.folder, 'TODO.md'), text);
  return made;
}

const shown = lines(
  '+ build-it  Build it  (done)',
  '+ parser  Parser  (done; under build-it)',
  '+ ship-it  Ship it',
  '3 added',
);

describe('plan import', () => {
  test('shows what would change, asks, and saves it', async () => {
    const made = project();
    expect(await made.run(['plan', 'import', 'TODO.md'], {terminal: true, answers: ['y']})).toEqual({
      code: 0,
      out: `${shown}imported: 3 added\n`,
      err: 'Save this? [y/N]: \n',
    });
    expect(Object.values(made.tasks()).map(({id, status}) => `${id} ${status}`)).toEqual([
      'a todo',
      'build-it done',
      'parser done',
      'ship-it todo',
    ]);
  });

  test('the same file again changes nothing, not a byte, and asks nothing', async () => {
    const made = project();
    await made.json(['plan', 'import', 'TODO.md', '--yes']);
    const before = made.planText();
    for (const flags of [[], ['--dry-run'], ['--yes']]) {
      expect(await made.run(['plan', 'import', 'TODO.md', ...flags])).toEqual({
        code: 0,
        out: 'nothing to change: the plan has all of it\n',
        err: '',
      });
    }
    expect(made.planText()).toBe(before);
  });

  test('what changed both in the plan and in the list stays, and both are shown before the question', async () => {
    const made = project('- [ ] Build it\n  first\n');
    await made.json(['plan', 'import', 'TODO.md', '--yes']);
    await made.json(['edit', 'build-it', '--description', 'mine']);
    writeFileSync(path.join(made.folder, 'TODO.md'), '- [ ] Build it\n  second\n');
    const {out} = await made.run(['plan', 'import', 'TODO.md', '--dry-run']);
    expect(out).toContain(
      lines(
        '= build-it  description was changed here and in the list (line 1): yours is kept',
        '      here  mine',
        '      list  second',
      ),
    );
    expect(await made.json(['plan', 'import', 'TODO.md', '--yes'])).toMatchObject({
      saved: true,
      kept: [{id: 'build-it', at: 'line 1', field: 'description', here: 'mine', list: 'second'}],
    });
    expect(made.tasks()['build-it']?.description).toBe('mine');
  });

  test.each([
    {name: 'no', answers: ['n']},
    {name: 'nothing', answers: []},
  ])('answering $name keeps the plan', async ({answers}) => {
    const made = project();
    const before = made.planText();
    const {code, out, err} = await made.run(['plan', 'import', 'TODO.md'], {terminal: true, answers});
    expect({code, out}).toEqual({code: 1, out: shown});
    expect(err).toContain('not saved; nothing was changed');
    expect(made.planText()).toBe(before);
  });

  test('when no one can be asked it requires --yes, and says so', async () => {
    const made = project();
    const before = made.planText();
    expect(await made.error(['plan', 'import', 'TODO.md'])).toMatchObject({
      code: 1,
      error: {
        code: 'E_CONFIRMATION_REQUIRED',
        message: 'there is no terminal to ask in; nothing was saved; pass --yes to save it',
        next: [
          {command: 'blackbird plan import TODO.md --yes', why: 'save it without asking'},
          {command: 'blackbird plan import TODO.md --dry-run', why: 'only see what would change'},
        ],
      },
    });
    expect(made.planText()).toBe(before);
    expect(await made.run(['plan', 'import', 'TODO.md', '--dry-run'])).toEqual({
      code: 0,
      out: shown,
      err: '',
    });
    expect(made.planText()).toBe(before);
  });

  test('reads stdin, and reports to a script what it did', async () => {
    const made = project();
    const issues = [{number: 3, title: 'Bug', body: '', labels: [], state: 'OPEN'}];
    expect(await made.json(['plan', 'import', '-', '--yes'], {answers: [JSON.stringify(issues)]})).toEqual({
      format: 'issues',
      source: 'issues',
      tasks: 1,
      saved: true,
      diff: {
        added: [{id: 'issue-3', title: 'Bug', parentId: null, after: 'a', deps: []}],
        changed: [],
        moved: [],
        deps: [],
        removed: [],
      },
      kept: [],
      ignored: [],
    });
    expect(made.tasks()['issue-3']?.source?.key).toBe('issues#3');
  });

  test('a plan that changed while it was shown is not overwritten', async () => {
    const made = project('- [ ] New <!-- id: a -->\n');
    const answers: string[] = ['y'];
    const {code, err} = await made.run(['plan', 'import', 'TODO.md'], {
      terminal: true,
      answers,
      now: () => {
        // Called when the change is made: once for the view, once for the file.
        if (answers.length === 1) writeFileSync(made.planFile, made.planText().replace('Task a', 'Theirs'));
        return '2026-02-02T02:02:02.000Z';
      },
    });
    expect(code).toBe(1);
    expect(err).toContain('the plan was changed by somebody else meanwhile; nothing was written');
    expect(made.tasks().a?.title).toBe('Theirs');
  });

  test('contains no control sequence for the terminal, and colours only there', async () => {
    const made = project('- [ ] x\u001b[2J\u202e\u0007y\n');
    const plain = await made.run(['plan', 'import', 'TODO.md', '--dry-run'], {terminal: true});
    expect(plain.out.replaceAll('\n', '')).not.toMatch(controlCharacters);
    const coloured = await made.run(['plan', 'import', 'TODO.md', '--dry-run'], {terminal: {hasColor: true}});
    expect(coloured.out).toContain('\u001b[32m+ x-2j-y  xy\u001b[39m');
  });

  test('names what is wrong with a list', async () => {
    const made = project('title\n');
    expect(await made.error(['plan', 'import', 'nowhere.md', '--yes'])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message: 'nowhere.md cannot be read: there is no such file'},
    });
    expect(await made.error(['plan', 'import', 'TODO.md', '--yes'])).toMatchObject({
      code: 1,
      error: {code: 'E_IMPORT', details: {file: 'there is no task in it'}},
    });
    expect(await made.error(['plan', 'import', '-', '--yes'], {answers: [' ', '']})).toMatchObject({
      code: 2,
      error: {code: 'E_NO_INPUT', message: 'there is nothing on stdin'},
    });
    const twice = project('title,status\n,maybe\n');
    expect(await twice.error(['plan', 'import', 'TODO.md', '--format', 'csv', '--yes'])).toMatchObject({
      error: {details: {'row 2': 'title is required\nunknown status "maybe"'}},
    });
  });
});

test.each([
  ['plan', 'import'],
  ['plan', 'generate', '--from'],
])('%s %s refuses a file that is not text, and moves nothing', async (...words) => {
  const project = cliProject(planOf());
  writeFileSync(path.join(project.folder, 'picture.md'), Buffer.from([0xff, 0xd8, 0xff]));
  for (const [name, reason] of [
    ['picture.md', 'it is not UTF-8 text'],
    ['.', 'it is not a regular file'],
  ] as const) {
    const {code, err} = await project.run([...words, name]);
    expect(code).toBe(2);
    expect(err).toContain(`${name} cannot be read: ${reason}`);
    expect(err).not.toContain('mv ');
  }
});

describe('plan export', () => {
  const plan = planOf(task('a', {title: 'First'}), task('b', {deps: ['a'], status: 'done'}));

  test('prints Markdown, which can be imported elsewhere as the same tasks', async () => {
    const from = cliProject(plan);
    const {code, out} = await from.run(['plan', 'export']);
    expect({code, out}).toEqual({
      code: 0,
      out: lines('- [ ] First <!-- id: a -->', '- [x] Task b <!-- id: b -->', '', '  Waits for: a'),
    });
    const to = cliProject(planOf());
    await to.json(['plan', 'import', '-', '--yes'], {answers: [out]});
    const essence = (made: CliProject) =>
      Object.values(made.tasks()).map(({createdAt: _c, updatedAt: _u, ...rest}) => rest);
    expect(essence(to)).toEqual(essence(from));
  });

  test.each(['md', 'mermaid', 'json', 'csv'])(
    'writes %s to a file, whole, and replaces none without being told to',
    async (format) => {
      const made = cliProject(plan);
      mkdirSync(path.join(made.folder, 'out'));
      const args = ['plan', 'export', '--format', format, '--output', 'out/plan.txt'];
      const file = path.join(made.folder, 'out/plan.txt');
      expect(await made.json(args)).toEqual({format, file, tasks: 2});
      const {out} = await made.run(['plan', 'export', '--format', format]);
      expect(readFileSync(file, 'utf8')).toBe(out);
      expect((await made.error(args)).error).toMatchObject({
        code: 'E_STORE_WRITE',
        message: `${file} already exists; pass --force to replace it`,
      });
      chmodSync(file, 0o640);
      expect(await made.json([...args, '--force'])).toEqual({format, file, tasks: 2});
      expect(statSync(file).mode & 0o777).toBe(0o640);
      expect(await made.json(['plan', 'export', '--format', format])).toEqual(
        format === 'json' ? JSON.parse(out) : {format, text: out.slice(0, -1)},
      );
    },
  );

  test('into a folder that does not exist is an error', async () => {
    const made = cliProject(plan);
    expect(await made.error(['plan', 'export', '--output', 'none/plan.md'])).toMatchObject({
      code: 1,
      error: {code: 'E_STORE_WRITE', message: expect.stringMatching(/its folder does not exist/)},
    });
  });
});
