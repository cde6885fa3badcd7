import type {Command} from 'commander';

export type SaveOptions = {yes?: true; dryRun?: true};

/** The options of every command that shows what it would make of the plan before it does. */
export function withSaveOptions(command: Command): Command {
  return command.option('--yes', 'save without asking').option('--dry-run', 'only show what would change');
}
