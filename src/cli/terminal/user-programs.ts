import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {
  editorCommand,
  editorOf,
  noEditor,
  type OutsideProgram,
  pagerCommand,
} from '../../machines/policies/text/outside-program.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {findRepository} from '../../services/git/find-repository.ts';
import {showProgram} from '../../services/system/terminal-program.ts';
import type {UserPrograms} from '../../ui/ports.ts';
import {painter} from './paint.ts';
import {paintPatch, safeLines} from './patch-text.ts';

/** The user's editor and pager, for a project. */
export function userPrograms({
  root,
  env,
  hasColor,
}: {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hasColor: boolean;
}): UserPrograms {
  const editor = editorOf(env);
  return {
    editorRefused: editor === null ? noEditor : null,
    run: async (program) => {
      const code = await show(program);
      if (code === 126 || code === 127) {
        throw new AppError('E_USAGE', `${nameOf(program)} could not be started`, {
          details: [['exit code', `${code}`]],
        });
      }
    },
  };

  function show(program: OutsideProgram): Promise<number> {
    if (program.type === 'pager') {
      const text = paintPatch(safeLines(program.patch), painter({hasColor})).join('\n');
      // Without it, `less` shows colour codes as text.
      return showProgram({...pagerCommand(env), cwd: root, env: {LESS: 'R', ...env}, input: `${text}\n`});
    }
    const file = fileOf(program.file);
    return showProgram({...editorCommand(editor ?? '', file, program.line), cwd: root, env});
  }

  /** The path comes from a patch: it must be an existing file inside the repository. */
  function fileOf(name: string): string {
    const real = realpathSync(root);
    const top = findRepository(real) ?? real;
    const file = path.resolve(top, name);
    if (!file.startsWith(`${top}${path.sep}`))
      throw new AppError('E_USAGE', `${JSON.stringify(name)} is not in this repository`);
    if (!existsSync(file)) throw new AppError('E_USAGE', `${name} is no longer there`);
    return file;
  }

  function nameOf({type}: OutsideProgram): string {
    return type === 'pager' ? pagerCommand(env).script : (editor ?? 'the editor');
  }
}
