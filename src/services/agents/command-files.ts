import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type {AgentCommand} from '../contracts/agent.ts';

export type PreparedCommand = {
  readonly command: Omit<AgentCommand, 'files'>;
  /** Never fails: a leftover file must not decide how its agent ended. */
  remove(): Promise<void>;
};

/** Writes the files of a command into a private folder and puts their paths into its arguments. */
export async function writeCommandFiles({files = [], ...command}: AgentCommand): Promise<PreparedCommand> {
  if (files.length === 0) return {command, remove: async () => {}};

  const folder = await mkdtemp(path.join(os.tmpdir(), 'blackbird-'));
  const paths = new Map(
    files.map(({placeholder}, index) => [placeholder, path.join(folder, `${index}.json`)]),
  );
  for (const {placeholder, content} of files) {
    await writeFile(paths.get(placeholder) ?? folder, content, {mode: 0o600, flag: 'wx'});
  }
  return {
    command: {...command, args: command.args.map((argument) => paths.get(argument) ?? argument)},
    // A leftover private file is not a failure of the agent.
    remove: () => rm(folder, {recursive: true, force: true}).catch(() => {}),
  };
}
