import {Low} from 'lowdb';
import * as z from 'zod';
import {type NativeProviderId, providerIds} from '../contracts/provider-table.ts';
import {DurableFile} from '../stores/durable-file.ts';
import {renderDocument} from '../stores/json-text.ts';

const schema = z.looseObject({schemaVersion: z.literal(1), selectedAgent: z.enum(providerIds)});
type Selection = z.infer<typeof schema>;

/** The provider chosen for a project: `.blackbird/agent.json`. */
export function createAgentSelection(file: string) {
  const database = new Low<Selection | null>(
    new DurableFile<Selection | null>({
      file,
      what: 'agent selection',
      maxBytes: 64 * 1024,
      parse: (json) => {
        const {data, error} = schema.safeParse(json);
        if (data) return data;
        throw new Error(error.issues.map(({path, message}) => `${path.join('.')}: ${message}`).join('; '));
      },
      render: renderDocument,
    }),
    null,
  );
  const load = async (): Promise<Selection | null> => {
    await database.read();
    return database.data;
  };
  return {
    read: async (): Promise<NativeProviderId | null> => (await load())?.selectedAgent ?? null,
    save: async (selectedAgent: NativeProviderId): Promise<void> => {
      database.data = {...(await load()), schemaVersion: 1, selectedAgent};
      await database.write();
    },
  };
}
