import {fromPromise} from 'xstate';
import type {Draft, DraftKey, DraftSlot, DraftStore, DraftText} from '../../services/contracts/draft.ts';
import {draftMachine} from '../draft.machine.ts';
import {unsentPart} from '../policies/run/feedback-text.ts';

export type DraftServices = {readonly drafts: DraftStore; readonly now: () => string};

/** One text of a draft, stored together with the other texts of the same draft. */
export function storedDraft({drafts, now}: DraftServices) {
  const write = async ({id, prompt, said: _, ...key}: DraftSlot, text: string) => {
    const before = await drafts.read(key);
    const others = (before?.texts ?? []).filter((each) => each.id !== id);
    // Nothing typed, or the field is unchanged: there is nothing to keep.
    const texts = text === '' || text === prompt ? others : [...others, {id, prompt, text}];
    if (texts.length > 0) await drafts.save({...before, ...draftOf(key), texts, updatedAt: now()});
    else if (before !== null) await drafts.remove(key.kind, key.taskId);
  };
  const recall = async (slot: DraftSlot): Promise<DraftText | null> => {
    const found = (await drafts.read(slot))?.texts.find((each) => each.id === slot.id) ?? null;
    if (found === null || slot.said === undefined) return found;
    const text = unsentPart(found.text, slot.said);
    if (text !== found.text) await write({...slot, prompt: found.prompt}, text);
    return text === '' ? null : {...found, text};
  };
  const inTurn = createQueue();
  return draftMachine.provide({
    actors: {
      recallDraft: fromPromise<DraftText | null, DraftSlot>(({input}) => inTurn(() => recall(input))),
      saveDraft: fromPromise<void, {readonly slot: DraftSlot; readonly text: string}>(
        ({input: {slot, text}}) => inTurn(() => write(slot, text)),
      ),
      removeDraft: fromPromise<void, DraftSlot>(({input}) => inTurn(() => write(input, ''))),
    },
  });
}

/** The texts of a draft share a file, and a reopened editor must read what the previous one is still writing. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(job: () => Promise<T>): Promise<T> => {
    const next = last.then(job);
    last = next.catch(() => {});
    return next;
  };
}

const draftOf = ({kind, taskId, runId}: DraftKey) =>
  ({schemaVersion: 1, kind, taskId, runId}) satisfies Partial<Draft>;
