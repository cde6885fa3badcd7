import type {RepositoryStanding} from '../../../services/contracts/side-effects.ts';
import type {JobRules} from './job-rules.ts';
import type {JobStep} from './job-steps.ts';

/** What does not work without a repository, for every view. */
export const unrecordedText =
  'there is no git repository here: what tasks change is not recorded, so diff and review cannot show it and undo cannot revert it';
export const unrecordedAdvice = 'git init';
export const unrecordedWarning = `${unrecordedText} (${unrecordedAdvice})`;

/** Whether an agent may edit files in this job. */
export const mayEditFiles = (steps: readonly JobStep[]): boolean =>
  steps.some((step) => step.type === 'execute' || (step.type === 'task' && step.mode.type !== 'review'));

/** What users should know about the repository before an agent works in it. */
export function repositoryWarnings(
  standing: RepositoryStanding | null,
  {isReviewed, commits, isAttended}: Pick<JobRules, 'isReviewed' | 'commits' | 'isAttended'>,
  {isFirstJob}: {readonly isFirstJob: boolean},
): string[] {
  // Users who neither review nor commit are told once, if anyone is there.
  if (standing === null)
    return (isFirstJob && isAttended) || isReviewed || commits ? [unrecordedWarning] : [];
  const {underWay, conflicts, isDetached} = standing;
  if (conflicts.length > 0)
    return [
      `${underWay} is in progress, with conflicts in ${some(conflicts)}: the agent will find them there (git status)`,
    ];
  if (!commits) return [];
  if (underWay !== null) return [`${underWay} is in progress: nothing is committed until it is finished`];
  if (!isDetached) return [];
  return [
    'no branch is checked out (detached HEAD): the commits of tasks will be on no branch; keep them with git switch -c <name>',
  ];
}

const shown = 3;
const some = (files: readonly string[]): string =>
  files.length <= shown
    ? files.join(', ')
    : `${files.slice(0, shown).join(', ')} and ${files.length - shown} more`;
