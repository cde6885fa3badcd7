import {Command} from 'commander';
import {undoStep} from '../../machines/policies/job/job-steps.ts';
import {proposalLines, undoData} from '../../machines/policies/job/undo-lines.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import type {UndoProposal} from '../../machines/policies/run/undo.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {openEngineFor, runSteps} from '../job/job.ts';

type UndoOptions = {dryRun?: true; force?: true; yes?: true};

export function undoCommand(cli: Cli): Command {
  return new Command('undo')
    .summary("take a task's changes out of the files; later changes by others stay")
    .addArgument(taskArgument())
    .argument('[runId]', 'only what this run changed; pass an undo to revert it')
    .option('--dry-run', 'only show what would be done')
    .option('--force', 'also restore files that changed since, and undo it even if other tasks depend on it')
    .option('--yes', 'do not ask')
    .action(async (taskId: string, runId: string | undefined, options: UndoOptions, command: Command) => {
      const {plans} = await cli.project(command);
      requireTask(await plans.read(), taskId);
      const opened = await openEngineFor(cli, command, {});
      const request = {taskId, runId: runId ?? null, isForced: options.force === true};
      if (options.dryRun || (!options.yes && !options.force)) {
        const proposal = await opened.proposeUndo(request);
        const {undoRefusal, unconfirmedUndo} = await import('../../machines/policies/run/undo.ts');
        const refusal = undoRefusal(proposal);
        if (options.dryRun) {
          cli.print(command, {task_id: taskId, ...undoData(proposal)}, () =>
            dryRunLines(proposal, refusal).join('\n'),
          );
          return;
        }
        if (refusal !== null) throw refusal;
        if (!cli.context.isInteractive || cli.isJson(command)) throw unconfirmedUndo(request);
        for (const line of dryRunLines(proposal, null)) cli.context.out(line);
        const answer = (await cli.context.ask(`Undo ${displayLine(taskId)}? [y/N]: `))?.trim().toLowerCase();
        if (answer !== 'y' && answer !== 'yes')
          throw new AppError('E_CANCELED', 'not undone; nothing was changed');
      }
      await runSteps(cli, command, opened, [undoStep(taskId, request)], {});
    });
}

function dryRunLines(proposal: UndoProposal, refusal: AppError | null): string[] {
  const {files, isRedo} = proposal;
  const verb = isRedo ? 'bring back' : 'undo';
  if (refusal !== null) {
    const forced = files.files.length + files.conflicts.filter(({isForceable}) => isForceable).length;
    const headline = `refused: ${refusal.message}`;
    return [headline, `--force would ${verb} ${counted(forced, 'file')}:`, ...proposalLines(proposal)];
  }
  const isNothing = files.files.length + files.conflicts.length === 0;
  const headline = isNothing
    ? 'nothing to write: the files are already as before'
    : `would ${verb} ${counted(files.files.length, 'file')}`;
  return [headline, ...proposalLines(proposal)];
}
