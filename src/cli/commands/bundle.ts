import path from 'node:path';
import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {replayWords} from '../inspect/replay-words.ts';

type Options = {output?: string; force?: true};

export function bundleCommand(cli: Cli): Command {
  return new Command('bundle')
    .summary('one file for a bug report: plan, records, journals and versions, without your text')
    .addArgument(taskArgument())
    .argument('[runId]', 'only this run of the task')
    .option('--output <file>', 'where to write it')
    .option('--force', 'replace an existing file')
    .action(async (taskId: string, runId: string | undefined, options: Options, command: Command) => {
      const project = await cli.project(command);
      const {collectBundle} = await import('../inspect/make-bundle.ts');
      const {bundledEntries, writeBundle} = await import('../../services/journal/bundle-file.ts');
      const {verifyEntries} = await import('../../machines/replay.ts');
      const {taskFolderName} = await import('../../services/stores/task-folder.ts');
      const bundle = await collectBundle({
        project,
        context: cli.context,
        home: await cli.home(),
        taskId,
        ...(runId === undefined ? {} : {runId}),
      });
      if (bundle.runs.length === 0) requireTask(await project.plans.read(), taskId);
      const name = `blackbird-bundle-${taskFolderName(taskId)}.json`;
      const file = path.resolve(cli.folder(command), options.output ?? name);
      const bytes = writeBundle(file, bundle, {force: options.force === true});
      const entries = bundledEntries(bundle);
      const {compared, first} = verifyEntries(entries);
      const data = {
        file,
        bytes,
        runs: bundle.runs.length,
        journals: bundle.journals.length,
        entries: entries.length,
        replay: {compared, first},
      };
      cli.print(command, data, () =>
        [
          `wrote ${displayLine(file)}: ${counted(bundle.runs.length, 'run')}, ${counted(entries.length, 'event')} in ${counted(bundle.journals.length, 'journal')}, ${Math.ceil(bytes / 1024)} KiB`,
          replayWords({compared, first}),
          'Prompts, output, feedback and answers are lengths in it; look through it before you share it.',
        ].join('\n'),
      );
    });
}
