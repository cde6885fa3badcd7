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

// An address is made of checked parts: a file that somebody put here cannot name another one.
const schema = z.object({
  schemaVersion: z.literal(1),
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{22}$/),
  what: z.string().max(200),
  started_at: z.string().max(40),
  owner: processIdentitySchema,
});

/** Lets `blackbird inspect` find this process. The file goes with it; what a crash leaves is ignored. */
export async function announceInspector(
  folder: string,
  {port, token}: Pick<Inspector, 'port' | 'token'>,
  {owner, what, startedAt}: {owner: ProcessIdentity; what: string; startedAt: string},
): Promise<() => void> {
  await ensurePrivateFolder(folder);
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

/** Every process that is alive and can be looked at, oldest first. Broken and stale files are passed over. */
export function liveInspectors(
  folder: string,
  livenessOf: (identity: ProcessIdentity) => Liveness,
): LiveInspector[] {
  return namesIn(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => {
      const found = read(path.join(folder, name));
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw readFailure(folder, 'folder', error);
  }
}
