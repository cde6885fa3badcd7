import {Command} from 'commander';
import {openDraftCommand} from '../../../machines/policies/planning/draft-task.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import {timeOfDay} from '../../../machines/policies/text/durations.ts';
import {AppError} from '../../../services/contracts/errors.ts';
import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import {cutWords} from '../../../ui/text/fit.ts';
import {type Cli, collect} from '../../cli.ts';
import {parseAnswers} from '../../job/given-answers.ts';
import {type PlanJobOptions, runPlanJob, withPlannerOptions} from '../../plan/planner-command.ts';
import {draftData, draftStore, requireDraft} from '../../plan/stored-drafts.ts';
import {renderTable} from '../../terminal/table.ts';
import {draftShowCommand} from './draft-show.ts';

type OpenOptions = PlanJobOptions & {answer?: readonly string[]};

export function draftsCommand(cli: Cli): Command {
  return new Command('drafts')
    .summary('proposed plans that have not been saved or dropped yet')
    .addHelpText(
      'after',
      `
Examples:
  $ blackbird plan drafts
  $ blackbird plan drafts show 20260110-220412-3fa9c1
  $ blackbird plan drafts open 20260110-220412-3fa9c1
  $ blackbird plan drafts drop 20260110-220412-3fa9c1`,
    )
    .addCommand(listCommand(cli), {isDefault: true})
    .addCommand(draftShowCommand(cli))
    .addCommand(openCommand(cli))
    .addCommand(dropCommand(cli));
}

function listCommand(cli: Cli): Command {
  return new Command('list')
    .summary('list all of them, oldest first')
    .action(async (_options, command: Command) => {
      const {drafts, broken} = await (await draftStore(cli, command)).list();
      const shown = await Promise.all(drafts.map(draftData));
      for (const {file, reason} of broken) cli.context.err(`warning: ${displayLine(`${file}: ${reason}`)}`);
      const now = cli.context.now();
      const columns = [
        ...[
          {title: 'DRAFT'},
          {title: 'KIND'},
          {title: 'STATE', shrinks: 'last'} as const,
          {title: 'CHANGED'},
        ],
        {title: 'WHAT WAS ASKED FOR', shrinks: 'first', cut: cutWords} as const,
      ];
      const rows = shown.map(({data: {id, kind, text, updated_at}, state}) => [
        ...[id, kind, state, timeOfDay(updated_at, now)],
        cutWords(displayLine(text.slice(0, 1000)), longestWish),
      ]);
      cli.print(command, {drafts: shown.map(({data}) => data), broken}, () =>
        rows.length === 0 ? 'no drafts' : renderTable(columns, rows, cli.context.stdout),
      );
    });
}

/** Also in a pipe: a request may be a page long. `--json` has all of it. */
const longestWish = 100;

function openCommand(cli: Cli): Command {
  const command = new Command('open')
    .summary('continue with one, in the same session of its agent')
    .argument('<draftId>', 'the draft')
    .option('--answer <id=text>', 'answer a question; may be repeated', collect);
  return withPlannerOptions(command).action(async (draftId: string, options: OpenOptions, self: Command) => {
    const draft = await requireDraft(cli, self, draftId);
    const answers = parseAnswers(options.answer ?? []);
    const unknown = answers.find(({id}) => !draft.questions.some((question) => question.id === id));
    if (unknown) throw notAsked(draft, unknown.id);
    const request = {type: 'open', draftId, ...(answers.length > 0 && {answers})} as const;
    await runPlanJob(cli, self, request, options);
  });
}

function notAsked({draftId, questions}: PlanDraft, id: string): AppError {
  const asked = questions.map((question) => JSON.stringify(question.id)).join(', ');
  const why =
    asked === ''
      ? `the draft ${draftId} asks nothing`
      : `no question is called ${JSON.stringify(id)}: it asks ${asked}`;
  return new AppError('E_USAGE', why, {
    next: [{command: openDraftCommand(draftId), why: 'continue with it'}],
  });
}

function dropCommand(cli: Cli): Command {
  return new Command('drop')
    .summary('remove one; the plan stays as it is')
    .argument('<draftId>', 'the draft')
    .action(async (draftId: string, _options, command: Command) => {
      await requireDraft(cli, command, draftId);
      const {folder, trail} = await cli.project(command);
      const {createDraftStore} = await import('../../../services/stores/draft-store.ts');
      const {dropDraft} = await import('../../../machines/actors/plan-draft.actor.ts');
      const drafts = createDraftStore({folder: folder.draftsFolder, trail});
      await dropDraft({planDrafts: await draftStore(cli, command), drafts}, draftId);
      cli.print(command, {dropped: draftId}, `dropped ${draftId}`);
    });
}
