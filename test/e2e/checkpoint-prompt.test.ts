import {chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {beforeAll, describe, expect, test} from 'vitest';
import {changedRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {sharedFolder, temporaryFolder} from '../helpers/temp-folder.ts';
import {hasTmux, openTerminal, type Terminal} from '../helpers/terminal.ts';

const root = path.resolve(import.meta.dirname, '../..');
const built = sharedFolder();
const patch = `diff --git a/one.ts b/one.ts\n@@ -0,0 +1,60 @@\n${Array.from({length: 60}, (_, line) => `+line ${line}`).join('\n')}\n`;

/** A terminal of 80 × 24 in which the prompt is about to be shown, below a line that must survive it. */
function beforePrompt(flags = ''): {terminal: Terminal; folder: string} {
  const folder = temporaryFolder();
  writeFileSync(
    path.join(folder, 'record.json'),
    JSON.stringify({
      task: {id: 'pay-04', title: 'Refund \x1b]0;owned\x07endpoint'},
      run: changedRun(),
      files: ['src/refunds/route.ts', 'docs/my file.md'],
      patch,
    }),
  );
  const editor = path.join(folder, 'vim');
  writeFileSync(editor, '#!/bin/sh\necho "editing $@"\nread typed\n');
  chmodSync(editor, 0o755);
  // Ink shows nothing when `CI` is set.
  const env = {...process.env, CI: '1', VISUAL: '', EDITOR: editor, PAGER: 'less -R'};
  const terminal = openTerminal({folder, env, columns: 80, rows: 24});
  terminal.type('echo before the prompt');
  terminal.type(`node ${path.join(built, 'checkpoint.mjs')} record.json ${flags}`);
  return {terminal, folder};
}

async function prompt(): Promise<Terminal> {
  const {terminal} = beforePrompt();
  await terminal.until('  Approve and continue');
  return terminal;
}

/** Waits for exactly these lines; a frame may arrive in parts. */
const shows = (terminal: Terminal, lines: readonly string[]) =>
  eventually(() => expect(terminal.screen().split('\n')).toEqual(lines));

describe.skipIf(!hasTmux)('the checkpoint in a real terminal', () => {
  beforeAll(async () => {
    await build({
      absWorkingDir: root,
      entryPoints: ['test/fixtures/ui/checkpoint.ts'],
      outdir: built,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: {'.js': '.mjs'},
      external: ['react-devtools-core'],
      logLevel: 'warning',
      define: {'process.env.NODE_ENV': '"production"'},
      banner: {
        js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
      },
    });
  });

  test('is readable at 80 × 24, decides by keys and leaves the terminal as it was', async () => {
    const terminal = await prompt();
    await shows(terminal, [
      ' ACTION REQUIRED   pay-04  Refund endpoint          ✓ succeeded · 4m12s · $0.31',
      ' whole task 1 file +60 −0                                     0/1 viewed · 1/62',
      '›─ one.ts ────────────────────────────────────────────────────────────── +60 −0',
      '         @@ -0,0 +1,60 @@',
      ...Array.from({length: 14}, (_, line) => `    ${String(line + 1).padStart(2)} + line ${line}`),
      '   Approve and continue  y  the task is done and the plan continues',
      '   Approve and quit  Y  the task is done and nothing more starts',
      '   Request changes  r',
      '   Reject changes  x  the task has failed; the files stay as they are',
      ' enter choose  d diff  esc later  + all  v viewed  / search  ? keys  z zoom',
    ]);
    terminal.press('Down', 'j', 'j', 'Up', 'Enter');
    const after = await terminal.until('decided: {"state":"approved_quit"}');
    expect(after).toContain('before the prompt');
    expect(after).not.toContain('ACTION REQUIRED');
    terminal.type('stty -a');
    expect(await terminal.until(/[^-]icanon/)).toMatch(/[^-]echo /);
  });

  test('the full diff scrolls and closes', async () => {
    const terminal = await prompt();
    terminal.press('d');
    await terminal.until('esc decide');
    terminal.press('G');
    await terminal.until(/60 \+ line 59/);
    terminal.press('Escape');
    await terminal.until('   Approve and continue');
  });

  test('hands the terminal to the editor at the line and to the pager, and takes it back', async () => {
    const {terminal, folder} = beforePrompt();
    mkdirSync(path.join(folder, '.git'));
    writeFileSync(path.join(folder, '.git/HEAD'), '');
    writeFileSync(path.join(folder, 'one.ts'), '');
    await terminal.until('whole task');
    terminal.press('d', 'j', 'j', 'j', 'o');
    // The shell's screen is behind it, and keys are echoed again.
    const edited = await terminal.until('editing +2');
    expect(edited).toContain('before the prompt');
    expect(edited).toContain(path.join(realpathSync(folder), 'one.ts'));
    terminal.type('typed');
    await terminal.until('❯    2 + line 1');
    terminal.press('|');
    await terminal.until(/\+line 20/);
    // Ctrl+C belongs to the pager there, and discards what was typed.
    terminal.press('C-c');
    await eventually(() => {
      terminal.press('G');
      expect(terminal.screen()).toContain('+line 59');
    });
    terminal.press('q');
    await terminal.until('❯    2 + line 1');
    terminal.press('y', 'Enter');
    await terminal.until('decided: {"state":"approved_continue"}');
    terminal.type('stty -a');
    expect(await terminal.until(/[^-]icanon/)).toMatch(/[^-]echo /);
  });

  test('changes are written with @, a paste of several lines and undo', async () => {
    const terminal = await prompt();
    terminal.press('j', 'j', 'j', 'Enter');
    await terminal.until('Request changes  pay-04');
    terminal.paste('first line\nsecond line');
    await terminal.until(/first line\n {2}second line/);
    terminal.press('Enter', '@', 'r', 'o', 'u');
    await terminal.until('❯ src/refunds/route.ts');
    terminal.press('Tab', 'o', 'o', 'p', 's');
    await terminal.until('@src/refunds/route.ts oops');
    terminal.press('C-z', 'C-s');
    await terminal.until(
      /decided: \{"state":"changes_requested","feedback":"first line\\nsecond line\\n@src\/refunds\/route.ts"\}/,
    );
  });

  test('Ctrl+C leaves the decision for later', async () => {
    const terminal = await prompt();
    terminal.press('C-c');
    await terminal.until('decided: null');
  });

  test('keys typed before the prompt was visible decide nothing', async () => {
    const {terminal, folder} = beforePrompt('delayed');
    await terminal.until('working…');
    terminal.press('Enter', 'j', 'Enter', 'x');
    await terminal.until(/working…\n\nj\nx/);
    writeFileSync(path.join(folder, 'go'), '');
    await terminal.until('Approve and continue');
    terminal.press('Enter');
    await terminal.until('Select a choice first');
    terminal.press('j', 'j', 'Enter');
    await terminal.until('decided: {"state":"approved_quit"}');
  });

  test('a second one takes keys like the first, and remembers what was read', async () => {
    const {terminal} = beforePrompt('twice');
    await terminal.until('Approve and continue');
    terminal.press('d');
    await terminal.until('v viewed');
    terminal.press('v');
    await terminal.until('1/1 viewed');
    terminal.press('Escape');
    await terminal.until('enter choose');
    terminal.press('j', 'Enter');
    await terminal.until('The next task');
    await terminal.until('1/1 viewed');
    terminal.press('k', 'Enter');
    await terminal.until('Why?');
    terminal.press('n', 'o', 'C-s');
    await terminal.until(/decided: {"state":"approved_continue"}\ndecided: {"state":"rejected","why":"no"}/);
  });

  test('follows the terminal down to 40 × 12 and back', async () => {
    const terminal = await prompt();
    terminal.resize(40, 12);
    await shows(terminal, [
      ' ACTION REQUIRED  ✓ succeeded · 4m12s',
      ' pay-04  Refund endpoint',
      ' whole task 1 file    0/1 viewed · 1/62',
      '›─ one.ts ────────────────────── +60 −0',
      '      @@ -0,0 +1,60 @@',
      '  1 + line 0',
      '   Approve and continue  y',
      '   Approve and quit  Y',
      '   Request changes  r',
      '   Reject changes  x',
      ' enter choose  d diff  esc later  ? keys',
    ]);
    terminal.resize(80, 24);
    await terminal.until(' 14 + line 13');
  });

  test('killed in the middle, it restores the screen', async () => {
    const {terminal, folder} = beforePrompt();
    await terminal.until('  Approve and continue');
    process.kill(Number(readFileSync(path.join(folder, 'pid'), 'utf8')), 'SIGTERM');
    const after = await terminal.until(/\[143\]>/);
    expect(after).toContain('before the prompt');
    expect(after).not.toContain('ACTION REQUIRED');
  });
});
