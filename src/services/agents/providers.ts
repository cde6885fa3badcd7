import type {Provider} from '../contracts/agent.ts';
import type {NativeProviderId} from '../contracts/provider-table.ts';
import {claudeProvider} from './claude.ts';
import {codexProvider} from './codex.ts';
import {demoProvider} from './demo.ts';

export const providers: Readonly<Record<NativeProviderId, Provider>> = {
  codex: codexProvider,
  claude: claudeProvider,
  demo: demoProvider,
};

/** The provider with this id; null if there is none. */
export function findProvider(id: NativeProviderId): Provider;
export function findProvider(id: string): Provider | null;
export function findProvider(id: string): Provider | null {
  return Object.values(providers).find((provider) => provider.id === id) ?? null;
}
