import {statSync} from 'node:fs';
import path from 'node:path';
import {Argument, type Command, InvalidArgumentError} from 'commander';
import {displayText} from '../machines/policies/text/display-text.ts';
import {AppError} from '../services/contracts/errors.ts';
import {findProjectRoot} from '../services/stores/project-folder.ts';
import {openProject, type Project} from './composition.ts';
import type {CliContext} from './context.ts';
import type {ExitCode} from './exit-codes.ts';
import {folded} from './terminal/fold.ts';
import {printableJson} from './terminal/printable-json.ts';

/** What every command works with: its process and its project. */
export class Cli {
  readonly context: CliContext;
  /** What a finished command reports besides "done". */
  exitCode: ExitCode = 0;
  readonly #projects = new Map<string, Project>();

  constructor(context: CliContext) {
    this.context = context;
  }

  isJson(command: Command): boolean {
    return command.optsWithGlobals().json === true;
  }

  /** The folder given with `--cwd`, else the current one. */
  folder(command: Command): string {
    const given: unknown = command.optsWithGlobals().cwd;
    const folder = path.resolve(this.context.cwd, typeof given === 'string' ? given : '.');
    if (statSync(folder, {throwIfNoEntry: false})?.isDirectory()) return folder;
    throw folderRefusal(folder, given !== undefined);
  }

  /** The project around the current folder, opened once per command. */
  async project(command: Command, {here = false} = {}): Promise<Project> {
    const folder = this.folder(command);
    const root = here ? folder : findProjectRoot(folder);
    const home = await this.home();
    const project = this.#projects.get(root) ?? openProject({root, home, env: this.context.env});
    this.#projects.set(root, project);
    return project;
  }

  async home(): Promise<string> {
    return this.context.env.HOME || (await import('node:os')).homedir();
  }

  /**
   * Prints data for scripts or text for people; an empty text prints nothing. Plain text is sanitised and fitted
   * to the terminal.
   */
  print(command: Command, data: unknown, text: string | (() => string)): void {
    const {columns} = this.context.stdout;
    const forPeople = () => (typeof text === 'string' ? folded(displayText(text), columns) : text());
    const shown = this.isJson(command) ? printableJson(data, 2) : forPeople();
    if (shown !== '') this.context.out(shown);
  }
}

/**
 * Node decodes every path as UTF-8 and replaces invalid bytes with U+FFFD: such a folder cannot be named, let
 * alone opened.
 */
function folderRefusal(folder: string, isGiven: boolean): AppError {
  if (folder.includes('\uFFFD')) {
    const message = `the path of this folder is not valid UTF-8, so Node.js cannot open it; rename it: ${folder}`;
    return new AppError('E_STORE_READ', message);
  }
  if (isGiven) return new AppError('E_USAGE', `--cwd: no such folder: ${folder}`);
  return new AppError('E_STORE_READ', `the current folder does not exist any more: ${folder}`);
}

export const taskArgument = (name = 'taskId', about = 'the task') => new Argument(`<${name}>`, about);

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function countingNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It must be at least 1.');
  return number;
}

export const collect = (text: string, list: readonly string[] = []): readonly string[] => [...list, text];
