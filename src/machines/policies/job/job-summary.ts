import type {Plan} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isOver, readyTasks} from '../plan/readiness.ts';
import {planSummary} from '../planning/plan-summary.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import {dueParents} from '../review/parent-review.ts';
import {heldUpError} from '../run/failure-steps.ts';
import {heldUpLines, isByProvider, isHeldUp, isTimeNeeded} from '../run/failure-table.ts';
import {resumeRefusal} from '../run/run-refusals.ts';
import type {Attempted} from '../run/task-outcome.ts';
import {displayLine} from '../text/display-text.ts';
import {overrunSummary} from './budget-lines.ts';
import {continueJobCommand} from './continue-job.ts';
import type {JobSummary} from './job-end.ts';
import type {JobResult} from './job-steps.ts';
import {type Story, storyOf} from './job-story.ts';
import {withObstacles} from './obstacle-lines.ts';
import {brokenReviewLines, sentBackLines, undecidedLines, undecidedText} from './review-lines.ts';
import type {Standing} from './standings.ts';
import {decisionLines, failureLines, pausedLines, questionLines} from './summary-lines.ts';
import {undoSummary} from './undo-lines.ts';
import {givenUpLines} from './wait-lines.ts';

/** `plan` is its state after the job. Throws if the result is an error. */
export function jobSummary(result: JobResult, plan: Plan): JobSummary {
  throwError(result, plan);
  return withObstacles(ownSummary(result, plan), result.obstacles ?? [], tasksCovered(storyOf(result)));
}

/** The tasks that the summary itself is about. */
function tasksCovered({attempted, reviews, pending, undecided, wait}: Story): ReadonlySet<string> {
  return new Set([
    ...attempted.filter(({state}) => state !== 'succeeded').map(({taskId}) => taskId),
    ...attempted.flatMap(({taskId, decision_state}) => (decision_state === 'pending' ? [taskId] : [])),
    ...reviews.flatMap(({verdict, parentId}) => (verdict === 'broken' ? [parentId] : [])),
    ...pending.flatMap(({childTaskId, parentTaskId}) => [childTaskId, parentTaskId]),
    ...(undecided ? [undecided.parentId] : []),
    ...(wait ? [wait.taskId] : []),
  ]);
}

