import {Command} from 'commander';
import {sessionName} from '../../../machines/policies/session/session-names.ts';
import type {SessionMeta} from '../../../services/contracts/session.ts';
import {interruptKey} from '../../../services/contracts/tmux.ts';
import type {Cli} from '../../cli.ts';
import type {Sessions} from '../../session/session-composition.ts';
import {withSessions} from '../../session/session-errors.ts';
import {idArgument} from './id-argument.ts';

export function stopCommand(cli: Cli): Command {
  return new Command('stop')
    .summary('press Ctrl+C in a session; it goes on running')
    .addArgument(idArgument())
    .action((id: string, _options, command: Command) =>
      onRunning(cli, command, id, async ({tmux, events, store}, run, name) => {
        await tmux.sendKeys(name, [interruptKey]);
        await events.append(run, {event: 'stop', data: {session_name: name, keys: [interruptKey]}});
        await store.update(run, {flags: {needs_attention: true}});
      }),
    );
}

export function killCommand(cli: Cli): Command {
  return new Command('kill')
    .summary('end a session; worktree, branch and record stay')
    .addArgument(idArgument())
    .action((id: string, _options, command: Command) =>
      onRunning(cli, command, id, async ({tmux, events}, run, name) => {
        await tmux.killSession(name);
        await events.append(run, {event: 'kill_session', data: {session_name: name}});
      }),
    );
}

/** Where nothing runs there is nothing to do, and that is no failure. */
function onRunning(
  cli: Cli,
  command: Command,
  id: string,
  job: (sessions: Sessions, run: SessionMeta, name: string) => Promise<void>,
): Promise<void> {
  return withSessions(cli, command, id, async (sessions) => {
    const run = await sessions.find(id);
    const name = sessionName(run.run_id);
    if (!(await sessions.tmux.hasSession(name))) {
      cli.context.err(`no session for ${run.run_id}`);
      return;
    }
    const {undisturbed} = await import('../../session/session-composition.ts');
    await undisturbed(() => job(sessions, run, name));
  });
}
