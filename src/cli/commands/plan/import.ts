import path from 'node:path';
import {Command, Option} from 'commander';
import {type ImportFormat, importFormats} from '../../../machines/policies/exchange/import-formats.ts';
import type {ImportFrom, Merged} from '../../../machines/policies/exchange/merge-import.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import {readGivenFile} from '../../../services/stores/given-file.ts';
import type {Cli} from '../../cli.ts';
import {type SaveOptions, withSaveOptions} from '../../plan/save-options.ts';

type Options = SaveOptions & {format?: ImportFormat; tag?: string; source?: string};

const maxImportBytes = 64 * 1024 * 1024;

export function importCommand(cli: Cli): Command {
  const command = new Command('import')
    .summary('add the tasks of a list, or update those that came from it')
    .argument('<file>', 'Markdown list, tasks.json of task-master, issues as JSON, or CSV; - reads stdin')
    .addOption(
      new Option('--format <format>', 'the format of the list; detected by default').choices(importFormats),
    )
    .option('--tag <name>', 'the tag of a tasks.json (default: master)')
    .option('--source <name>', 'a name to tell this list from others (default: its path)')
    .addHelpText(
      'after',
      `
Shows what would change and asks. Importing the same list twice changes nothing. Later changes in the list are updated; changes you made in the plan, including statuses, are kept.

Examples:
  $ blackbird plan import TODO.md
  $ blackbird plan import .taskmaster/tasks/tasks.json --yes
  $ gh issue list --json number,title,body,state | blackbird plan import -
  $ blackbird plan import tasks.csv --dry-run`,
    );
  return withSaveOptions(command).action(async (file: string, options: Options, running: Command) => {
    const project = await cli.project(running);
    const whole = file === '-' ? null : path.resolve(cli.folder(running), file);
    const text = whole === null ? await readInput(cli) : readGivenFile(whole, file, maxImportBytes);
    const {readImport, mergeImport, importRefusal, keptLines, askToSave, diffCounts, isEmptyDiff, digest} =
      await tools();
    const {format, tag} = options;
    const name = whole === null ? null : path.basename(whole);
    const read = readImport({
      text,
      name,
      digest,
      ...(format === undefined ? {} : {format}),
      ...(tag === undefined ? {} : {tag}),
    });
    if ('problems' in read.list) throw importRefusal(read.list.problems);
    const {tasks, ignored = []} = read.list;
    for (const line of ignored) cli.context.err(`warning: ${displayLine(line)}`);
    const relative = whole === null ? read.format : path.relative(project.folder.root, whole);
    const source = options.source ?? relative.replaceAll(path.sep, '/');
    let kept: Merged['kept'] = [];
    const change = (before: Plan) => {
      const merged = mergeImport(before, tasks, {source, digest}, cli.context.now());
      kept = merged.kept;
      return merged.plan;
    };
    const {isSaved, diff} = await askToSave(cli, running, change, options, {
      asides: () => keptLines(kept),
      words: [file, ...listOptions(options)].map(shellWord),
    });
    const data = {format: read.format, source, tasks: tasks.length, saved: isSaved, diff, kept, ignored};
    cli.print(running, data, () =>
      isSaved ? `imported: ${diffCounts(diff)}` : isEmptyDiff(diff) ? nothingNew : '',
    );
  });
}

/** The options used to read the list, for the command that repeats the import. */
const listOptions = ({format, tag, source}: Options): string[] =>
  Object.entries({format, tag, source}).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );

const nothingNew = 'nothing to change: the plan has all of it';

/** Loaded only for an import. */
async function tools() {
  const {createHash} = await import('node:crypto');
  const digest: ImportFrom['digest'] = (text) => createHash('sha256').update(text).digest('hex').slice(0, 32);
  return {
    ...(await import('../../../machines/policies/exchange/read-import.ts')),
    ...(await import('../../../machines/policies/exchange/merge-import.ts')),
    ...(await import('../../../machines/policies/exchange/kept-fields.ts')),
    ...(await import('../../../machines/policies/plan/plan-diff.ts')),
    ...(await import('../../../machines/policies/plan/plan-diff-lines.ts')),
    ...(await import('../../plan/ask-to-save.ts')),
    digest,
  };
}

async function readInput({context}: Cli): Promise<string> {
  const text = await context.readAll('The list of tasks (Ctrl+D ends it):');
  if (text.trim() === '') throw new AppError('E_NO_INPUT', 'there is nothing on stdin');
  return text;
}
