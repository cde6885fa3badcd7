import {Low} from 'lowdb';
import {DurableFile} from '../stores/durable-file.ts';
import {renderJson} from '../stores/json-text.ts';
import type {ProbeCache} from './probe.ts';

type Answers = Readonly<Record<string, unknown>>;

/** What installed versions can do, kept beside the runs so that each version is asked once. */
export function createProbeCache(file: string): ProbeCache {
  const database = new Low<Answers | null>(
    new DurableFile<Answers | null>({
      file,
      what: 'record of agent versions',
      maxBytes: 1024 * 1024,
      parse: (json) => json as Answers,
      render: (value) => `${renderJson(value)}\n`,
    }),
    null,
  );
  const answers = async (): Promise<Answers> => {
    // It can always be asked again, so a broken file here is only a slow start.
    await database.read().catch(() => {});
    return database.data ?? {schemaVersion: 1};
  };
  return {
    get: async (key) => (await answers())[key],
    set: async (key, value) => {
      database.data = {...(await answers()), [key]: value};
      await database.write().catch(() => {});
    },
  };
}
