import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {noRun} from '../job/no-run.ts';
import {liveEngine} from '../job/running-task.ts';

type Options = {follow?: true; raw?: true; stderr?: true};

export function logsCommand(cli: Cli): Command {
  return new Command('logs')
    .summary('the whole transcript of a run; by default the latest')
    .addArgument(taskArgument())
    .argument('[runId]', 'which run of the task (default: the latest)')
    .option('--follow', 'keep printing until the run ends')
    .option('--raw', 'exactly what the agent printed')
    .option('--stderr', 'its error output instead')
    .action(async (taskId: string, runId: string | undefined, options: Options, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const {createRunStore} = await import('../../services/stores/run-store.ts');
      const runs = createRunStore({folder: folder.runsFolder});
      const {runs: history} = await runs.list(taskId);
      if (history.length === 0) requireTask(await plans.read(), taskId);
      // An undo has no agent and no output.
      const latest = history.findLast(({run_type}) => run_type !== 'undo');
      const run = runId === undefined ? latest : namedRun(history, taskId, runId);
      if (!run) throw noRun(taskId);
      const {printTranscript} = await import('../job/transcript.ts');
      const isEngineAlive = async () => (await liveEngine(folder)) !== null;
      await printTranscript({cli, command, runs, run, options, isEngineAlive});
    });
}