function ownSummary(result: JobResult, plan: Plan): JobSummary {
  const {reason} = result;
  const planned = planSummary(result);
  if (planned) return planned;
  if (result.handedOver) return handedOverSummary(result.handedOver);
  const story = storyOf(result);
  const last = story.attempted.at(-1);
  const failedLines = [...failureLines(failedOf(story)), ...brokenReviewLines(story.reviews)];
  const naming = last ? {taskId: last.taskId} : {};
  switch (reason) {
    case 'error':
      throw result.error;
    case 'paused': {
      if (result.isPauseAsked) return {...pausedSummary(result, story, last), reason, standing: 'paused'};
      if (story.overrun) {
        const {headline, lines} = overrunSummary(story.overrun, story.attempted, plan);
        const told = {overrun: story.overrun, standing: 'personNeeded'} as const;
        return {reason, ...naming, headline, lines: [...failedLines, ...lines], ...told};
      }
      if (story.wait && !(last && isHeldUp(last))) {
        const [headline = '', ...steps] = givenUpLines(story.wait, continueJobCommand(result));
        const lines = [...failedLines, headline, ...steps];
        const {taskId, until: retryAt} = story.wait;
        return {reason, taskId, headline, lines, retryAt, standing: 'timeNeeded'};
      }
      if (!last || !isHeldUp(last))
        return {...pausedSummary(result, story, last), reason, standing: 'paused'};
      const [headline = '', ...steps] = heldUpLines(last);
      const lines = [...failedLines, headline, ...steps];
      const retryAt = story.wait?.until ?? last.retry_at;
      const time = isTimeNeeded(last) && retryAt !== undefined ? {retryAt} : {};
      return {reason, ...naming, headline, lines, ...time, standing: neededFor([last])};
    }
    case 'waiting_user': {
      const headline = `${displayLine(last?.taskId ?? '')} waits for your answer`;
      const lines = [...failedLines, headline, ...(last ? questionLines(last) : [])];
      return {reason, ...naming, headline, lines, standing: 'personNeeded'};
    }
    case 'decision_required': {
      const headline = `${displayLine(last?.taskId ?? '')} waits for your decision`;
      const lines = [...failedLines, ...(last ? decisionLines(last.taskId, last) : [])];
      return {reason, ...naming, headline, lines, standing: 'personNeeded'};
    }
    case 'parent_review_required': {
      if (story.undecided) {
        const lines = [...failedLines, ...undecidedLines(story.undecided)];
        const headline = sentence(counts(story), undecidedText(story.undecided));
        return {reason, headline, lines, standing: 'personNeeded'};
      }
      const ids = story.pending.map(({childTaskId}) => displayLine(childTaskId)).join(', ');
      const headline = sentence(counts(story), `a parent review sent back ${ids}`);
      return {
        reason,
        headline,
        lines: [...failedLines, ...sentBackLines(story.pending)],
        standing: 'personNeeded',
      };
    }
    case 'failed':
    case 'completed': {
      const undone = result.steps.at(-1);
      if (undone?.type === 'undo' && undone.output.outcome === 'undone') {
        return {reason, ...undoSummary(undone.output, plan), standing: standingOf(story)};
      }
      const headline = sentence(
        endOf(result, story),
        ...[
          alreadyOver(story, plan),
          remarked(story),
          notReviewed(story),
          leftUnreviewed(result, plan),
          remaining(plan),
        ],
      );
      const heldUp = story.attempted.filter(isHeldUp);
      const heldLines = heldUp.flatMap((each) => heldUpLines(each, result.isStopAsked));
      // What this job tried and could not finish is already among those held up.
      const isTold = heldUp.some(({taskId}) => taskId === story.wait?.taskId);
      const waitLines = story.wait && !isTold ? givenUpLines(story.wait) : [];
      const empty = plan.items.size === 0 ? emptyPlanLines : [];
      const lines = [headline, ...empty, ...failedLines, ...heldLines, ...waitLines];
      const rejected = last?.decision_state === 'rejected' ? {rejected: last.taskId} : {};
      const time = story.wait ? {retryAt: story.wait.until} : {};
      return {reason, headline, lines, ...rejected, ...time, standing: standingOf(story)};
    }
  }
}

function handedOverSummary({task_id: id, decision_state = 'pending'}: RunRecord): JobSummary {
  const isLast = decision_state === 'approved_quit' || decision_state === 'rejected';
  const headline = `${displayLine(id)}: ${decisionWords[decision_state]}; the job that waited for it ${isLast ? 'ends' : 'continues'}`;
  return {reason: 'completed', taskId: id, headline, lines: [headline], standing: 'done'};
}

/** A permanent failure comes first, then what needs a person, then what needs time. */
function standingOf({attempted, reviews, wait}: Story): Standing {
  const broken = reviews.filter(({verdict}) => verdict === 'broken');
  const heldUp = [...attempted.filter(isHeldUp), ...broken.filter(isByProvider)];
  if (failedOf({attempted}).length > 0 || !broken.every(isByProvider)) return 'failed';
  return heldUp.length === 0 && !wait ? 'done' : neededFor(heldUp);
}

const neededFor = (heldUp: ReadonlyArray<Pick<RunRecord, 'failure'>>) =>
  heldUp.every(isTimeNeeded) ? 'timeNeeded' : 'personNeeded';

function throwError({reason, steps, error, isPauseAsked}: JobResult, plan: Plan): void {
  if (isPauseAsked && reason === 'paused') return;
  const last = steps.at(-1);
  const titled = ({task_id: id}: RunRecord) => ({id, title: plan.items.get(id)?.title ?? ''});
  if (last?.type === 'task' && 'run' in last.output && isHeldUp(last.output.run)) {
    throw heldUpError(titled(last.output.run), last.output.run);
  }
  if (last?.type === 'task' && last.output.outcome === 'refused') {
    const {run, reason: why} = last.output;
    const task = titled(run);
    const code = run.failure?.kind === 'resume_rejected' ? 'E_RESUME_REJECTED' : 'E_RESUME_REFUSED';
    throw resumeRefusal(code, task, run, why);
  }
  if (reason === 'error') throw error;
}

