import type {ProviderId} from './agent.ts';

/** What a run needs to know of the project around it. */
export interface ProjectFacts {
  /** Absolute and without links. */
  readonly root: string;
  isGitRepository(): Promise<boolean>;
  /** The first of the files that describe the project, null when there is none. */
  snapshot(): Promise<{readonly file: string; readonly text: string} | null>;
}

/** Which provider to use, and how that was decided. */
export type ProviderChoice = {
  readonly id: ProviderId;
  readonly source: keyof typeof chosenBy;
};

/** The ways a provider is decided on, and how each is said. */
export const chosenBy = {
  option: 'asked for',
  command: 'BLACKBIRD_AGENT_CMD',
  environment: 'BLACKBIRD_AGENT_PROVIDER',
  saved: 'chosen',
  installed: 'the only one installed',
  default: 'default',
  none: 'not installed',
} as const;

/** What every engine of the project respects: one job at a time, across processes. */
export interface ProjectLock {
  /** Throws `E_REPO_LOCKED`, naming the holder. */
  acquire(): Promise<void>;
  release(): Promise<void>;
}
