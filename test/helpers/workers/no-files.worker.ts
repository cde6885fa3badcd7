// A process that can open no more files but still needs other programs; prints the result of each.
import {closeSync, openSync} from 'node:fs';
import {createGuardian} from '../../../src/services/agents/guardian.ts';
import {createHookRunner} from '../../../src/services/system/hook-runner.ts';
import {createKeepAwake} from '../../../src/services/system/keep-awake.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
import {runProgram} from '../../../src/services/system/run-program.ts';

const {env} = process;
const leader = identifyProcess(process.pid);
if (leader === null) throw new Error('this process cannot identify itself');
const keepAwake = createKeepAwake(env);
const hooks = createHookRunner({cwd: '/', env});
const guardian = createGuardian();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // Now there is none left.
}
const failed = (error: Error) => error.message;
const told = {
  hook: await hooks.run('true', {}),
  program: await runProgram({file: '/bin/true', args: [], env, timeLimitMs: 60_000}),
  guardian: await guardian.watch({leader, isReaped: false}).catch(failed),
};
keepAwake()();
for (const handle of taken) closeSync(handle);
console.log(JSON.stringify(told));
