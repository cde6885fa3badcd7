#!/usr/bin/env node
import {version} from './version.ts';

// Answered before anything is loaded: scripts and shells ask for it all the time.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const {runProcess} = await import('./run-process.ts');
  await runProcess('blackbird', args);
}
