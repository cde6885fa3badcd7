import {Command} from 'commander';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import {Cli} from '../cli.ts';
import {exitCodes} from '../exit-codes.ts';
import {executePlan} from './execute.ts';
import {resumeTask} from './resume.ts';

export function demoCommand(outer: Cli): Command {
  return new Command('demo')
    .summary('make a sample project and run its plan with the built-in agent; no account needed')
    .argument('[dir]', 'an empty or new folder (default: a temporary one)')
    .option('--tui', 'open it in the terminal UI instead')
    .action(async (dir: string | undefined, options: {tui?: true}, command: Command) => {
      // The demo always uses the built-in agent, whatever is configured for real work.
      const {BLACKBIRD_AGENT_CMD: _, BLACKBIRD_AGENT_PROVIDER: __, ...env} = outer.context.env;
      const cli = new Cli({...outer.context, env});
      const {createDemo, demoQuestion} = await import('../setup/demo-project.ts');
      const {out, isInteractive} = cli.context;
      const say = (text: string) => (cli.isJson(command) ? undefined : out(text));
      const root = await createDemo({dir, cwd: cli.folder(command), now: cli.context.now()});
      say(`A sample project with a plan: ${root}\n`);
      // From here on the demo is the project, as if opened with --cwd.
      (command.parent ?? command).setOptionValue('cwd', root);
      if (options.tui) {
        const {screen} = cli.context;
        if (!screen) throw new AppError('E_NOT_INTERACTIVE', 'the terminal UI needs a terminal');
        const {openTui} = await import('../tui/open-tui.ts');
        await openTui(cli, command, screen);
        return;
      }
      await executePlan(cli, command, {agent: 'demo', asksNext: isInteractive}, []);
      const isAnswered = cli.exitCode === exitCodes.personNeeded;
      if (isAnswered) {
        const answer = isInteractive ? [] : [demoQuestion.answer];
        say(isInteractive ? '' : `Nobody is here to answer, so the demo does: ${demoQuestion.answer}`);
        const goOn = `cd ${displayLine(shellWord(root))} && blackbird resume ${demoQuestion.taskId} --execute`;
        await resumeTask(cli, command, demoQuestion.taskId, {agent: 'demo', answer, execute: true}, goOn);
      }
      outer.exitCode = cli.exitCode;
      if (isAnswered && cli.exitCode === exitCodes.done) say(twoJobs);
      say(nextSteps(root, cli.exitCode, cli.context.env.npm_command === 'exec'));
    });
}

// The last line of a job counts only its own tasks.
const twoJobs = 'With the job that ended at the question, the whole plan is done.';

const linkClone = 'npm link                          once, in the clone: puts it on your PATH';
const installPackage = 'npm install -g <package>          the package you just ran: for your PATH';

/** Whether npm installed what runs here, be it for one call; a clone is no folder in a node_modules. */
function isPackage(): boolean {
  return import.meta.url.includes('/node_modules/blackbird-cli/');
}

function nextSteps(root: string, exitCode: number, isFromNpx: boolean): string {
  const isPaused = exitCode === exitCodes.paused;
  const folder = displayLine(shellWord(root));
  return [
    '',
    isPaused ? 'You paused the demo. Try next:' : 'Try next:',
    ...(isFromNpx ? [`  ${isPackage() ? installPackage : linkClone}`] : []),
    `  cd ${folder}`,
    ...(isPaused ? [] : ['  blackbird restart slow            run it again, press Ctrl+C, resume it']),
    '  blackbird list --tree             the plan and its progress',
    '  blackbird runs greeting           the history of a task',
    '  blackbird logs palette            what the agent said and did',
    '  blackbird agents                  choose your own agent for your own plan',
    `  rm -r ${folder}${' '.repeat(Math.max(2, 28 - folder.length))}to clean up`,
  ].join('\n');
}
