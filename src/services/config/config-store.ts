import path from 'node:path';
import {Low} from 'lowdb';
import {
  type ConfigLayer,
  type ConfigLayerName,
  type ConfigStore,
  configSchemaVersion,
} from '../contracts/config.ts';
import {AppError} from '../contracts/errors.ts';
import {DurableFile} from '../stores/durable-file.ts';
import {ensurePrivateFolder} from '../stores/durable-write.ts';
import {renderDocument} from '../stores/json-text.ts';
import {reasonOf} from '../stores/store-errors.ts';
import {versionOf} from '../stores/whole-file.ts';
import {createWriteTrail, type WriteTrail} from '../stores/write-trail.ts';

type Content = Readonly<Record<string, unknown>>;

const maxConfigBytes = 1024 * 1024;

/** The configuration files of a project and its user, highest precedence first. */
export function createConfigStore(
  files: Record<ConfigLayerName, string>,
  /** For the project's settings; the user's also serve other projects. */
  trail: WriteTrail = createWriteTrail(null),
): ConfigStore {
  const database = (layer: ConfigLayerName) =>
    new Low<Content | null>(
      new DurableFile<Content | null>({
        file: files[layer],
        what: 'configuration',
        maxBytes: maxConfigBytes,
        parse: (json) => json as Content,
        render: renderDocument,
      }),
      null,
    );

  const readLayer = async (name: ConfigLayerName): Promise<ConfigLayer> => {
    const layer = database(name);
    try {
      await layer.read();
      return {name, file: files[name], content: layer.data};
    } catch (error) {
      return {name, file: files[name], content: null, problem: reasonOf(error)};
    }
  };

  return {
    layers: async () => [await readLayer('project'), await readLayer('global')],

    write: async (name, key, value, seen) => {
      const file = files[name];
      const change = async () => {
        const layer = database(name);
        await layer.read();
        const content = layer.data ?? {schemaVersion: configSchemaVersion};
        requireOwnVersion(content, file);
        if (seen) requireSeen(content, key, seen.value, {file, value});
        return {layer, content, next: withValue(content, key.split('.'), value)};
      };
      const {content, next} = await change();
      if (next === content) return;
      await ensurePrivateFolder(path.dirname(file));
      await underLock(file, async () => {
        // Read again under the lock: another process may have set another key in the meantime.
        const {layer, next: latest} = await change();
        const before = versionOf(file);
        layer.data = latest;
        await layer.write();
        if (name === 'project') trail.note(before, versionOf(file));
      });
    },
  };
}

const lockWaitSeconds = 20;

async function underLock(file: string, job: () => Promise<void>): Promise<void> {
  const {createProcessLock} = await import('../lock/process-lock.ts');
  const lock = createProcessLock(path.join(path.dirname(file), 'config.lock'));
  const attempt = await lock.acquire({waitSeconds: lockWaitSeconds});
  if (!attempt.acquired) {
    throw new AppError('E_LOCK_TIMEOUT', `another process is changing ${file}; nothing was written`);
  }
  try {
    await job();
  } finally {
    await attempt.lock.release();
  }
}

/** A file written by another schema version is not ours to change. */
function requireOwnVersion({schemaVersion: version = configSchemaVersion}: Content, file: string): void {
  if (version === configSchemaVersion) return;
  const found = `unsupported schemaVersion ${JSON.stringify(version)} (expected ${configSchemaVersion})`;
  throw new AppError('E_CONFIG', `${file} cannot be changed: ${found}`);
}

/** The same key was changed since the user looked at it. */
function requireSeen(
  content: Content,
  key: string,
  seen: unknown,
  {file, value}: {readonly file: string; readonly value: unknown},
): void {
  const now = key.split('.').reduce<unknown>((at, part) => (at as Content | undefined)?.[part], content);
  if (JSON.stringify(now) === JSON.stringify(seen)) return;
  throw new AppError('E_CONFLICT', `${key} was changed by somebody else meanwhile; nothing was written`, {
    details: [
      ['file', file],
      ['it was', textOf(seen)],
      ['it is now', textOf(now)],
      ['yours', textOf(value)],
    ],
  });
}

const textOf = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));

/** The content with one value set or removed; an emptied section is removed too. */
function withValue(content: Content, [head = '', ...rest]: readonly string[], value: unknown): Content {
  const {[head]: current, ...others} = content;
  if (rest.length === 0) {
    if (current === value) return content;
    return value === undefined ? others : {...content, [head]: value};
  }
  const isSection = typeof current === 'object' && current !== null && !Array.isArray(current);
  if (value === undefined && !isSection) return content;
  const section = withValue(isSection ? (current as Content) : {}, rest, value);
  if (section === current) return content;
  return Object.keys(section).length === 0 ? others : {...content, [head]: section};
}
