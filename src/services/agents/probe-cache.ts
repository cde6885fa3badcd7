import {Low} from 'lowdb';
import {DurableFile} from '../stores/durable-file.ts';
import {renderJson} from '../stores/json-text.ts';
import type {ProbeCache} from './probe.ts';

type Answers = Readonly<Record<string, unknown>>;

/** The capabilities of installed versions, kept beside the runs so that each version is probed once. */
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
    // It can always be probed again, so a broken file only slows the start.
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
