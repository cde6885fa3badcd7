import {Command} from 'commander';
import {sessionName} from '../../../machines/policies/session/session-names.ts';
import {AppError} from '../../../services/contracts/errors.ts';
import type {Cli} from '../../cli.ts';
import {withSessions} from '../../session/session-errors.ts';
import {idArgument} from './id-argument.ts';

export function attachCommand(cli: Cli): Command {
  return new Command('attach')
    .summary('attach to a running session; never creates one')
    .addArgument(idArgument())
    .action((id: string, _options, command: Command) =>
      withSessions(cli, command, id, async ({find, tmux, terminal}) => {
        const name = sessionName((await find(id)).run_id);
        if (!(await tmux.hasSession(name))) {
          throw new AppError('E_SESSION_NOT_FOUND', `tmux session '${name}' does not exist`);
        }
        if (!terminal.canAttach) {
          throw new AppError('E_NOT_INTERACTIVE', 'cannot attach without a terminal on stdin');
        }
        await tmux.attach(name);
      }),
    );
}
