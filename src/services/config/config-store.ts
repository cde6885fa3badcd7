import path from 'node:path';
import {Low} from 'lowdb';
import {
  type ConfigLayer,
  type ConfigLayerName,
  type ConfigStore,
  configSchemaVersion,
} from '../contracts/config.ts';
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
      await ensurePrivateFolder(path.dirname(files[name]));
      const next = withValue(layer.data ?? {schemaVersion: configSchemaVersion}, key.split('.'), value);
      if (next === layer.data) return;
      layer.data = next;
      await layer.write();
    },
  };
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
