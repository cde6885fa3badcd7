import {Command, Option} from 'commander';
import type {CheckpointWords} from '../../machines/drafts.ts';
import {checkpointStep, type JobResult, reviewStep} from '../../machines/policies/job/job-steps.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {type Cli, collect} from '../cli.ts';
import {exitCodes} from '../exit-codes.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {type CalledEngine, type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';
import type {UnfinishedLine} from '../terminal/line-reader.ts';
import {agentOption, streamOption} from './execute.ts';

type Options = JobCommandOptions & {
  approve?: true;
  approveQuit?: true;
  requestChanges?: string | true;
  reject?: string | true;
  retry?: true;
  comment?: readonly string[];
  comments?: true;
  removeComment?: string;
  withdraw?: true;
};

const choices = ['approve', 'approveQuit', 'requestChanges', 'reject', 'retry'] as const;
const others = (own: (typeof choices)[number]) => choices.filter((each) => each !== own);

export function reviewCommand(cli: Cli): Command {
  return new Command('review')
    .summary('decide on a task at a checkpoint')
    .argument('[taskId]', 'the task (default: the first one that waits for a decision)')
    .addOption(new Option('--approve', 'approve, and continue with the plan').conflicts(others('approve')))
    .addOption(new Option('--approve-quit', 'approve, and stop there').conflicts(others('approveQuit')))
    .addOption(
      new Option(
        '--request-changes [text]',
        'send the agent back to work in its own session, with your comments; - reads the text from stdin',
      ).conflicts(others('requestChanges')),
    )
    .addOption(
      new Option('--reject [reason]', 'mark the task as failed; a later attempt is told why').conflicts(
        others('reject'),
      ),
    )
    .addOption(
      new Option('--retry', 'start over with a new run; the conversation is dropped').conflicts(
        others('retry'),
      ),
    )
    .addOption(
      new Option(
        '--comment <file:line=text>',
        'add a comment to a line of the change (:-line for a removed one); may be repeated',
      )
        .argParser(collect)
        .conflicts(others('requestChanges')),
    )
    .addOption(new Option('--comments', 'list the comments on the task').conflicts([...choices, 'comment']))
    .addOption(
      new Option('--remove-comment <id>', 'remove a comment that was not sent').conflicts([
        ...choices,
        'comment',
        'comments',
      ]),
    )
    .addOption(
      new Option('--withdraw', 'take back an approval, until the next task has started').conflicts([
        ...choices,
        'comment',
        'comments',
        'removeComment',
      ]),
    )
    .addOption(agentOption())
    .addOption(streamOption())
    .addOption(inspectOption())
    .addHelpText(
      'after',
      `
Without a decision it asks, if there is a terminal; Ctrl+C leaves it for later.
--approve continues with the plan; --approve-quit does not. --reject ends with exit code 0.
Comments are kept until --request-changes sends them; with comments you can leave out its text.`,
    )
    .action(async (taskId: string | undefined, options: Options, command: Command) => {
      if (options.withdraw) {
        if (taskId === undefined) throw new AppError('E_USAGE', '--withdraw needs the id of a task');
        const {withdrawApproval} = await openEngineFor(cli, command, options);
        const {stdout: _, stderr: __, ...run} = await withdrawApproval(taskId);
        cli.print(command, run, `the approval of ${taskId} is withdrawn; it waits for your decision`);
        return;
      }
      const opened = await openEngineFor(cli, command, options);
      const {plans} = await cli.project(command);
      const decision = await decisionFrom(cli, options, async (words) => {
        const {draftAtCheckpoint} = await import('../job/checkpoint-draft.ts');
        return draftAtCheckpoint(cli, {...opened, plans}, taskId, words);
      });
      const {findDecision} = await import('../../machines/actors/decision.actor.ts');
      const found = taskId ?? (await findDecision({plans, runs: opened.runs}));
      if (found === null)
        throw new AppError('E_NO_DECISION', 'no task waits for a decision', {
          next: [{command: 'blackbird status', why: 'see what is running and what needs you'}],
        });
      if (await handleComments(cli, command, opened, found, options)) return;
      const step = decision === null ? reviewStep(found) : checkpointStep(found, decision);
      const result = await runSteps(cli, command, opened, [step], options);
      // Rejecting was the request, and it was done.
      if (result.steps.length === 1 && isRejected(result)) cli.exitCode = exitCodes.done;
    });
}

const isRejected = ({steps: [step]}: JobResult) =>
  step?.type === 'task' && 'run' in step.output && step.output.run.decision_state === 'rejected';

/** Keeps what is typed at a prompt until it is sent; undefined if no task waits for it. */
type KeepTyped = (words: CheckpointWords) => Promise<UnfinishedLine | undefined>;

async function decisionFrom(
  cli: Cli,
  options: Options,
  keepTyped: KeepTyped,
): Promise<CheckpointAnswer | null> {
  if (options.approve) return {state: 'approved_continue'};
  if (options.approveQuit) return {state: 'approved_quit'};
  if (options.retry) return {state: 'retry'};
  if (options.reject !== undefined) return rejection(cli, options.reject, keepTyped);
  const {requestChanges: text} = options;
  if (text === undefined) return null;
  const question = 'What should be different? Ctrl+D on an empty line ends it.';
  // Comments may say it all; without any, the checkpoint refuses.
  if (text === true) return {state: 'changes_requested', feedback: ''};
  const feedback = text === '-' ? await cli.context.readAll(question, await keepTyped('feedback')) : text;
  if (feedback.trim() !== '') return {state: 'changes_requested', feedback};
  throw new AppError('E_NO_INPUT', '--request-changes needs a text that says what should be different');
}

/** On a terminal, asks for the reason; an empty answer omits it. */
async function rejection(
  {context}: Cli,
  given: string | true,
  keepTyped: KeepTyped,
): Promise<CheckpointAnswer> {
  const question = 'Why is it rejected? (Enter gives no reason; the files stay as they are) ';
  const ask = async () => context.ask(question, await keepTyped('rejection'));
  const reason = given !== true ? given : context.isInteractive ? await ask() : '';
  if (reason === null) throw new AppError('E_CANCELED', 'nothing was decided');
  return {state: 'rejected', ...(reason.trim() !== '' && {why: reason.trim()})};
}

/** True if that was all the command asked for. */
async function handleComments(
  cli: Cli,
  command: Command,
  opened: CalledEngine,
  taskId: string,
  {comment: given = [], comments, removeComment: id, requestChanges}: Options,
): Promise<boolean> {
  if (given.length === 0 && !comments && id === undefined) return false;
  const operations = await import('../job/comment-operations.ts');
  const project = await cli.project(command);
  if (comments) {
    const known = await operations.commentsOn(opened, taskId);
    cli.print(command, known.map(operations.commentData), () =>
      known.length === 0 ? 'no comments' : known.map(operations.commentText).join('\n'),
    );
    return true;
  }
  if (id !== undefined) {
    const removed = await operations.removeComment(opened, taskId, id);
    cli.print(command, removed, `removed comment ${id}`);
    return true;
  }
  const added = await operations.addComments(opened, project, taskId, given);
  if (requestChanges !== undefined) return false;
  cli.print(command, added, () =>
    added.map((comment) => operations.commentText({comment, sentWith: null})).join('\n'),
  );
  return true;
}
