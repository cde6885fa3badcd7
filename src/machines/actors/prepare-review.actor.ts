import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {Task} from '../../services/contracts/plan.ts';
import {reviewAnswerSchema} from '../../services/contracts/review-answer.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isReviewDue, reviewedTasks} from '../policies/review/parent-review.ts';
import {type ReviewedWork, reviewPrompt} from '../policies/review/review-prompt.ts';
import {spansOf} from '../policies/run/change-spans.ts';
import {newProgram} from '../policies/run/program.ts';
import {chainTo, changedFiles} from '../policies/run/run-chain.ts';
import {applyRunStep, newRunRecord} from '../policies/run/run-record.ts';
import {tellingRun} from '../policies/run/run-status.ts';
import {completionsBelow} from './completions-below.ts';
import type {PreparedRun} from './run-situation.ts';

export type PrepareReviewInput = {readonly parentId: string; readonly provider: ProviderId};

/** More text of one task than this is never told to a reviewer. */
const diffLimit = 24_000;

/** Everything before the reviewer: what it looks at, the prompt, and the record on disk. Null when nothing is due. */
export function definePrepareReviewActor(services: Services, onPrepared: (prepared: PreparedRun) => void) {
  return fromPromise<PreparedRun | null, PrepareReviewInput>(async ({input: {parentId, provider}}) => {
    const plan = await services.plans.read();
    const parent = plan.items.get(parentId);
    // Somebody changed the plan since it was chosen.
    if (!parent || !isReviewDue(plan, parent)) return null;
    const {signature} = await completionsBelow(services, plan, parent);
    const works: ReviewedWork[] = [];
    for (const task of reviewedTasks(plan, parent)) works.push(await workOn(services, task));
    const prompt = reviewPrompt({parent, works});
    const {choosesSession} = await services.agents.check(provider);
    const sessionRef = choosesSession ? services.newUuid() : null;

    const {runs} = await services.runs.list(parent.id);
    const attempt = Math.max(0, ...runs.map((run) => run.attempt)) + 1;
    const interrupted = runs.findLast((run) => run.run_type === 'review' && run.state === 'paused');
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

async function workOn(services: Services, task: Task): Promise<ReviewedWork> {
  const {runs} = await services.runs.list(task.id);
  const latest = tellingRun(runs);
  if (latest === null) return {task, result: null, files: [], diff: ''};
  const chain = chainTo(latest, runs);
  const diff = (await diffOf(services, chain)).slice(0, diffLimit);
  return {task, result: latest.result ?? '', files: changedFiles(chain), diff};
}

/** A reviewer can read the files; what git cannot tell is left out. */
async function diffOf({changes}: Services, chain: readonly RunRecord[]): Promise<string> {
  try {
    const {from, to} = await changes.compose(spansOf(chain));
    return await changes.diff(from, to, {stat: false}).catch(() => changes.diff(from, to, {stat: true}));
  } catch {
    return '';
  }
}
