/** A command to run in a session of its own. */
export type NewSession = {
  readonly name: string;
  readonly cwd: string;
  /** A single element is a line for the user's shell; several are run as they are. */
  readonly argv: readonly string[];
  /** Set for this session only; the rest comes from the tmux server's environment. */
  readonly env: Readonly<Record<string, string>>;
};

/** How the command of a session ended, and its last output. */
export type CommandEnd = {
  /** Null if it was killed, or if nothing is known any more. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastLines: readonly string[];
};

/** The part of tmux that sessions need. Every name is matched exactly, never as a prefix or pattern. */
export interface TmuxClient {
  hasSession(name: string): Promise<boolean>;
  /** Starts it in the background; it outlives its command until `release`. Refused if the name is taken. */
  newSession(session: NewSession): Promise<void>;
  /** From now on it ends with its command; returns how the command ended, if it already has. */
  release(name: string): Promise<CommandEnd | null>;
  /** Shows it in this terminal until the user leaves it; inside tmux, switches the client to it. */
  attach(name: string): Promise<void>;
  /** An already ended session is not a failure. */
  killSession(name: string): Promise<void>;
  /** The current screen of its first pane, as plain lines; null if there is no such session. */
  captureScreen(name: string): Promise<readonly string[] | null>;
  /** Keys by their tmux names. */
  sendKeys(name: string, keys: readonly string[]): Promise<void>;
  /** The names of all sessions, including foreign ones. */
  listSessions(): Promise<readonly string[]>;
}

export const interruptKey = 'C-c';
