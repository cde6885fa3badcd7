import type {CliContext} from './context.ts';
import {runProcess} from './run-process.ts';

/** Loaded by `start.cjs` on a Node that is new enough. */
export const start = (name: CliContext['name']): Promise<void> => runProcess(name, process.argv.slice(2));
