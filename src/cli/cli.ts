import {statSync} from 'node:fs';
import path from 'node:path';
import {Argument, type Command, InvalidArgumentError} from 'commander';
import {displayText} from '../machines/policies/text/display-text.ts';
import {AppError} from '../services/contracts/errors.ts';
import {findProjectRoot} from '../services/stores/project-folder.ts';
import {openProject, type Project} from './composition.ts';
import type {CliContext} from './context.ts';
import type {ExitCode} from './exit-codes.ts';
import {printableJson} from './terminal/printable-json.ts';

/** What every command works with: the process around it and the project it is about. */
export class Cli {
  readonly context: CliContext;
  /** What a finished command tells besides "done". */
  exitCode: ExitCode = 0;
  readonly #projects = new Map<string, Project>();

  constructor(context: CliContext) {
    this.context = context;
  }

  isJson(command: Command): boolean {
    return command.optsWithGlobals().json === true;
  }

  /** The folder that `--cwd` names, else the one we were started in. */
  folder(command: Command): string {
    const given: unknown = command.optsWithGlobals().cwd;
    const folder = path.resolve(this.context.cwd, typeof given === 'string' ? given : '.');
    if (statSync(folder, {throwIfNoEntry: false})?.isDirectory()) return folder;
    throw folderRefusal(folder, given !== undefined);
  }

  /** The project around the current folder, opened once however many parts of a command ask for it. */
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

  /** Prints data for scripts, or text for people; an empty text prints nothing. A plain text is made safe. */
  print(command: Command, data: unknown, text: string | (() => string)): void {
    const forPeople = () => (typeof text === 'string' ? displayText(text) : text());
    const shown = this.isJson(command) ? printableJson(data, 2) : forPeople();
    if (shown !== '') this.context.out(shown);
  }
}

/** Node reads every path as UTF-8 and puts U+FFFD where it is not: such a folder cannot be named, let alone opened. */
function folderRefusal(folder: string, isGiven: boolean): AppError {
  if (folder.includes('\uFFFD')) {
    const message = `the path of this folder is not valid UTF-8, so Node.js cannot open it; rename it: ${folder}`;
    return new AppError('E_STORE_READ', message);
  }
  if (isGiven) return new AppError('E_USAGE', `--cwd: no such folder: ${folder}`);
  return new AppError('E_STORE_READ', `the current folder does not exist any more: ${folder}`);
}

export const taskArgument = (name = 'taskId', about = 'the task') => new Argument(`<${name}>`, about);

/** For options that take a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** For options that count something. */
export function countingNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It must be at least 1.');
  return number;
}

/** For options that may be repeated. */
export const collect = (text: string, list: readonly string[] = []): readonly string[] => [...list, text];
