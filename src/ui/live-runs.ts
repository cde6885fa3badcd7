import type {AgentNews} from '../machines/actors/agent.actor.ts';
import {
  type ConversationLine,
  checkTalk,
  renderMessage,
  repeats,
  resumeMessages,
  type Utterance,
} from '../machines/policies/run/conversation.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {createLiveLog, type LiveLog} from './live-log.ts';

/** Longer lines of raw output are cut; a screen shows less. */
const rawLineLimit = 2_000;
/** Long messages are cut as well, until the log is read. */
const messageLimit = 8_000;

/**
 * What is known about a run of this process beyond its record. Read when a frame is drawn; only the logs can
 * be subscribed to.
 */
export type LiveRun = {
  /** Anything earlier is in its log file. */
  readonly beganAt: number;
  readonly activity: LiveLog<ConversationLine>;
  /** Both streams, unprocessed. */
  readonly raw: LiveLog<string>;
  readonly lastActivityAt: number;
  readonly usage: RunRecord['usage'] | null;
};

type Entry = {-readonly [Key in keyof LiveRun]: LiveRun[Key]} & {
  readonly runType: RunRecord['run_type'];
  partialLine: string;
  /** The last message, because an activity repeats its first line. */
  message: string;
  isOver: boolean;
  /** How many checks were reported, and the one in progress. */
  checks: number;
  making: string;
};

/** The live logs of this process's runs, by run id. */
export function createLiveRuns(now: () => number) {
  const entries = new Map<string, Entry>();

  return {
    /** The log of an ended run is kept until the next one begins: by then its file was read. */
    begin: (run: RunRecord) => {
      for (const [runId, {isOver}] of entries) if (isOver && runId !== run.run_id) entries.delete(runId);
      // A run that continues keeps its log.
      const before = entries.get(run.run_id);
      const activity = before?.activity ?? createLiveLog<ConversationLine>();
      for (const said of resumeMessages(run)) activity.push({...said, at: now()});
      entries.set(run.run_id, {
        beganAt: before?.beganAt ?? now(),
        activity,
        runType: run.run_type,
        message: '',
        raw: createLiveLog(),
        lastActivityAt: now(),
        usage: run.usage ?? null,
        partialLine: '',
        isOver: false,
        checks: run.verifications?.length ?? 0,
        making: '',
      });
    },
    /** What its record says about checks. */
    addChecks: ({run_id, verifications = [], check}: RunRecord) => {
      const entry = entries.get(run_id);
      if (!entry) return;
      const tell = (said: readonly Utterance[]) => {
        entry.lastActivityAt = now();
        for (const each of said) entry.activity.push({...each, at: entry.lastActivityAt});
      };
      for (const ended of verifications.slice(entry.checks)) tell(checkTalk(ended));
      entry.checks = verifications.length;
      const making = check?.started_at ?? '';
      if (check && making !== entry.making) tell([{kind: 'command', text: `check $ ${check.command}`}]);
      entry.making = making;
    },
    addNews: (runId: string, news: AgentNews) => {
      const entry = entries.get(runId);
      if (!entry) return;
      entry.lastActivityAt = now();
      if (news.type === 'usage') entry.usage = news.usage;
      for (const said of utterances(entry, news)) entry.activity.push({...said, at: entry.lastActivityAt});
      if (news.type === 'message') entry.message = news.text;
    },
    addOutput: (runId: string, text: string) => {
      const entry = entries.get(runId);
      if (!entry) return;
      entry.lastActivityAt = now();
      const lines = (entry.partialLine + text).split('\n');
      entry.partialLine = (lines.pop() ?? '').slice(-rawLineLimit);
      for (const line of lines) entry.raw.push(line.slice(0, rawLineLimit));
    },
    end: (runId: string) => {
      const entry = entries.get(runId);
      if (entry) entry.isOver = true;
    },
    of: (runId: string | undefined): LiveRun | null =>
      (runId === undefined ? undefined : entries.get(runId)) ?? null,
  };
}

/** The text of an agent's report; empty if it only changes a number. */
function utterances({runType, message}: Entry, news: AgentNews): readonly Utterance[] {
  switch (news.type) {
    case 'message':
      return renderMessage(news.text.slice(0, messageLimit), runType);
    case 'activity':
      return repeats(news.activity, message) ? [] : [news.activity];
    case 'retrying':
      return [{kind: 'notice', text: `retrying: ${news.failure.message}`}];
    case 'usage':
      return [];
  }
}

export type LiveRuns = ReturnType<typeof createLiveRuns>;
