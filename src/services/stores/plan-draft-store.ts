import path from 'node:path';
import {Low} from 'lowdb';
import {AppError, messageOf} from '../contracts/errors.ts';
import {
  type BrokenPlanDraft,
  type PlanDraft,
  type PlanDraftStore,
  planDraftSchema,
} from '../contracts/plan-draft.ts';
import {DurableFile} from './durable-file.ts';
import {ensurePrivateFolder, removeDurably} from './durable-write.ts';
import {isRecordName, namesIn} from './folder-names.ts';
import {renderDocument} from './json-text.ts';
import {firstIssue} from './store-errors.ts';
import {noted} from './text-trail.ts';
import {versionOf} from './whole-file.ts';
import {createWriteTrail, type WriteTrail} from './write-trail.ts';

const maxBytes = 8 * 1024 * 1024;

/** What may become part of a file name. */
const draftIdForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/** One file per draft, `<folder>/<draftId>.json`. The state folder must exist. */
export function createPlanDraftStore({
  folder,
  trail = createWriteTrail(null),
}: {
  folder: string;
  trail?: WriteTrail;
}): PlanDraftStore {
  const fileOf = (draftId: string) => {
    if (draftIdForm.test(draftId)) return path.join(folder, `${draftId}.json`);
    throw new AppError('E_DRAFT_NOT_FOUND', `${JSON.stringify(draftId)} is not the id of a plan draft`, {
      next: [{command: 'blackbird plan drafts', why: 'list the drafts'}],
    });
  };
  const read = async (draftId: string): Promise<PlanDraft | null> => {
    const database = databaseOf(fileOf(draftId));
    await database.read();
    return database.data;
  };

  return {
    read,
    list: async () => {
      const drafts: PlanDraft[] = [];
      const broken: BrokenPlanDraft[] = [];
      for (const name of namesIn(folder, 'ENOENT').filter(isRecordName).sort()) {
        try {
          const draft = await read(name.slice(0, -'.json'.length));
          if (draft) drafts.push(draft);
        } catch (error) {
          broken.push({file: path.join(folder, name), reason: messageOf(error)});
        }
      }
      return {drafts, broken};
    },
    save: async (draft) => {
      await ensurePrivateFolder(folder);
      const file = fileOf(draft.draftId);
      const database = databaseOf(file);
      // An unreadable file is not replaced.
      await database.read();
      database.data = draft;
      await noted(trail, file, () => database.write());
    },
    remove: async (draftId) => {
      const file = fileOf(draftId);
      if (versionOf(file) === null) return;
      await ensurePrivateFolder(folder);
      await noted(trail, file, () => removeDurably(file));
    },
  };
}

function databaseOf(file: string): Low<PlanDraft | null> {
  return new Low<PlanDraft | null>(
    new DurableFile<PlanDraft | null>({
      file,
      what: 'draft of a plan',
      maxBytes,
      parse: (json) => {
        const {data, error} = planDraftSchema.safeParse(json);
        if (data && `${data.draftId}.json` === path.basename(file)) return data;
        if (data) throw new Error(`it is another draft, ${JSON.stringify(data.draftId)}`);
        throw new Error(firstIssue(error, 'the draft'));
      },
      render: (draft, previous) => renderDocument(draft, previous),
    }),
    null,
  );
}
