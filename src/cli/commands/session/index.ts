import {Command} from 'commander';
import type {Cli} from '../../cli.ts';
import {attachCommand} from './attach.ts';
import {cleanCommand} from './clean.ts';
import {doctorCommand} from './doctor.ts';
import {lsCommand, showCommand} from './ls-show.ts';
import {resumeCommand} from './resume.ts';
import {runCommand} from './run.ts';
import {killCommand, stopCommand} from './stop-kill.ts';

/** One command tree with two entry points: `blackbird session …` and `agency …`. */
export function sessionCommands(cli: Cli): Command[] {
  return [
    runCommand(cli),
    lsCommand(cli),
    showCommand(cli),
    attachCommand(cli),
    resumeCommand(cli),
    stopCommand(cli),
    killCommand(cli),
    cleanCommand(cli),
    doctorCommand(cli),
  ];
}

export function sessionCommand(cli: Cli): Command {
  const session = new Command('session').summary('interactive agent sessions in tmux and git worktrees');
  for (const command of sessionCommands(cli)) session.addCommand(command);
  return session;
}
