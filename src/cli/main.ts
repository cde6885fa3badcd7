import type {CliContext} from './context.ts';
import {runProcess} from './run-process.ts';

/** What `start.cjs` loads on a Node that is new enough. */
export const start = (name: CliContext['name']): Promise<void> => runProcess(name, process.argv.slice(2));
