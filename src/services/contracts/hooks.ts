export const hookNames = ['needsYou', 'taskEnded', 'jobEnded'] as const;
export type HookName = (typeof hookNames)[number];

/** The commands of the user; empty for none. */
export type Hooks = Readonly<Record<HookName, string>>;

export interface HookRunner {
  /** Gives the command one JSON object on its stdin. Never throws: what went wrong, in words, or null. */
  run(command: string, data: unknown): Promise<string | null>;
  /** Ends what still runs. */
  stop(): void;
}

/** Keeps the machine from falling asleep until the returned function is called. */
export type KeepAwake = () => () => void;
