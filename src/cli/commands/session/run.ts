import {Command} from 'commander';
import {builtInRunners} from '../../../machines/policies/session/session-runner.ts';
import {counted} from '../../../machines/policies/text/counted.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import {AppError} from '../../../services/contracts/errors.ts';
import type {SessionMeta} from '../../../services/contracts/session.ts';
import type {Cli} from '../../cli.ts';
import {detachedOption, sessionProgram, withSessions} from '../../session/session-errors.ts';
import {show} from './resume.ts';

type Options = {name: string; runner?: string; parent?: string; detached?: true};

export function runCommand(cli: Cli): Command {
  return new Command('run')
    .summary('start a session: a branch, its worktree, and an agent in tmux')
    .requiredOption('--name <name>', 'the name of the session')
    .option('--runner <runner>', `${builtInRunners.join(', ')} or a runner in agency.json`)
    .option(
      '--parent <branch>',
      'the branch to start from (default: the current one, or the one in agency.json)',
    )
    .option('--detached', 'leave it in the background')
    .action((options: Options, command: Command) =>
      withSessions(cli, command, options.name, async (sessions) => {
        const {randomBytes} = await import('node:crypto');
        const {createRun} = await import('../../session/session-start.ts');
        const {name, runner, parent, detached = false} = options;
        const suffix = randomBytes(2).toString('hex');
        const {run, unseen} = await createRun(sessions, {name, runner, parent, detached, suffix});
        if (unseen.length > 0) {
          const changes = counted(unseen.length, 'uncommitted change');
          cli.context.err(
            `warning: the session begins without your ${changes} on ${displayLine(run.parent_branch)}`,
          );
        }
        // Printed before tmux takes the terminal, and still there afterwards.
        const {canAttach} = sessions.terminal;
        const next = [
          'next',
          `${sessionProgram(cli)} ${detached ? 'attach' : 'resume'} ${run.name}`,
        ] as const;
        const tell = () =>
          cli.print(command, run, () =>
            [...linesOf(run), ...(canAttach ? [next] : [])]
              .map(([label, value]) => `${label}: ${displayLine(value)}`)
              .join('\n'),
          );
        if (!detached) tell();
        const request = {detached, restart: false, yes: false, isFirst: true};
        await show(sessions, run.run_id, request).catch((error: unknown) => {
          throw notStarted(
            error,
            run,
            `${sessionProgram(cli)} resume ${run.name}${detachedOption(detached, canAttach)}`,
          );
        });
        if (detached) tell();
      }),
    );
}

/** The worktree was created and stays; only its session is missing. */
function notStarted(error: unknown, run: SessionMeta, resume: string): unknown {
  if (!(error instanceof AppError)) return error;
  const {code, message, details, cause} = error;
  const next = [{command: resume, why: 'its worktree is ready; start the session'}];
  return new AppError(code, message, {details: [...details, ['run', run.run_id]], next, cause});
}

function linesOf(run: SessionMeta): ReadonlyArray<readonly [string, string]> {
  return [
    ['run_id', run.run_id],
    ['name', run.name],
    ['runner', run.runner],
    ['parent', run.parent_branch],
    ['branch', run.branch],
    ['worktree', run.worktree_path],
    ['tmux', String(run.tmux_session_name)],
  ];
}
