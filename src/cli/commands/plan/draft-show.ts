import {Command} from 'commander';
import {resolveConfig, settingOf} from '../../../machines/policies/config-resolution.ts';
import {answerCommand, openDraftCommand} from '../../../machines/policies/planning/draft-task.ts';
import {displayLine, displayText} from '../../../machines/policies/text/display-text.ts';
import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import type {Cli} from '../../cli.ts';
import {draftData, requireDraft} from '../../plan/stored-drafts.ts';
import {painter} from '../../terminal/paint.ts';

export function draftShowCommand(cli: Cli): Command {
  return new Command('show')
    .summary('show one in full: what was asked for, and every task it proposes')
    .argument('<draftId>', 'the draft')
    .action(async (draftId: string, _options, command: Command) => {
      const draft = await requireDraft(cli, command, draftId);
      const {data, state} = await draftData(draft);
      const {preview, problems} = await proposalOf(cli, command, draft);
      const {proposedTasks, proposalText} = await import('../../plan/proposal-text.ts');
      const {findingLines} = await import('../../plan/finding-lines.ts');
      const proposal = preview && {
        tasks: proposedTasks(preview),
        diff: preview.diff,
        findings: preview.findings,
      };
      const {answers, revisions} = draft;
      cli.print(command, {draft: {...data, answers, revisions, proposal, problems}}, () => {
        const paint = painter(cli.context.stdout);
        const part = (title: string, lines: readonly string[]) =>
          lines.length === 0 ? [] : ['', paint('bold', title), ...lines];
        const said = (text: string) => displayText(text).trimEnd();
        return [
          `${draft.draftId}  ${draft.kind}, ${state}`,
          ...part('What was asked for', draft.text.trim() === '' ? [] : [said(draft.text)]),
          ...part(
            'What it asked',
            answers.map(({prompt, value}) => displayLine(`${prompt}  ${value}`)),
          ),
          ...part('Requested changes', revisions.map(said)),
          ...part(
            'It asks',
            draft.questions.map(({id, prompt}) => displayLine(`${id}: ${prompt}`)),
          ),
          ...(preview ? ['', proposalText(preview, paint) || 'Nothing would change.'] : []),
          ...part('It does not fit the plan as it is now', problems.map(displayLine)),
          ...(preview && preview.findings.length > 0 ? ['', ...findingLines(cli, preview.findings)] : []),
          '',
          `Continue with: ${draft.questions.length > 0 ? displayLine(answerCommand(draftId, draft.questions)) : openDraftCommand(draftId)}`,
        ].join('\n');
      });
    });
}

/** What it changes in the current plan; null if there is no proposal yet or it cannot be applied. */
async function proposalOf(cli: Cli, command: Command, draft: PlanDraft) {
  if (draft.operations === null) return {preview: null, problems: []};
  const {createHash} = await import('node:crypto');
  const {checkProposal, previewOf} = await import('../../../machines/policies/planning/check-proposal.ts');
  const {plans, config} = await cli.project(command);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const checked = checkProposal(await plans.read(), draft, cli.context.now(), digest);
  if (checked.type === 'invalid') return {preview: null, problems: checked.problems};
  const verify = settingOf(resolveConfig(await config.layers()), 'execution.verify');
  return {preview: previewOf(checked.before, checked.after, {verify}), problems: []};
}