function pausedSummary(
  result: JobResult,
  {interruptedReview, attempted}: Story,
  last: Attempted | undefined,
): Pick<JobSummary, 'taskId' | 'headline' | 'lines'> {
  if (last?.state === 'paused') {
    return {taskId: last.taskId, headline: 'Paused.', lines: pausedLines(last.taskId, last)};
  }
  if (interruptedReview !== undefined) {
    const headline = `Paused. The review of ${displayLine(interruptedReview)} is still due.`;
    return {headline, lines: [headline, 'Continue with: blackbird execute']};
  }
  const headline = 'Paused before the next task.';
  return {
    headline,
    lines: [...failureLines(failedOf({attempted})), headline, `Continue with: ${continueJobCommand(result)}`],
  };
}

const failedOf = ({attempted}: Pick<Story, 'attempted'>) =>
  attempted.filter(({state, decision_state}) => state === 'failed' && decision_state !== 'pending');

/** How it ended; names the task if there is only one. */
function endOf({steps, isStopAsked}: JobResult, story: Story): string {
  const last = story.attempted.at(-1);
  if (isStopAsked) {
    if (!last) return 'Stopped before the next task, as you asked';
    // It waited for something that only needs time, and gave up.
    const where = isHeldUp(last) && isTimeNeeded(last) ? ['while', ' waited'] : ['after', ''];
    return `Stopped ${where[0]} ${displayLine(last.taskId)}${where[1]}, as you asked`;
  }
  const isSingle = steps.length === 1 && steps[0]?.type === 'task';
  return isSingle && last ? `${displayLine(last.taskId)} ${stateWords[last.state]}` : counts(story);
}

const stateWords = {
  succeeded: 'is done',
  failed: 'failed',
  canceled: 'was not started',
  paused: 'is paused',
  waiting: 'waits for your answer',
  running: 'is running',
} as const satisfies Record<RunRecord['state'], string>;

function counts({attempted, pending}: Story): string {
  // What a review sent back is not done.
  const sentBack = new Set(pending.map(({childTaskId}) => childTaskId));
  const ended = attempted.filter(({taskId}) => !sentBack.has(taskId));
  const count = (state: Attempted['state']) => ended.filter((each) => each.state === state).length;
  const [done, failed] = [count('succeeded'), count('failed')];
  return [...(done > 0 ? [`${done} done`] : []), ...(failed > 0 ? [`${failed} failed`] : [])].join(', ');
}

/** Who asked for tasks that are done is told so. */
function alreadyOver({named, attempted}: Story, plan: Plan): string {
  const tasks = named.flatMap((id) => plan.items.get(id) ?? []);
  if (attempted.length > 0 || tasks.length === 0 || !tasks.every(isOver)) return '';
  const more = tasks.length > maxNamed ? `, and ${tasks.length - maxNamed} more` : '';
  const names = tasks.slice(0, maxNamed).map(({id, status}) => `${displayLine(id)} is ${status}`);
  return `nothing to run: ${names.join(', ')}${more}`;
}

const maxNamed = 3;

function notReviewed({reviews}: Story): string {
  const broken = reviews.filter(({verdict}) => verdict === 'broken');
  const names = broken.map(({parentId}) => displayLine(parentId)).join(', ');
  return broken.length === 0 ? '' : `the review of ${names} had no result`;
}

/** Stopping a job also prevents its reviews. */
function leftUnreviewed({isStopAsked}: JobResult, plan: Plan): string {
  const names = isStopAsked ? dueParents(plan).map(({id}) => displayLine(id)) : [];
  return names.length === 0 ? '' : `the review of ${names.join(', ')} is due`;
}

function remarked({reviews}: Story): string {
  const names = reviews.filter(({hasRemarks}) => hasRemarks).map(({parentId}) => displayLine(parentId));
  return names.length === 0 ? '' : `the review of ${names.join(', ')} passed with remarks`;
}

/** A limit, a stop, or named tasks may leave some. */
function remaining(plan: Plan): string {
  if (plan.items.size === 0) return 'the plan is empty';
  const {length} = readyTasks(plan);
  return length === 0 ? 'no ready tasks remaining' : `${length} ready`;
}

const emptyPlanLines = [
  'Plan with your agent: blackbird plan generate',
  'Add a task yourself:  blackbird add',
];

const sentence = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' · ');
