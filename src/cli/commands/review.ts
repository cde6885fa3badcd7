import {Command, Option} from 'commander';
import type {JobResult} from '../../machines/policies/job/job-steps.ts';
import type {Decision} from '../../machines/policies/review/decisions.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import {exitCodes} from '../exit-codes.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';
import {agentOption, streamOption} from './execute.ts';

type Options = JobCommandOptions & {
  approve?: true;
  approveQuit?: true;
  requestChanges?: string;
  reject?: true;
};

const choices = ['approve', 'approveQuit', 'requestChanges', 'reject'] as const;
const others = (own: (typeof choices)[number]) => choices.filter((each) => each !== own);

export function reviewCommand(cli: Cli): Command {
  return new Command('review')
    .summary('decide about a task that stands at a checkpoint')
    .argument('[taskId]', 'the task; the first one that waits for a decision, if none is named')
    .addOption(new Option('--approve', 'approve, and go on with the plan').conflicts(others('approve')))
    .addOption(new Option('--approve-quit', 'approve, and stop there').conflicts(others('approveQuit')))
    .addOption(
      new Option(
        '--request-changes <text>',
        'send the agent back to work in its own session; - reads the text from stdin',
      ).conflicts(others('requestChanges')),
    )
    .addOption(new Option('--reject', 'the run and its task have failed').conflicts(others('reject')))
    .addOption(agentOption())
    .addOption(streamOption())
    .addOption(inspectOption())
    .addHelpText(
      'after',
      `
Without a decision it asks on a terminal; Ctrl+C leaves it for later.
Approving goes on with the plan; --approve-quit does not.
Exit codes: 0 decided, and what follows is done; 1 error, 3 a task failed,
4 a person is needed again, 75 only time is needed, 130 paused.`,
    )
    .action(async (taskId: string | undefined, options: Options, command: Command) => {
      const decision = await decisionFrom(cli, options);
      const opened = await openEngineFor(cli, command, options);
      const {plans} = await cli.project(command);
      const {findDecision} = await import('../../machines/actors/decision.actor.ts');
      const found = taskId ?? (await findDecision({plans, runs: opened.runs}));
      if (found === null) throw new AppError('E_NO_DECISION', 'no task waits for a decision');
      const mode = {type: 'review', decision} as const;
      const result = await runSteps(cli, command, opened, [{type: 'task', taskId: found, mode}], options);
      // To reject is what was asked for, and it was done.
      if (result.steps.length === 1 && isRejected(result)) cli.exitCode = exitCodes.done;
    });
}

const isRejected = ({steps: [step]}: JobResult) =>
  step?.type === 'task' && 'run' in step.output && step.output.run.decision_state === 'rejected';

async function decisionFrom(cli: Cli, options: Options): Promise<Decision | null> {
  if (options.approve) return {state: 'approved_continue'};
  if (options.approveQuit) return {state: 'approved_quit'};
  if (options.reject) return {state: 'rejected'};
  const {requestChanges: text} = options;
  if (text === undefined) return null;
  const question = 'What should be different? Ctrl+D on an empty line ends it.';
  const feedback = text === '-' ? await cli.context.readAll(question) : text;
  if (feedback.trim() !== '') return {state: 'changes_requested', feedback};
  throw new AppError('E_NO_INPUT', '--request-changes needs a text that says what is to be different');
}
