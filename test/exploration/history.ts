import type {AgentRequest} from '../../src/services/contracts/agent.ts';

/** What an agent really did, whatever the records say of it. */
export type AgentTale = {
  readonly runId: string;
  readonly taskId: string;
  readonly kind: AgentRequest['kind'];
  readonly isReviewer: boolean;
  /** The session it was asked to go on with, or to use. */
  readonly askedRef: string | null;
  /** The words of persons and reviewers in its prompt. */
  readonly words: readonly string[];
  /** What it announced; null before that. */
  session: string | null;
  /** When it did, and whether its provider has stored that: it printed more, ended by itself, or had a second. */
  announcedAt: number;
  isStored: boolean;
  hasWorked: boolean;
  isInterrupted: boolean;
  verdict: 'ok' | 'failed' | 'asked' | 'passed' | 'sentBack' | null;
  isAlive: boolean;
  /** The checks that passed since it said that it was done. */
  passed: string[];
  /** Something of it may live until everything of its run is ended. */
  hasRemains: boolean;
  /** Its Blackbird died before it had recorded the end: nobody knows of it. */
  isLost: boolean;
};

/** What a person or a reviewer said to an agent. */
export type Word = {
  readonly token: string;
  readonly taskId: string;
  /** It was on disk once: from then on it may not be lost. */
  isAccepted: boolean;
  /** Nobody needs to hear it any more: overruled by a later decision of a person. */
  isMoot: boolean;
};

/** What really happened in a project, told by the model of the world and never by the program. */
export type History = {
  tales: AgentTale[];
  words: Word[];
  /** The last decision of a person on each run, where it was taken. */
  decisions: Record<string, string>;
  /** Runs that end at a checkpoint because somebody asked for it. */
  gated: string[];
  /** Titles that somebody gave while Blackbird worked. */
  titles: Record<string, string>;
  /** Tasks whose status a person set, and what it was. */
  byHand: Record<string, string>;
  dismissed: string[];
  /** Until when the provider does nothing, as far as it told. */
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

/** A person settled the task otherwise: what was said before needs no agent. */
export function settleWords(history: History, taskId: string): void {
  for (const word of history.words) if (word.taskId === taskId) word.isMoot = true;
}

/** The provider has a second to store a session that was announced. */
export function storeSessions(history: History, now: number): void {
  for (const tale of history.tales)
    if (tale.isAlive && tale.session !== null && now - tale.announcedAt >= 1_000) tale.isStored = true;
}
