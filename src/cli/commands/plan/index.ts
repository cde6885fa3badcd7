import {Command} from 'commander';
import type {Cli} from '../../cli.ts';
import {lintCommand} from './lint.ts';

export function planCommand(cli: Cli): Command {
  return new Command('plan').summary('what makes a plan worth running').addCommand(lintCommand(cli));
}
