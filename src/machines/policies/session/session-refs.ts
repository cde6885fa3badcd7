import {AppError} from '../../../services/contracts/errors.ts';
import type {SessionEntry, SessionMeta} from '../../../services/contracts/session.ts';

/** Finds a run by its id, a prefix of it, or its name. If several repositories match, the current one wins. */
export async function findSession(
  entries: readonly SessionEntry[],
  typed: string,
  currentRepo: () => Promise<string | null>,
): Promise<SessionEntry> {
  const ref = typed.trim();
  const prefer = async (found: readonly SessionEntry[]) => {
    if (found.length < 2) return found;
    const repoId = await currentRepo();
    const here = found.filter((entry) => entry.repoId === repoId);
    return here.length > 0 ? here : found;
  };
  const exact = await prefer(entries.filter(({runId}) => runId === ref));
  const byId = exact.length > 0 || ref === '' ? exact : entries.filter(({runId}) => runId.startsWith(ref));
  if (byId.length > 0) return theOnly(byId, 'E_RUN_ID_AMBIGUOUS', `run_id "${ref}"`);

  const named = entries.filter(({meta}) => ref !== '' && meta?.name === ref);
  const active = named.filter(({meta}) => meta !== null && !archivedAt(meta));
  const [only, ...others] = await prefer(active.length > 0 ? active : named);
  if (!only) throw new AppError('E_RUN_NOT_FOUND', `run not found: ${ref}`);
  return theOnly([only, ...others], 'E_RUN_REF_AMBIGUOUS', `name "${ref}"`);
}

/** Newest first; unusable ones last. */
export function inListOrder(entries: readonly SessionEntry[]): SessionEntry[] {
  return [...entries].sort(
    (a, b) =>
      Number(a.meta === null) - Number(b.meta === null) ||
      compare(b.meta?.created_at ?? '', a.meta?.created_at ?? '') ||
      compare(b.runId, a.runId),
  );
}

/** When it was archived; empty if it is not. Nothing else makes a run archived. */
export const archivedAt = ({archive}: SessionMeta): string => archive?.archived_at ?? '';

export function requireMeta({runId, file, meta, problem}: SessionEntry): SessionMeta {
  if (meta) return meta;
  throw new AppError('E_RUN_BROKEN', 'run exists but meta.json is unreadable or invalid', {
    details: [
      ['run', runId],
      ['file', file],
      ['reason', problem],
    ],
  });
}

function theOnly(
  found: readonly SessionEntry[],
  code: 'E_RUN_ID_AMBIGUOUS' | 'E_RUN_REF_AMBIGUOUS',
  what: string,
): SessionEntry {
  const [only, another] = found;
  if (only && !another) return only;
  const candidates = [...found]
    .sort((a, b) => compare(a.runId, b.runId) || compare(a.repoId, b.repoId))
    .map(({runId, repoId, meta}) => `  ${runId} (${meta ? meta.name || '-' : 'broken'}) in repo ${repoId}`);
  throw new AppError(code, [`ambiguous ${what} matches multiple runs:`, ...candidates].join('\n'), {
    details: [['hint', 'use the full run_id']],
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
