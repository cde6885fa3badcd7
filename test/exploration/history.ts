import type {AgentRequest} from '../../src/services/contracts/agent.ts';

/** What an agent really did, whatever its record says. */
export type AgentTale = {
  readonly runId: string;
  readonly taskId: string;
  readonly kind: AgentRequest['kind'];
  readonly isReviewer: boolean;
  /** The session it was asked to continue, or to use. */
  readonly askedRef: string | null;
  /** The texts of users and reviewers in its prompt. */
  readonly words: readonly string[];
  /** What it announced; null before that. */
  session: string | null;
  /** When it did, and whether its provider has stored it: it printed more, ended by itself, or had a second. */
  announcedAt: number;
  isStored: boolean;
  hasWorked: boolean;
  isInterrupted: boolean;
  verdict: 'ok' | 'failed' | 'asked' | 'passed' | 'sentBack' | null;
  isAlive: boolean;
  /** The checks that passed since it reported its result. */
  passed: string[];
  /** Some of its processes may be alive until everything of its run is ended. */
  hasRemains: boolean;
  /** Its Blackbird died before it recorded the end, which is therefore unknown. */
  isLost: boolean;
};

/** What a user or a reviewer told an agent. */
export type Word = {
  readonly token: string;
  readonly taskId: string;
  /** It was on disk once: from then on it must not be lost. */
  isAccepted: boolean;
  /** It no longer needs delivery: a later decision of the user replaced it. */
  isMoot: boolean;
};

/** What really happened in a project, from the model of the world and never from the program. */
export type History = {
  tales: AgentTale[];
  words: Word[];
  /** The user's last decision on each run, when it was taken. */
  decisions: Record<string, string>;
  /** Runs that end at a checkpoint because it was requested. */
  gated: string[];
  /** Titles edited while Blackbird worked. */
  titles: Record<string, string>;
  /** The task whose agent worked then. Rejecting its run takes the titles back: nobody knows who edited them. */
  titlesDuring: Record<string, string>;
  /** Tasks whose status the user set, and to what. */
  byHand: Record<string, string>;
  dismissed: string[];
  /** Until when the provider is limited, as far as it said. */
  limitedUntil: number;
  edits: number;
  failures: number;
  crashes: number;
  uuids: number;
};

export const nothingHappened = (): History => ({
  tales: [],
  words: [],
  decisions: {},
  gated: [],
  titles: {},
  titlesDuring: {},
  byHand: {},
  dismissed: [],
  limitedUntil: 0,
  edits: 0,
  failures: 0,
  crashes: 0,
  uuids: 0,
});

export const newWord = (history: History, taskId: string): Word => {
  const word = {token: `word-${history.words.length + 1}`, taskId, isAccepted: false, isMoot: false};
  history.words.push(word);
  return word;
};

export const wordsIn = (text: string): string[] => [...new Set(text.match(/word-\d+/g) ?? [])];

/** The user settled the task another way: earlier feedback needs no agent. */
export function settleWords(history: History, taskId: string): void {
  for (const word of history.words) if (word.taskId === taskId) word.isMoot = true;
}

/** What was edited while the rejected run, or one that it continues, was at work may be the agent's: it is taken back. */
export function takeBackTitles({titles, titlesDuring}: History, taskId: string): void {
  for (const id of Object.keys(titles)) if (titlesDuring[id] === taskId) delete titles[id];
}

/** The provider has a second to store a session that was announced. */
export function storeSessions(history: History, now: number): void {
  for (const tale of history.tales)
    if (tale.isAlive && tale.session !== null && now - tale.announcedAt >= 1_000) tale.isStored = true;
}
