import type {ProviderId} from './agent.ts';

/** What a run needs to know about its project. */
export interface ProjectFacts {
  /** Absolute and without links. */
  readonly root: string;
  isGitRepository(): Promise<boolean>;
  /** The first file that describes the project; null if there is none. */
  snapshot(): Promise<{readonly file: string; readonly text: string} | null>;
}

/** The provider to use, and how it was chosen. */
export type ProviderChoice = {
  readonly id: ProviderId;
  readonly source: keyof typeof chosenBy;
};

/** The ways to choose a provider, and the text for each. */
export const chosenBy = {
  option: 'asked for',
  command: 'BLACKBIRD_AGENT_CMD',
  environment: 'BLACKBIRD_AGENT_PROVIDER',
  saved: 'chosen',
  installed: 'the only one installed',
  default: 'default',
  none: 'not installed',
} as const;

/** Ensures one job per project at a time, across processes. */
export interface ProjectLock {
  /** Throws `E_REPO_LOCKED`, naming the holder. */
  acquire(): Promise<void>;
  release(): Promise<void>;
}
