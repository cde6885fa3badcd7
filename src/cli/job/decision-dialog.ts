import type {Command} from 'commander';
import {chainOf, reviewDiff} from '../../machines/actors/task-change.ts';
import {checkpointSlot, createDrafts} from '../../machines/drafts.ts';
import type {Engine} from '../../machines/engine.ts';
import type {DecisionRequest} from '../../machines/review-gate.machine.ts';
import type {Cli} from '../cli.ts';
import {reportError} from '../terminal/report-error.ts';
import type {OpenedEngine} from './engine-composition.ts';

/** Handles the checkpoints of one job. */
export type DecisionDialog = {
  readonly answer: (request: DecisionRequest) => void;
  /** Withdraws the current question: it was answered elsewhere. */
  readonly take: () => void;
  /** Withdraws an open question and waits until the terminal is restored. */
  readonly close: () => Promise<void>;
};

export function decisionDialog(
  cli: Cli,
  command: Command,
  {
    engine,
    changes,
    runs,
    comments,
    drafts,
  }: Pick<OpenedEngine, 'engine' | 'changes' | 'runs' | 'comments' | 'drafts'>,
): DecisionDialog {
  const {context} = cli;
  let closing = new AbortController();
  let asking: Promise<void> = Promise.resolve();
  const openDrafts = createDrafts({drafts, now: context.now});

  const ask = async (request: DecisionRequest) => {
    const {task, run, obstacle, refusal} = request;
    if (refusal !== undefined) reportError(refusal, context, {json: false});
    const {folder, plans} = await cli.project(command);
    const {root} = folder;
    const {userPrograms} = await import('../terminal/user-programs.ts');
    // A plan the agent broke is reported among the side effects.
    const planned = await plans.read().then(
      ({items}) => items.get(task.id),
      () => undefined,
    );
    const decision = await context.askDecision?.({
      task: {...task, acceptanceCriteria: planned?.acceptanceCriteria ?? []},
      run,
      obstacle,
      openDraft: (words, place) => openDrafts.open(checkpointSlot(run, words, place)),
      comments,
      signal: closing.signal,
      listFiles: async () => {
        const {listFiles} = await import('../../services/git/list-files.ts');
        return listFiles({root, env: context.env});
      },
      loadDiff: async () => reviewDiff(changes, [await chainOf(runs, run)]),
      programs: userPrograms({root, env: context.env, hasColor: context.stdout.hasColor}),
    });
    await openDrafts.flush();
    tell(engine, request, decision ?? null);
  };

  return {
    take: () => closing.abort(),
    answer: (request) => {
      closing = new AbortController();
      asking = ask(request).catch((error: unknown) => {
        reportError(error, context, {json: false});
        tell(engine, request, null);
      });
    },
    close: async () => {
      closing.abort();
      await asking;
    },
  };
}

/** A pause may have withdrawn the question before it was answered; it is asked again later. */
function tell(
  engine: Engine,
  {run}: DecisionRequest,
  decision: Parameters<Engine['decide']>[0]['decision'] | null,
): void {
  if (!engine.openDecisions().some((open) => open.run.run_id === run.run_id)) return;
  if (decision === null) engine.postpone(run.run_id);
  else engine.decide({runId: run.run_id, decision});
}
