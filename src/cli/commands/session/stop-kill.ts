import {Command} from 'commander';
import type {SessionMeta} from '../../../services/contracts/session.ts';
import type {Cli} from '../../cli.ts';
import type {Sessions} from '../../session/session-composition.ts';
import {withSessions} from '../../session/session-errors.ts';
import {idArgument} from './id-argument.ts';

export function stopCommand(cli: Cli): Command {
  return new Command('stop')
    .summary('send Ctrl+C to a session; it keeps running')
    .addArgument(idArgument())
    .action((id: string, _options, command: Command) =>
      onRunning(cli, command, id, async (sessions, run) =>
        (await import('../../session/session-stop.ts')).stopSession(sessions, run),
      ),
    );
}

export function killCommand(cli: Cli): Command {
  return new Command('kill')
    .summary('end a session; worktree, branch and record stay')
    .addArgument(idArgument())
    .action((id: string, _options, command: Command) =>
      onRunning(cli, command, id, async (sessions, run) =>
        (await import('../../session/session-stop.ts')).killSession(sessions, run),
      ),
    );
}

function onRunning(
  cli: Cli,
  command: Command,
  id: string,
  job: (sessions: Sessions, run: SessionMeta) => Promise<boolean>,
): Promise<void> {
  return withSessions(cli, command, id, async (sessions) => {
    const run = await sessions.find(id);
    if (!(await job(sessions, run))) cli.context.err(`no session for ${run.run_id}`);
  });
}
