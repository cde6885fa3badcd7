import {Command} from 'commander';
import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Cli} from '../cli.ts';
import {exitCodes} from '../exit-codes.ts';

export function validateCommand(cli: Cli): Command {
  return new Command('validate')
    .summary('check the plan and list everything that is wrong')
    .action(async (_options, command: Command) => {
      const {plans} = await cli.project(command);
      const check = await plans.inspect();
      const problems = 'plan' in check ? [] : check.problems;
      cli.print(command, {valid: problems.length === 0, file: plans.file, problems}, () => {
        if (problems.length === 0) return 'OK';
        const lines = problems.map(({path, message}) => `- ${displayLine(path)}: ${displayLine(message)}`);
        return [`invalid plan: ${displayLine(plans.file)}`, ...lines].join('\n');
      });
      if (problems.length === 0) return;
      if (!cli.isJson(command)) {
        cli.context.err(`validation failed: ${counted(problems.length, 'problem')}`);
      }
      cli.exitCode = exitCodes.error;
    });
}
