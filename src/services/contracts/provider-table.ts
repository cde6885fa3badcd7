/** What Blackbird knows of an agent, beside its file in `services/agents`. */
type ProviderEntry = {
  readonly title: string;
  /** The command to look for on the PATH; null if it is built in: sessions cannot run it. */
  readonly program: string | null;
  readonly install: string | null;
  readonly login: string | null;
  /**
   * Arguments with which it exits with 0 if it is logged in, and what it prints if it is not. Any other end tells
   * nothing. Null if it cannot tell or needs no login.
   */
  readonly loginStatus: {readonly args: readonly string[]; readonly loggedOut: RegExp} | null;
  /** Its words for the reasoning effort, for the help; null if it has none to choose. */
  readonly efforts: string | null;
  /** It reports what it cost, so that a cost budget works. */
  readonly tellsCost: boolean;
  /** It can be told after how many turns to stop. */
  readonly limitsTurns: boolean;
  /** Minutes to wait for a usage limit without a reset time, one after another. */
  readonly limitWaits: readonly [number, ...number[]];
  /** It refuses to edit files for root unless this variable is 1; null if it does not. */
  readonly rootVariable: string | null;
  /** Or if it finds itself in a sandbox that sets this variable. */
  readonly sandboxMark: string | null;
};

/**
 * The agents Blackbird can run, for everything outside of `services/agents/<id>.ts`. Help, settings, doctor, sessions
 * and record schemas take the names from here.
 */
export const providerTable = {
  codex: {
    title: 'Codex',
    program: 'codex',
    install: 'npm install -g @openai/codex',
    login: 'codex login',
    loginStatus: {args: ['login', 'status'], loggedOut: /not logged in/i},
    efforts: 'minimal, low, medium, high',
    tellsCost: false,
    limitsTurns: false,
    limitWaits: [15, 30, 60],
    rootVariable: null,
    sandboxMark: null,
  },
  claude: {
    title: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'claude auth login',
    loginStatus: {args: ['auth', 'status'], loggedOut: /not logged in|"loggedIn": ?false/i},
    efforts: 'low, medium, high, max',
    tellsCost: true,
    limitsTurns: true,
    limitWaits: [5, 15, 30],
    rootVariable: 'IS_SANDBOX',
    sandboxMark: 'CLAUDE_CODE_BUBBLEWRAP',
  },
  /** Built in: nothing to install and no account. */
  demo: {
    title: 'Demo agent',
    program: null,
    install: null,
    login: null,
    loginStatus: null,
    efforts: null,
    tellsCost: false,
    limitsTurns: false,
    limitWaits: [5, 15, 30],
    rootVariable: null,
    sandboxMark: null,
  },
} as const satisfies Readonly<Record<string, ProviderEntry>>;

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

type IdWith<Field extends keyof ProviderEntry> = {
  [Id in NativeProviderId]: (typeof providerTable)[Id][Field] extends null ? never : Id;
}[NativeProviderId];

/** Agents with a program of their own: it has to be installed, sessions can run it, and its model can be set. */
export type ProgramId = IdWith<'program'>;
export const programIds = providerIds.filter((id): id is ProgramId => providerTable[id].program !== null);

/** Agents whose reasoning effort can be set. */
export type EffortId = IdWith<'efforts'>;
export const hasEfforts = (id: NativeProviderId): id is EffortId => providerTable[id].efforts !== null;
