import path from 'node:path';
import {parseAgencyConfig} from '../../src/machines/policies/session/session-runner.ts';
import type {SessionMeta} from '../../src/services/contracts/session.ts';
import {createChainLock} from '../../src/services/lock/chain-lock.ts';
import {createProcessLock} from '../../src/services/lock/process-lock.ts';
import {readAgencyJson} from '../../src/services/sessions/agency-config.ts';
import {agencyFiles} from '../../src/services/sessions/data-folder.ts';
import {createRepoRecords} from '../../src/services/sessions/repo-record.ts';
import {createSessionEvents} from '../../src/services/sessions/session-events.ts';
import {createSessionStore} from '../../src/services/sessions/session-store.ts';
import {identifyProcess} from '../../src/services/system/process-identity.ts';
import type {Kept} from './kept-files.ts';

const at = '2026-01-01T00:00:00.000Z';
const [repoId, runId] = ['0123456789abcdef', '20260101000000-abcd'];
const meta: SessionMeta = {
  schema_version: '1.0',
  run_id: runId,
  repo_id: repoId,
  name: 'refunds',
  runner: 'claude',
  branch: 'agency/refunds-abcd',
  parent_branch: 'main',
  worktree_path: '/nowhere',
  repo_root: '/nowhere',
  created_at: at,
  flags: {needs_attention: false},
};
const isId = (name: string) => name === repoId || name === runId;
const repoFolder = `repos/${repoId}`;

/** A dead process with the pid of this one. */
const holder = {...identifyProcess(process.pid), startTime: '1', since: at, nonce: '0123456789abcdef'};

/** Files that sessions and locks read back. */
export const keptSessionFiles: readonly Kept[] = [
  {
    name: 'the record of a session',
    file: `${repoFolder}/runs/${runId}/meta.json`,
    sample: JSON.stringify(meta),
    open: (folder) => {
      const store = createSessionStore(agencyFiles(folder), {isId});
      return {
        read: () => store.list(),
        change: () => store.update(meta, {archive: {archived_at: at}}),
      };
    },
  },
  {
    name: 'the events of a session',
    file: `${repoFolder}/runs/${runId}/events.jsonl`,
    sample: `${JSON.stringify({schema_version: '1.0', timestamp: at, event: 'resume_attach', data: {}})}\n`,
    open: (folder) => {
      const events = createSessionEvents(agencyFiles(folder), () => at);
      return {
        read: () => events.last(meta),
        change: () => events.append(meta, {event: 'stop', data: {}}),
      };
    },
  },
  {
    name: 'where a repository was seen',
    file: `${repoFolder}/repo.json`,
    sample: JSON.stringify({
      schema_version: '1.0',
      repo_id: repoId,
      repo_root_last_seen: '/a',
      created_at: at,
    }),
    isReplaceable: true,
    open: (folder) => {
      const records = createRepoRecords(agencyFiles(folder), () => at);
      const seen = {repoId, repoKey: 'path:/a', root: '/a', originUrl: null};
      return {
        read: async () => records.rootOf(repoId),
        change: () => records.remember(seen as Parameters<typeof records.remember>[0]),
      };
    },
  },
  {
    name: 'agency.json',
    file: 'agency.json',
    sample: JSON.stringify({version: 1, runners: {mine: 'bash --norc'}, defaults: {runner: 'mine'}}),
    open: (folder) => {
      const read = async () => readAgencyJson(folder, parseAgencyConfig);
      return {read, change: read};
    },
  },
  ...[
    {name: 'the file of a lock', create: createProcessLock},
    {name: 'the file of a lock where there is no flock', create: createChainLock},
  ].map(
    ({name, create}): Kept => ({
      name,
      file: 'work.lock',
      sample: JSON.stringify(holder),
      isReplaceable: true,
      open: (folder) => {
        const lock = create(path.join(folder, 'work.lock'));
        return {
          read: () => lock.holder(),
          change: async () => {
            const attempt = await lock.acquire({waitSeconds: 0});
            if (attempt.acquired) await attempt.lock.release();
          },
        };
      },
    }),
  ),
];
