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
import {renderJson, rewriteJson} from '../stores/json-text.ts';
import {reasonOf} from '../stores/store-errors.ts';

type Content = Readonly<Record<string, unknown>>;

const maxConfigBytes = 1024 * 1024;

/** The configuration files of a project and its user, strongest layer first. */
export function createConfigStore(files: Record<ConfigLayerName, string>): ConfigStore {
  const database = (layer: ConfigLayerName) =>
    new Low<Content | null>(
      new DurableFile<Content | null>({
        file: files[layer],
        what: 'configuration',
        maxBytes: maxConfigBytes,
        parse: (json) => json as Content,
        render: (content, previous) =>
          `${previous === null ? renderJson(content) : rewriteJson(previous.trim(), content)}\n`,
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

    write: async (name, key, value) => {
      const layer = database(name);
      await layer.read();
      const content = layer.data ?? {schemaVersion: configSchemaVersion};
      requireOwnVersion(content, files[name]);
      const next = withValue(content, key.split('.'), value);
      if (next === content) return;
      await ensurePrivateFolder(path.dirname(files[name]));
      layer.data = next;
      await layer.write();
    },
  };
}

/** What another version means by a key is not ours to change. */
function requireOwnVersion({schemaVersion: version = configSchemaVersion}: Content, file: string): void {
  if (version === configSchemaVersion) return;
  const found = `unsupported schemaVersion ${JSON.stringify(version)} (expected ${configSchemaVersion})`;
  throw new AppError('E_CONFIG', `${file} cannot be changed: ${found}`);
}

/** The content with one value set or removed; a section that becomes empty goes with it. */
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
