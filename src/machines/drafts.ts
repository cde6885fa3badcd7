import {createActor, type SnapshotFrom, waitFor} from 'xstate';
import type {LineComment} from '../services/contracts/comment.ts';
import type {DraftKind, DraftSlot} from '../services/contracts/draft.ts';
import {messageOf} from '../services/contracts/errors.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {type DraftServices, storedDraft} from './actors/draft.actor.ts';
import type {DraftCommand, draftMachine} from './draft.machine.ts';
import {draftTaskId} from './policies/planning/draft-task.ts';

/** The text of one editor, kept on disk until it is sent or dropped. */
export type OpenDraft = {
  /** The earlier text; empty if there is none, or if it cannot be read. */
  readonly recalled: Promise<string>;
  /** The `prompt` of the slot, or the one that the recalled text was started with. */
  prompt(): string;
  /** Why it cannot be saved; null if it can. */
  problem(): string | null;
  /** Saved within a second. An editor opens with the recalled text, so nothing changes before that. */
  change(text: string): void;
  /** The editor closes: resolves to null once saved, or to the reason why it cannot be. */
  close(): Promise<string | null>;
  /** It was sent, or is no longer wanted. */
  drop(): Promise<void>;
};

/** The drafts of one process. */
export type Drafts = {
  open(slot: DraftSlot): OpenDraft;
  /** Saves all open editors before the process ends. */
  flush(): Promise<void>;
};

/** The kinds of text written at a checkpoint. */
export type CheckpointWords = Extract<DraftKind, 'feedback' | 'rejection' | 'comments'>;

/** The line of a comment; other text is about the run. */
type CommentedLine = Pick<LineComment, 'file' | 'side' | 'line'>;

export type OpenCheckpointDraft = (words: CheckpointWords, line?: CommentedLine) => OpenDraft;

export const checkpointSlot = (
  {task_id, run_id, feedback}: Pick<RunRecord, 'task_id' | 'run_id' | 'feedback'>,
  kind: CheckpointWords,
  line?: CommentedLine,
): DraftSlot => {
  const id = line ? `${line.side}:${line.line}:${line.file}` : kind;
  const said = kind === 'feedback' ? {said: feedback} : {};
  return {kind, taskId: task_id, runId: run_id, id, prompt: '', ...said};
};

/** The user's request to revise a proposal. */
export const revisionSlot = (draftId: string): DraftSlot => ({
  kind: 'plan',
  taskId: draftTaskId(draftId),
  runId: draftId,
  id: 'revision',
  prompt: '',
});

export function createDrafts(services: DraftServices): Drafts {
  const machine = storedDraft(services);
  const opened = new Set<() => Promise<unknown>>();
  return {
    open: (slot) => {
      const actor = createActor(machine, {input: slot});
      const settled = () => waitFor(actor, (snapshot) => restTags.some((tag) => snapshot.hasTag(tag)));
      actor.start();
      // A late message from an editor whose draft is already gone is ignored.
      const send = (command: DraftCommand) => {
        if (actor.getSnapshot().can(command)) actor.send(command);
      };
      const flush = async () => {
        send({type: 'draft.flush'});
        return problemIn(await settled());
      };
      opened.add(flush);
      return {
        recalled: settled().then(({context}) => context.text),
        prompt: () => actor.getSnapshot().context.slot.prompt,
        problem: () => problemIn(actor.getSnapshot()),
        change: (text) => send({type: 'draft.change', text}),
        close: async () => {
          const problem = await flush();
          opened.delete(flush);
          return problem;
        },
        drop: async () => {
          send({type: 'draft.drop'});
          await settled();
          opened.delete(flush);
        },
      };
    },
    flush: async () => {
      await Promise.all([...opened].map((flush) => flush()));
    },
  };
}

const problemIn = (snapshot: SnapshotFrom<typeof draftMachine>): string | null =>
  snapshot.hasTag('unsaved') ? messageOf(snapshot.context.error) : null;

/** Nothing is being read or written. */
const restTags = ['kept', 'unsaved', 'gone'] as const;
