import path from 'node:path';
import {Low} from 'lowdb';
import type {ProviderId} from '../contracts/agent.ts';
import {messageOf} from '../contracts/errors.ts';
import {
  type LimitStore,
  type LimitsFile,
  limitsFileSchema,
  limitsSchemaVersion,
} from '../contracts/limits.ts';
import {DurableFile} from '../stores/durable-file.ts';
import {ensurePrivateFolder} from '../stores/durable-write.ts';
import {renderDocument} from '../stores/json-text.ts';
import {firstIssue, reasonOf} from '../stores/store-errors.ts';

const maxBytes = 1024 * 1024;
const lockWaitSeconds = 5;

/** `~/.blackbird/limits.json`, shared by every Blackbird of the user. */
export function createLimitStore({
  file,
  accountOf,
  onWarning,
}: {
  readonly file: string;
  readonly accountOf: (provider: ProviderId) => string;
  readonly onWarning: (message: string) => void;
}): LimitStore {
  /** Warns only once, not with every task. */
  let hasWarned = false;
  const warn = (message: string) => {
    if (!hasWarned) onWarning(message);
    hasWarned = true;
  };

  const read = async (): Promise<LimitsFile> => {
    const database = databaseOf(file);
    await database.read();
    return database.data;
  };

  const change = async (edit: (limits: LimitsFile['limits']) => LimitsFile['limits']): Promise<void> => {
    try {
      const {limits} = await read();
      if (edit(limits) === limits) return;
      await ensurePrivateFolder(path.dirname(file));
      await underLock(file, async () => {
        // Read again under the lock: another project may have written in the meantime.
        const database = databaseOf(file);
        await database.read();
        database.data = {...database.data, limits: edit(database.data.limits)};
        await database.write();
      });
    } catch (error) {
      warn(`limits are not shared with other projects: ${messageOf(error)}`);
    }
  };

  return {
    read: async (provider) => {
      try {
        const {limits} = await read();
        const account = accountOf(provider);
        const found = limits.find((limit) => limit.provider === provider && limit.account === account);
        return found ? {until: found.until, source: found.source, seenAt: found.seenAt} : null;
      } catch (error) {
        warn(`${file} is ignored: ${reasonOf(error)}`);
        return null;
      }
    },
    save: async (provider, limit) => {
      const account = accountOf(provider);
      const isOther = (each: LimitsFile['limits'][number]) =>
        (each.provider !== provider || each.account !== account) &&
        // Expired limits are of no use.
        Date.parse(each.until) > Date.parse(limit.seenAt);
      await change((limits) => [...limits.filter(isOther), {provider, account, ...limit}]);
    },
    clear: async (provider, before) => {
      const account = accountOf(provider);
      await change((limits) => {
        const left = limits.filter(
          (limit) =>
            limit.provider !== provider ||
            limit.account !== account ||
            Date.parse(limit.seenAt) > Date.parse(before),
        );
        return left.length === limits.length ? limits : left;
      });
    },
  };
}

const nothing: LimitsFile = {schemaVersion: limitsSchemaVersion, limits: []};

function databaseOf(file: string): Low<LimitsFile> {
  return new Low<LimitsFile>(
    new DurableFile<LimitsFile>({
      file,
      what: 'list of limits',
      maxBytes,
      parse: (json) => {
        const {data, error} = limitsFileSchema.safeParse(json);
        if (data) return data;
        throw new Error(firstIssue(error, 'the list'));
      },
      render: renderDocument,
    }),
    nothing,
  );
}

async function underLock(file: string, job: () => Promise<void>): Promise<void> {
  const {createProcessLock} = await import('../lock/process-lock.ts');
  const lock = createProcessLock(path.join(path.dirname(file), 'limits.lock'));
  const attempt = await lock.acquire({waitSeconds: lockWaitSeconds});
  if (!attempt.acquired) throw new Error(`another process is changing ${file}`);
  try {
    await job();
  } finally {
    await attempt.lock.release();
  }
}
