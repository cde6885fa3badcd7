import {Command} from 'commander';
import type {Cli} from '../../cli.ts';
import {draftsCommand} from './drafts.ts';
import {exportCommand} from './export.ts';
import {generateCommand, refineCommand} from './generate.ts';
import {importCommand} from './import.ts';
import {lintCommand} from './lint.ts';

export function planCommand(cli: Cli): Command {
  return new Command('plan')
    .summary('create, check, import and export plans')
    .addCommand(generateCommand(cli))
    .addCommand(refineCommand(cli))
    .addCommand(draftsCommand(cli))
    .addCommand(lintCommand(cli))
    .addCommand(importCommand(cli))
    .addCommand(exportCommand(cli));
}
