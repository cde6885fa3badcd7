/**
 * The agents Blackbird can run, for everything outside of `services/agents/<id>.ts`. Help, doctor, sessions and record
 * schemas take the names from here.
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
  /** Built in: nothing to install, no account, and no program that a session could start. */
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

/** The providers of runs: the agents above, and `custom` for the command in `BLACKBIRD_AGENT_CMD`. */
export type ProviderId = NativeProviderId | 'custom';
export const runProviderIds: readonly ProviderId[] = [...providerIds, 'custom'];

/** The vendor whose output format a custom command uses. */
export type Dialect = NativeProviderId;

/** Used if nobody chose one. */
export const defaultProvider: NativeProviderId = 'claude';

/** The user's own command. A blank one counts as none, and arguments for `resume` go on its last line. */
export function customCommandIn(env: Readonly<Record<string, string | undefined>>): string | null {
  return env.BLACKBIRD_AGENT_CMD?.trim() || null;
}

/** For help texts: "codex, claude or demo". */
export const providerNames = `${providerIds.slice(0, -1).join(', ')} or ${providerIds.at(-1)}`;

/** Agents with a program of their own: it has to be installed, and sessions can run it. */
export const agentPrograms = Object.values(providerTable).filter((entry) => entry.program !== null);
