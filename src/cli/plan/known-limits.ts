import {existsSync} from 'node:fs';
import path from 'node:path';
import type {KnownLimits} from '../../machines/policies/job/waiting.ts';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {SeenLimit} from '../../services/contracts/limits.ts';
import type {Project} from '../composition.ts';

/** The known limits of these providers. Changes nothing. */
export async function knownLimits(
  {env, userConfigFile}: Pick<Project, 'env' | 'userConfigFile'>,
  providers: Iterable<ProviderId>,
): Promise<KnownLimits> {
  const known = new Map<ProviderId, SeenLimit>();
  const file = path.join(path.dirname(userConfigFile), 'limits.json');
  if (!existsSync(file)) return known;
  const [{createLimitStore}, {accountOf}] = await Promise.all([
    import('../../services/limits/limit-store.ts'),
    import('../../services/limits/accounts.ts'),
  ]);
  const limits = createLimitStore({file, accountOf: (each) => accountOf(each, env), onWarning: () => {}});
  for (const provider of new Set(providers)) {
    const limit = await limits.read(provider);
    if (limit) known.set(provider, limit);
  }
  return known;
}
