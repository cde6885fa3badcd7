import {readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import {systemErrorCode} from '../contracts/errors.ts';
import type {Inspector} from '../contracts/inspector.ts';
import {type Liveness, type ProcessIdentity, processIdentitySchema} from '../contracts/process.ts';
import {ensurePrivateFolder, writeDurably} from '../stores/durable-write.ts';
import {renderJson} from '../stores/json-text.ts';
import {readFailure} from '../stores/store-errors.ts';
import {parseJson, readWholeFile} from '../stores/whole-file.ts';

/** A process of this project that serves its own page. */
export type LiveInspector = {
  readonly pid: number;
  readonly what: string;
  readonly started_at: string;
  readonly url: string;
};

type LivenessOf = (identity: ProcessIdentity) => Liveness;

// The address is built from validated parts: a planted file cannot point anywhere else.
const schema = z.object({
  schemaVersion: z.literal(1),
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{22}$/),
  what: z.string().max(200),
  started_at: z.string().max(40),
  owner: processIdentitySchema,
});

export type Announcement = {
  readonly owner: ProcessIdentity;
  readonly what: string;
  readonly startedAt: string;
  readonly livenessOf: LivenessOf;
};

/**
 * Lets `blackbird inspect` find this process. The file is removed on exit; leftovers of crashes are removed
 * here.
 */
export async function announceInspector(
  folder: string,
  {port, token}: Pick<Inspector, 'port' | 'token'>,
  {owner, what, startedAt, livenessOf}: Announcement,
): Promise<() => void> {
  await ensurePrivateFolder(folder);
  for (const stale of filesIn(folder)) {
    const found = read(stale);
    if (found !== null && livenessOf(found.owner) === 'dead') rmSync(stale, {force: true});
  }
  const file = path.join(folder, `${owner.pid}.json`);
  const value = {schemaVersion: 1, port, token, what, started_at: startedAt, owner};
  await writeDurably(file, `${renderJson(value)}\n`);
  const remove = () => {
    process.off('exit', remove);
    rmSync(file, {force: true});
  };
  process.once('exit', remove);
  return remove;
}

/** Every live process that can be inspected, oldest first. Broken and stale files are skipped. */
export function liveInspectors(folder: string, livenessOf: LivenessOf): LiveInspector[] {
  return filesIn(folder)
    .flatMap((file) => {
      const found = read(file);
      if (found === null || livenessOf(found.owner) !== 'alive') return [];
      const {port, token, what, started_at, owner} = found;
      return [{pid: owner.pid, what, started_at, url: `http://127.0.0.1:${port}/${token}/`}];
    })
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
}

function read(file: string): z.infer<typeof schema> | null {
  try {
    const text = readWholeFile(file, 'inspector', 16 * 1024);
    return text === null ? null : schema.parse(parseJson(text));
  } catch {
    return null;
  }
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
    return names.map((name) => path.join(folder, name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw readFailure(folder, 'folder', error);
  }
}
