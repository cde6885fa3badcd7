/**
 * The agents Blackbird can drive, as far as anything outside of `services/agents/<id>.ts` speaks of them.
 * Help, doctor, sessions and the schema of records take their names from here.
 */
export const providerTable = {
  codex: {
    title: 'Codex',
    program: 'codex',
    install: 'npm install -g @openai/codex',
    login: 'codex login',
    loginStatus: ['login', 'status'],
    tellsCost: false,
  },
  claude: {
    title: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'claude auth login',
    loginStatus: ['auth', 'status'],
    tellsCost: true,
  },
  /** Part of Blackbird: nothing to install, no account, and no program a session could start. */
  demo: {
    title: 'Demo agent',
    program: null,
    install: null,
    login: null,
    loginStatus: null,
    tellsCost: false,
  },
} as const;

export type NativeProviderId = keyof typeof providerTable;
export const providerIds = Object.keys(providerTable) as NativeProviderId[];

/** Whose runs there are: the agents above, and `custom`, the command in `BLACKBIRD_AGENT_CMD`. */
export type ProviderId = NativeProviderId | 'custom';
export const runProviderIds: readonly ProviderId[] = [...providerIds, 'custom'];

/** Whose lines a custom command prints. */
export type Dialect = NativeProviderId;

/** Used where nobody chose one. */
export const defaultProvider: NativeProviderId = 'claude';

/** The command of the user's own. A blank one is none, and what `resume` adds must stand on its last line. */
export function customCommandIn(env: Readonly<Record<string, string | undefined>>): string | null {
  return env.BLACKBIRD_AGENT_CMD?.trim() || null;
}

/** For help texts: "codex, claude or demo". */
export const providerNames = `${providerIds.slice(0, -1).join(', ')} or ${providerIds.at(-1)}`;

/** The agents with a program of their own: it has to be installed, and sessions can run it. */
export const agentPrograms = Object.values(providerTable).filter((entry) => entry.program !== null);
