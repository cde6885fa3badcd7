import {Command} from 'commander';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import type {SessionMeta} from '../../../services/contracts/session.ts';
import type {Cli} from '../../cli.ts';
import {withSessions} from '../../session/session-errors.ts';
import {idArgument} from './id-argument.ts';

export function cleanCommand(cli: Cli): Command {
  return new Command('clean')
    .summary('archive a session: end it and remove its worktree; branch and record stay')
    .addArgument(idArgument())
    .option('--force', 'even with uncommitted changes, or commits that exist nowhere else')
    .action((id: string, {force = false}: {force?: boolean}, command: Command) =>
      withSessions(cli, command, id, async (sessions) => {
        const [{cleanRun, commitsAre}, {withoutInterruption}] = await Promise.all([
          import('../../session/session-clean.ts'),
          import('../../session/session-composition.ts'),
        ]);
        const run = await sessions.find(id);
        const {isNew, lost} = await withoutInterruption(() => cleanRun(sessions, run, {force}));
        cli.print(command, {run_id: run.run_id, branch: run.branch, cleaned: isNew}, () =>
          isNew ? cleaned(run) : 'already archived',
        );
        if (lost) {
          cli.context.err(
            `warning: ${commitsAre(lost.unbranched)} on no branch any more; to keep what was made: git branch <name> ${lost.head}`,
          );
        }
      }),
    );
}

function cleaned({run_id, branch}: SessionMeta): string {
  return `cleaned: ${run_id}${branch === '' ? '' : `\nbranch: ${displayLine(branch)} (kept)`}`;
}
