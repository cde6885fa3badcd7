const hookNames = ['needsYou', 'taskEnded', 'jobEnded'] as const;
export type HookName = (typeof hookNames)[number];

/** The user's commands; empty for none. */
export type Hooks = Readonly<Record<HookName, string>>;

export interface HookRunner {
  /** Passes one JSON object to the command on stdin. Never throws: returns the problem as text, or null. */
  run(command: string, data: unknown): Promise<string | null>;
  /** Ends running commands. */
  stop(): void;
}

/** Keeps the computer awake until the returned function is called. */
export type KeepAwake = () => () => void;
