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

export function findProvider(id: NativeProviderId): Provider {
  return providers[id];
}
