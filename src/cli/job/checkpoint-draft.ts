import {findDecision} from '../../machines/actors/decision.actor.ts';
import {type CheckpointWords, checkpointSlot, createDrafts} from '../../machines/drafts.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import type {Cli} from '../cli.ts';
import type {UnfinishedLine} from '../terminal/line-reader.ts';
import type {OpenedEngine} from './engine-composition.ts';

/** Where text typed at a checkpoint in a shell is kept: the same draft the TUI's editor opens. */
export async function draftAtCheckpoint(
  {context}: Cli,
  {plans, runs, drafts}: Pick<OpenedEngine, 'runs' | 'drafts'> & {readonly plans: PlanStore},
  named: string | undefined,
  words: CheckpointWords,
): Promise<UnfinishedLine | undefined> {
  if (!context.isInteractive) return undefined;
  const taskId = named ?? (await findDecision({plans, runs}));
  const run = taskId === null ? null : await runs.latest(taskId);
  if (run === null) return undefined;
  const draft = createDrafts({drafts, now: context.now}).open(checkpointSlot(run, words));
  const before = await draft.recalled;
  return {
    farewell: `What you wrote is kept. Continue with: blackbird review ${displayLine(shellWord(run.task_id))}`,
    onType: (text) => draft.change([before, text].filter((part) => part !== '').join('\n')),
    onLeave: draft.close,
  };
}
