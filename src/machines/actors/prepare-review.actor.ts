import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {TreeSpan} from '../../services/contracts/changes.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {ModelChoice} from '../../services/contracts/model-choice.ts';
import type {Task} from '../../services/contracts/plan.ts';
import {reviewAnswerSchema} from '../../services/contracts/review-answer.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {askedOf, isAfterReview, isDismissed, lastJudged} from '../policies/review/earlier-review.ts';
import {cyclesOf, isReviewDue, reviewedTasks} from '../policies/review/parent-review.ts';
import {type ReviewedWork, reviewPrompt} from '../policies/review/review-prompt.ts';
import {newProgram} from '../policies/run/agent-program.ts';
import type {Budgets} from '../policies/run/budget.ts';
import {spansOf} from '../policies/run/change-spans.ts';
import {checkWords, lastChecks} from '../policies/run/check-words.ts';
import {applyRunStep, newRunRecord} from '../policies/run/run-record.ts';
import {chainTo, changedFiles, latestDeliveredRun} from '../policies/run/task-runs.ts';
import {completionsBelow} from './readable-runs.ts';
import type {PreparedRun} from './run-situation.ts';
import {requireBudget, type SpendingTracker} from './spending.ts';

export type PrepareReviewInput = {
  readonly parentId: string;
  readonly provider: ProviderId;
  readonly modelChoice?: ModelChoice;
  readonly budgets?: Budgets;
};

/** The maximum text per task in a reviewer's prompt. */
const diffLimit = 24_000;

/**
 * Everything before the reviewer starts: what to review, the prompt, and the record on disk. Null if nothing is due.
 */
export function definePrepareReviewActor(
  services: Services,
  spending: SpendingTracker,
  onPrepared: (prepared: PreparedRun) => void,
) {
  return fromPromise<PreparedRun | null, PrepareReviewInput>(async ({input}) => {
    const {parentId, provider, modelChoice, budgets} = input;
    const plan = await services.plans.read();
    const parent = plan.items.get(parentId);
    // The plan changed since the parent was selected.
    if (!parent || !isReviewDue(plan, parent)) return null;
    requireBudget(spending, budgets, parentId, null);
    const {signature} = await completionsBelow(services, plan, parent);
    const {runs} = await services.runs.list(parent.id);
    const earlier = lastJudged(runs);
    const works: ReviewedWork[] = [];
    for (const task of reviewedTasks(plan, parent)) works.push(await workOn(services, task, earlier));
    const prompt = reviewPrompt({parent, works, cycles: cyclesOf(runs)});
    const {choosesSession} = await services.agents.check(provider, 'read-only');
    const sessionRef = choosesSession ? services.newUuid() : null;

    const attempt = Math.max(0, ...runs.map((run) => run.attempt)) + 1;
    const interrupted = runs.findLast((run) => run.run_type === 'review' && run.state === 'paused');
    const heldUp = runs.findLast((run) => run.run_type === 'review')?.held_up;
    const run = newRunRecord(
      {
        runId: services.newRunId(parent.id, attempt),
        taskId: parent.id,
        attempt,
        program: newProgram(provider, services.agents.customCommand),
        sessionRef: sessionRef ?? '',
        repoRoot: services.project.root,
        context: {digest: services.digest(prompt), bytes: new TextEncoder().encode(prompt).length},
        reviewSignature: signature,
        ...(modelChoice && {modelChoice}),
        ...(heldUp ? {heldUp} : {}),
        ...(interrupted ? {links: {restart_of_run_id: interrupted.run_id}} : {}),
        ...(services.self === null ? {} : {owner: services.self}),
      },
      services.now(),
    );
    await services.runs.insert(run);
    if (interrupted && !interrupted.superseded_by_run_id) await supersede(services, interrupted, run);
    const isGitRepository = await services.project.isGitRepository();
    const request = {
      ...({kind: 'start', prompt, sessionRef, isGitRepository} as const),
      ...({access: 'read-only', answerSchema: reviewAnswerSchema} as const),
    };
    const prepared: PreparedRun = {task: parent, run, order: {type: 'run.launch', request}};
    onPrepared(prepared);
    return prepared;
  });
}

async function supersede({runs, now}: Services, old: RunRecord, {run_id}: RunRecord): Promise<void> {
  await runs.update(old.task_id, old.run_id, (run) =>
    applyRunStep(run, {type: 'superseded', byRunId: run_id}, now()),
  );
}

async function workOn(services: Services, task: Task, review: RunRecord | null): Promise<ReviewedWork> {
  const {runs} = await services.runs.list(task.id);
  const latest = latestDeliveredRun(runs);
  const chain = latest === null ? [] : chainTo(latest, runs);
  const spans = spansOf(chain);
  return {
    task,
    result: latest === null ? null : (latest.result ?? ''),
    files: changedFiles(chain),
    ...(latest && {checks: lastChecks(latest).map(checkWords)}),
    diff: await diffOf(services, spans),
    ...(review && {
      earlier: {
        asked: askedOf(review, task.id),
        isDismissed: isDismissed(review, task.id),
        files: changedFiles(chain.filter(({created_at}) => isAfterReview(review, created_at))),
        diff: await diffOf(
          services,
          spans.filter(({at}) => isAfterReview(review, at)),
        ),
      },
    }),
  };
}

/** If there is no diff, its reason: the reviewer can read the files. */
async function diffOf({changes}: Services, spans: readonly TreeSpan[]): Promise<string> {
  if (spans.length === 0) return '';
  try {
    const {from, to} = await changes.compose(spans);
    const diff = await changes
      .diff(from, to, {stat: false})
      .catch(() => changes.diff(from, to, {stat: true}));
    return diff.slice(0, diffLimit);
  } catch (error) {
    return `the change cannot be shown: ${messageOf(error)}`;
  }
}
