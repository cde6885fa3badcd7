import {AppError} from '../../services/contracts/errors.ts';
import type {ProviderChoice} from '../../services/contracts/project.ts';
import {
  defaultProvider,
  type NativeProviderId,
  providerIds,
} from '../../services/contracts/provider-table.ts';

/**
 * Which provider to use: the option, the user's own command, the environment, the saved choice, the only one
 * installed, the default (also if none is installed).
 */
export function chooseProvider({
  option,
  customCommand,
  environment,
  saved,
  installed,
}: {
  option: string | undefined;
  customCommand: string | null;
  environment: string | undefined;
  saved: NativeProviderId | null;
  /** Called only if none was chosen. */
  installed: () => readonly NativeProviderId[];
}): ProviderChoice {
  if (option) return {id: requireProviderId(option), source: 'option'};
  if (customCommand !== null) return {id: 'custom', source: 'command'};
  if (environment) return {id: requireProviderId(environment), source: 'environment'};
  if (saved !== null) return {id: saved, source: 'saved'};
  const [only, ...others] = installed();
  if (!only) return {id: defaultProvider, source: 'none'};
  if (others.length === 0) return {id: only, source: 'installed'};
  return {id: defaultProvider, source: 'default'};
}

export function requireProviderId(text: string): NativeProviderId {
  const id = providerIds.find((each) => each === text.toLowerCase());
  if (id) return id;
  throw new AppError('E_AGENT_UNKNOWN', `unsupported agent provider ${JSON.stringify(text)}`, {
    details: [['known', providerIds.join(', ')]],
    next: [{command: 'blackbird agents', why: 'see what is installed'}],
  });
}
