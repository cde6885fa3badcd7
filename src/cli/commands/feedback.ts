import {Command} from 'commander';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import {type Cli, taskArgument} from '../cli.ts';

export function feedbackCommand(cli: Cli): Command {
  const list = new Command('list')
    .summary('feedback from parent reviews that is still open')
    .action(async (_options, command: Command) => {
      const {listFeedback} = await import('../job/feedback-operations.ts');
      const {pending, broken} = await listFeedback(await cli.project(command));
      cli.print(command, {pending, broken}, () =>
        pending.length === 0 ? 'no feedback is pending' : pending.map(entryText).join('\n\n'),
      );
      for (const {file, reason} of broken)
        cli.context.err(`warning: ${displayLine(file)} cannot be used: ${displayLine(reason)}`);
    });

  const dismiss = new Command('dismiss')
    .summary('leave the task as it is, despite the review')
    .addArgument(taskArgument())
    .action(async (taskId: string, _options, command: Command) => {
      const {dismissFeedback} = await import('../job/feedback-operations.ts');
      const project = await cli.project(command);
      const {completed, ...overruled} = await dismissFeedback(project, [taskId], cli.context.now);
      const [dismissed] = overruled.dismissed;
      if (!dismissed) throw notPending(taskId);
      cli.print(command, {dismissed, completed}, () =>
        [
          `dismissed the feedback for ${displayLine(taskId)}`,
          ...completed.map((id) => `updated ${displayLine(id)} status to done`),
        ].join('\n'),
      );
    });

  const edit = new Command('edit')
    .summary('change the feedback before its task is resumed')
    .addArgument(taskArgument())
    .argument('<text>', 'the new feedback; - reads it from stdin')
    .action(async (taskId: string, text: string, _options, command: Command) => {
      const {editFeedback} = await import('../job/feedback-operations.ts');
      const question = 'What should the agent be told? Ctrl+D on an empty line ends it.';
      const given = text === '-' ? await cli.context.readAll(question) : text;
      const edited = await editFeedback(await cli.project(command), taskId, given, cli.context.now);
      if (edited === null) throw notPending(taskId);
      cli.print(
        command,
        edited,
        () => `${displayLine(taskId)} will get this feedback instead; both versions are on record`,
      );
    });

  return new Command('feedback')
    .summary('what parent reviews sent back: see it, change it, or overrule it')
    .addCommand(list)
    .addCommand(edit)
    .addCommand(dismiss);
}

const notPending = (taskId: string) =>
  new AppError('E_FEEDBACK_NOT_FOUND', `no feedback is pending for ${JSON.stringify(taskId)}`, {
    next: [{command: 'blackbird feedback list', why: 'see what is'}],
  });

function entryText({childTaskId, parentTaskId, feedback}: PendingFeedback): string {
  const task = displayLine(shellWord(childTaskId));
  return [
    `${displayLine(childTaskId)}  sent back by the review of ${displayLine(parentTaskId)}`,
    ...displayText(feedback)
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    `  Answer with: blackbird resume ${task}`,
    `           or: blackbird feedback edit ${task} <text>`,
    `           or: blackbird feedback dismiss ${task}`,
  ].join('\n');
}
