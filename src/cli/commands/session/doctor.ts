import {Command} from 'commander';
import type {Cli} from '../../cli.ts';
import {exitCodes} from '../../exit-codes.ts';
import {sessionProgram, withSessions} from '../../session/session-errors.ts';
import {renderChecks} from '../doctor.ts';

export function doctorCommand(cli: Cli): Command {
  return new Command('doctor')
    .summary('check whether sessions work here, and what to fix')
    .action((_options, command: Command) =>
      withSessions(cli, command, null, async (sessions) => {
        const {checkSessions} = await import('../../session/session-doctor.ts');
        const checks = await checkSessions(sessions, sessionProgram(cli));
        const ok = !checks.some(({state}) => state === 'wrong');
        cli.print(command, {ok, checks}, () => renderChecks(checks, cli.context.stdout));
        if (!ok) cli.exitCode = exitCodes.error;
      }),
    );
}
