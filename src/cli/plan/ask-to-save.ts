import type {Command} from 'commander';
import {diffPlans, isEmptyDiff, type PlanDiff} from '../../machines/policies/plan/plan-diff.ts';
import {type DiffLine, planDiffLines} from '../../machines/policies/plan/plan-diff-lines.ts';
import {refuseRunning} from '../../machines/policies/plan/running-tasks.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {Cli} from '../cli.ts';
import {tasksAtWork} from '../job/running-task.ts';
import {painter, type Style} from '../terminal/paint.ts';
import {changeByHand} from './plan-operations.ts';
import type {SaveOptions} from './save-options.ts';

export type Asked = {readonly isSaved: boolean; readonly diff: PlanDiff};

type Told = {
  /** What the change left out. */
  readonly asides?: () => readonly string[];
  /** The command's arguments, quoted for a shell. */
  readonly words?: readonly string[];
};

/**
 * Shows what a change does to the plan, asks, and saves exactly that or nothing: if the plan changed in the
 * meantime so that the result would differ, it is refused.
 */
export async function askToSave(
  cli: Cli,
  command: Command,
  change: (plan: Plan) => Plan,
  {yes, dryRun}: SaveOptions,
  {asides = () => [], words = []}: Told = {},
): Promise<Asked> {
  const project = await cli.project(command);
  const before = await project.plans.read();
  const diff = diffPlans(before, change(before));
  if (isEmptyDiff(diff)) return {isSaved: false, diff};
  if (!cli.isJson(command)) {
    showDiff(cli, diff);
    for (const line of asides()) cli.context.out(line);
  }
  if (dryRun) return {isSaved: false, diff};
  if (!yes) await requireYes(cli, command, words);
  const inProgress = await tasksAtWork(project, before);
  const shown = JSON.stringify(diff);
  await changeByHand(project, (plan) => {
    const changed = change(plan);
    refuseRunning(plan, changed, inProgress);
    if (plan !== before && JSON.stringify(diffPlans(plan, changed)) !== shown) throw changedMeanwhile();
    return changed;
  });
  return {isSaved: true, diff};
}

const tones: Readonly<Record<DiffLine['tone'], Style>> = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
  moved: 'cyan',
  dim: 'dim',
};

export function showDiff(cli: Cli, diff: PlanDiff): void {
  const paint = painter(cli.context.stdout);
  cli.context.out(
    planDiffLines(diff)
      .map(({tone, text}) => paint(tones[tone], text))
      .join('\n'),
  );
}

async function requireYes(cli: Cli, command: Command, words: readonly string[]): Promise<void> {
  if (!cli.context.isInteractive || cli.isJson(command)) {
    const asked = ['blackbird', pathOf(command), ...words].join(' ');
    throw new AppError(
      'E_CONFIRMATION_REQUIRED',
      'there is no terminal to ask in; nothing was saved; pass --yes to save it',
      {
        next: [
          {command: `${asked} --yes`, why: 'save it without asking'},
          {command: `${asked} --dry-run`, why: 'only see what would change'},
        ],
      },
    );
  }
  const answer = (await cli.context.ask('Save this? [y/N]: '))?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new AppError('E_CANCELED', 'not saved; nothing was changed');
}

/** `plan import`: the words of a command without the program's name. */
function pathOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}

const changedMeanwhile = () =>
  new AppError('E_CONFLICT', 'the plan was changed by somebody else meanwhile; nothing was written', {
    details: [['hint', 'run the command again to see what it would change now']],
  });
