/** A command to run in a session of its own. */
export type NewSession = {
  readonly name: string;
  readonly cwd: string;
  /** A single element is a line for the user's shell; several are run as they are. */
  readonly argv: readonly string[];
  /** Set for this session only; the rest comes from the tmux server's environment. */
  readonly env: Readonly<Record<string, string>>;
};

/** How the command of a session ended, and what it said last. */
export type CommandEnd = {
  /** Null where it was killed, or where nothing is known any more. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastLines: readonly string[];
};

/** tmux as far as sessions need it. Every name is meant exactly: never as a prefix or a pattern. */
export interface TmuxClient {
  hasSession(name: string): Promise<boolean>;
  /**
   * Starts it in the background; it outlives its command until `release`. Refused when there is one of this
   * name.
   */
  newSession(session: NewSession): Promise<void>;
  /** From now on it ends with its command; tells how the command ended where it already has. */
  release(name: string): Promise<CommandEnd | null>;
  /** Shows it in this terminal until the user leaves it; inside tmux the client changes over to it. */
  attach(name: string): Promise<void>;
  /** One that is already gone is no failure. */
  killSession(name: string): Promise<void>;
  /** What its first pane shows now, as plain lines; null where there is none of this name. */
  captureScreen(name: string): Promise<readonly string[] | null>;
  /** Keys by tmux's names for them. */
  sendKeys(name: string, keys: readonly string[]): Promise<void>;
  /** The names of all sessions, those of others too. */
  listSessions(): Promise<readonly string[]>;
}

export const interruptKey = 'C-c';
