import {Command} from 'commander';
import type {ResumeRequest} from '../../../machines/policies/session/session-resume.ts';
import type {SessionOutput} from '../../../machines/session.machine.ts';
import type {Cli} from '../../cli.ts';
import type {Sessions} from '../../session/session-composition.ts';
import {withSessions} from '../../session/session-errors.ts';
import {idArgument} from './id-argument.ts';

type Options = {detached?: true; restart?: true; yes?: true};

export function resumeCommand(cli: Cli): Command {
  return new Command('resume')
    .summary('attach to a session; create it if it is missing')
    .addArgument(idArgument())
    .option('--detached', 'leave it in the background')
    .option('--restart', 'end a running session and start a new one')
    .option('--yes', 'restart without asking')
    .action((id: string, options: Options, command: Command) =>
      withSessions(cli, command, id, (sessions) => resume(cli, command, sessions, id, options)),
    );
}

export async function resume(
  cli: Cli,
  command: Command,
  sessions: Sessions,
  id: string,
  {detached = false, restart = false, yes = false}: Partial<ResumeRequest> = {},
): Promise<void> {
  const output = await show(sessions, id, {detached, restart, yes, isFirst: false});
  if (output.outcome === 'canceled') cli.context.err('canceled');
  if (output.outcome !== 'ready') return;
  const {sessionName} = await import('../../../machines/policies/session/session-names.ts');
  const session = sessionName(output.run.run_id);
  cli.print(command, {session_name: session, event: output.event}, () => `ok: session ${session} ready`);
}

/** Runs the machine to its end; a failure is thrown. */
export async function show(
  {ports, terminal}: Sessions,
  ref: string,
  request: ResumeRequest,
): Promise<Exclude<SessionOutput, {outcome: 'failed'}>> {
  const {openSession} = await import('../../../machines/session.ts');
  const output = await openSession(ports, {ref, request, terminal});
  if (output.outcome === 'failed') throw output.error;
  return output;
}
