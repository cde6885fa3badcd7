import type {AgentRequest} from '../../src/services/contracts/agent.ts';

/** What an agent really did, whatever its record says. */
export type AgentActivity = {
  readonly runId: string;
  readonly taskId: string;
  readonly kind: AgentRequest['kind'];
  readonly isReviewer: boolean;
  /** The session it was asked to continue, or to use. */
  readonly askedRef: string | null;
  /** The texts of users and reviewers in its prompt. */
  readonly messages: readonly string[];
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
  hasProcesses: boolean;
  /** Its Blackbird died before it recorded the end, which is therefore unknown. */
  isLost: boolean;
};

/** What a user or a reviewer told an agent. */
export type Message = {
  readonly token: string;
  readonly taskId: string;
  /** It was on disk once: from then on it must not be lost. */
  isAccepted: boolean;
  /** It no longer needs delivery: a later decision of the user replaced it. */
  isMoot: boolean;
};

/** What really happened in a project, from the model of the world and never from the program. */
export type History = {
  activities: AgentActivity[];
  messages: Message[];
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
  /** Until when the provider is limited, as far as it said. */
  limitedUntil: number;
  edits: number;
  failures: number;
  crashes: number;
  uuids: number;
};

export const emptyHistory = (): History => ({
  activities: [],
  messages: [],
  decisions: {},
  gated: [],
  titles: {},
  titlesDuring: {},
  byHand: {},
  limitedUntil: 0,
  edits: 0,
  failures: 0,
  crashes: 0,
  uuids: 0,
});

export const newMessage = (history: History, taskId: string): Message => {
  const message = {token: `message-${history.messages.length + 1}`, taskId, isAccepted: false, isMoot: false};
  history.messages.push(message);
  return message;
};

export const messagesIn = (text: string): string[] => [...new Set(text.match(/message-\d+/g) ?? [])];

/** The user settled the task another way: earlier feedback needs no agent. */
export function settleMessages(history: History, taskId: string): void {
  for (const message of history.messages) if (message.taskId === taskId) message.isMoot = true;
}

/** What was edited while the rejected run, or one that it continues, was at work may be the agent's: it is taken back. */
export function revertTitles({titles, titlesDuring}: History, taskId: string): void {
  for (const id of Object.keys(titles)) if (titlesDuring[id] === taskId) delete titles[id];
}

/** The provider has a second to store a session that was announced. */
export function storeSessions(history: History, now: number): void {
  for (const activity of history.activities)
    if (activity.isAlive && activity.session !== null && now - activity.announcedAt >= 1_000)
      activity.isStored = true;
}
