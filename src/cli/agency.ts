#!/usr/bin/env node
import {version} from './version.ts';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const {runProcess} = await import('./run-process.ts');
  await runProcess('agency', args);
}
