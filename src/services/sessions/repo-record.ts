import path from 'node:path';
import {AppError} from '../contracts/errors.ts';
import type {Repository} from '../contracts/session.ts';
import {writeDurably} from '../stores/durable-write.ts';
import {writeSteps} from '../stores/store-errors.ts';
import type {AgencyFiles} from './data-folder.ts';
import {readJson} from './session-store.ts';

type RepoRecord = Readonly<Record<string, unknown>>;

/** `repo.json`: where a repository was last seen. */
export function createRepoRecords(files: AgencyFiles, now: () => string) {
  const read = (repoId: string): RepoRecord => {
    try {
      return readJson(files.repoFile(repoId)) as RepoRecord;
    } catch {
      // Missing or unusable: it only helps to find the repository, and the next `run` writes it again.
      return {};
    }
  };
  return {
    rootOf: (repoId: string): string => {
      const root = read(repoId).repo_root_last_seen;
      return typeof root === 'string' ? root : '';
    },
    remember: async ({repoId, repoKey, root, originUrl}: Repository): Promise<void> => {
      const before = read(repoId);
      const record = {
        ...before,
        schema_version: '1.0',
        repo_key: repoKey,
        repo_id: repoId,
        repo_root_last_seen: root,
        agency_json_path: path.join(root, 'agency.json'),
        origin_present: originUrl !== null,
        origin_url: originUrl ?? '',
        created_at: before.created_at ?? now(),
        updated_at: now(),
      };
      try {
        await writeDurably(files.repoFile(repoId), `${JSON.stringify(record, null, 2)}\n`);
      } catch (error) {
        throw new AppError('E_PERSIST_FAILED', `failed to write ${files.repoFile(repoId)}`, {
          cause: error,
          next: writeSteps(files.repoFile(repoId), error),
        });
      }
    },
  };
}

export type RepoRecords = ReturnType<typeof createRepoRecords>;
