import type {Command} from 'commander';

export type SaveOptions = {yes?: true; dryRun?: true};

/** The options of every command that previews its change to the plan. */
export function withSaveOptions(command: Command): Command {
  return command.option('--yes', 'save without asking').option('--dry-run', 'only show what would change');
}
