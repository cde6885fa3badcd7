import type {AgentNews} from '../../machines/actors/agent.actor.ts';

/** One thing an agent did, and when. */
export type ActivityLine = {readonly at: number; readonly kind: ActivityKind; readonly text: string};

export type ActivityKind = 'message' | 'command' | 'output' | 'edit' | 'read' | 'tool' | 'notice';

/** How a report of an agent reads in the live pane; null where it only changes a number. */
export function activityLine(news: AgentNews, at: number): ActivityLine | null {
  switch (news.type) {
    case 'activity':
      return {at, ...news.activity};
    case 'retrying':
      return {at, kind: 'notice', text: `retrying: ${news.failure.message}`};
    case 'usage':
      return null;
  }
}
