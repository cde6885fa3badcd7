import type {AgentNews} from '../machines/actors/agent.actor.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {createLiveLog, type LiveLog} from './live-log.ts';
import {type ActivityLine, activityLine} from './model/run-activity.ts';

/** Longer lines of raw output are cut; a screen shows less. */
const rawLineLimit = 2_000;

/** What is known of a run of this process beyond its record. Read when a frame is drawn; only the logs can be subscribed to. */
export type LiveRun = {
  readonly activity: LiveLog<ActivityLine>;
  /** Both streams as they came. */
  readonly raw: LiveLog<string>;
  readonly lastActivityAt: number;
  readonly usage: RunRecord['usage'] | null;
};

type Entry = {-readonly [Key in keyof LiveRun]: LiveRun[Key]} & {partialLine: string; isOver: boolean};

/** The live logs of the runs that this process works on, by run id. */
export function createLiveRuns(now: () => number) {
  const entries = new Map<string, Entry>();

  return {
    /** The log of a run that ended is kept until another begins: by then its file was read. */
    begin: (run: RunRecord) => {
      for (const [runId, {isOver}] of entries) if (isOver) entries.delete(runId);
      entries.set(run.run_id, {
        activity: createLiveLog(),
        raw: createLiveLog(),
        lastActivityAt: now(),
        usage: run.usage ?? null,
        partialLine: '',
        isOver: false,
      });
    },
    addNews: (runId: string, news: AgentNews) => {
      const entry = entries.get(runId);
      if (!entry) return;
      entry.lastActivityAt = now();
      if (news.type === 'usage') entry.usage = news.usage;
      const line = activityLine(news, entry.lastActivityAt);
      if (line) entry.activity.push(line);
    },
    addOutput: (runId: string, text: string) => {
      const entry = entries.get(runId);
      if (!entry) return;
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

export type LiveRuns = ReturnType<typeof createLiveRuns>;
