import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {ModelChoice} from '../../services/contracts/model-choice.ts';
import {planAnswerSchema} from '../../services/contracts/plan-answer.ts';
import type {PlanDraft} from '../../services/contracts/plan-draft.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {baseOf} from '../policies/planning/check-proposal.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';
import {type DraftHead, headOf} from '../policies/planning/plan-draft.ts';
import {planPrompt, turnPrompt} from '../policies/planning/plan-prompt.ts';
import {beginnerMissing} from '../policies/run/agent-choice.ts';
import {newProgram, programOf} from '../policies/run/agent-program.ts';
import {isHeldForTime} from '../policies/run/retry-time.ts';
import {circumstancesAt} from '../policies/run/run-circumstances.ts';
import {runObstacle} from '../policies/run/run-options.ts';
import {newRunRecord} from '../policies/run/run-record.ts';
import {changeDraft, requireDraft} from './plan-draft.actor.ts';
import type {PreparedRun} from './run-situation.ts';

export type PrepareTurnInput = {
  readonly draftId: string;
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly modelChoice: ModelChoice;
};

/** A turn that starts, for the views. */
export type PlanTurn = {readonly prepared: PreparedRun; readonly draft: DraftHead; readonly why: TurnReason};
type TurnReason = NonNullable<PlanDraft['saying']>['type'];

/** Everything before the planner starts: the prompt, for its own session if it has one, and the record on disk. */
export function definePrepareTurnActor(services: Services, onPrepared: (turn: PlanTurn) => void) {
  return fromPromise<PreparedRun, PrepareTurnInput>(async ({input}) => {
    const taskId = draftTaskId(input.draftId);
    const {runs} = await services.runs.list(taskId);
    const open = await requireDraft(services, input.draftId);
    const before = sessionIn(services, runs, input);
    const draft = before === null ? await refreshBase(services, open) : open;
    const prompt =
      before === null
        ? planPrompt(draft, {plan: await services.plans.read(), snapshot: await services.project.snapshot()})
        : turnPrompt(draft);
    const provider = before?.provider ?? input.provider;
    const {choosesSession} = await services.agents.check(provider, 'read-only').catch((error: unknown) => {
      throw before === null ? beginnerMissing(provider, error) : error;
    });
    const sessionRef = before?.provider_session_ref ?? (choosesSession ? services.newUuid() : null);
    const attempt = Math.max(0, ...runs.map((run) => run.attempt)) + 1;
    const record = newRunRecord(
      {
        runId: services.newRunId(taskId, attempt),
        runType: 'plan',
        taskId,
        attempt,
        program: before ? programOf(before) : newProgram(provider, services.agents.customCommand),
        sessionRef: sessionRef ?? '',
        repoRoot: services.project.root,
        context: {digest: services.digest(prompt), bytes: new TextEncoder().encode(prompt).length},
        modelChoice: input.modelChoice,
        ...(before && {links: {resumed_from_run_id: before.run_id}}),
        ...(services.self === null ? {} : {owner: services.self}),
      },
      services.now(),
    );
    const run = {
      ...record,
      ...heldBefore(runs.at(-1)),
      ...(before && {resumable: true, feedback: draft.saying?.type ?? ''}),
    };
    await services.runs.insert(run);
    const request = {
      kind: before ? 'resume' : 'start',
      prompt,
      sessionRef,
      isGitRepository: await services.project.isGitRepository(),
      access: 'read-only',
      answerSchema: planAnswerSchema(draft.kind),
    } as const;
    const prepared = {
      task: {id: taskId, title: titleOf(draft)},
      run,
      order: {type: 'run.launch', request},
    } as const;
    onPrepared({prepared, draft: headOf(draft), why: draft.saying?.type ?? 'start'});
    return prepared;
  });
}

const titleOf = ({text}: PlanDraft) => text.trim().split('\n', 1)[0]?.slice(0, 120) ?? '';

/** A continued wait is counted from its start, although every turn is a new run. */
const heldBefore = (last: RunRecord | undefined) =>
  last?.held_up && isHeldForTime(last) ? {held_up: last.held_up} : {};

/** The planner sees the current plan: later changes are conflicts. */
const refreshBase = (services: Services, {draftId}: PlanDraft) =>
  changeDraft(services, draftId, async (draft) => ({
    ...draft,
    base: baseOf(await services.plans.read(), services.digest),
  }));

/** The last turn, if its session can be continued here according to the run chart; null otherwise. */
function sessionIn(
  {project, agents, isSessionRef}: Services,
  runs: readonly RunRecord[],
  {explicitProvider}: PrepareTurnInput,
): RunRecord | null {
  const last = runs.findLast(({segments}) => segments.length > 0);
  if (last === undefined) return null;
  const place = {repoRoot: project.root, explicitProvider, customCommand: agents.customCommand};
  const circumstances = circumstancesAt(place, last, {
    isSessionRef: isSessionRef(last.provider, last.provider_session_ref),
    owner: 'gone',
    isPastCheckpoint: false,
  });
  return runObstacle(last, circumstances, 'sendBack') === null ? last : null;
}
