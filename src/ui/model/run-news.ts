import type {AgentNews} from '../../machines/actors/agent.actor.ts';
import type {Usage} from '../../services/contracts/agent.ts';

/** One thing an agent did, and when. */
export type NewsLine = {readonly at: number; readonly kind: NewsKind; readonly text: string};

export type NewsKind = 'message' | 'command' | 'output' | 'edit' | 'read' | 'tool' | 'notice';

/** What changes with every line an agent prints: looked at when a frame is drawn, never subscribed to. */
export type Pulse = {startedAt: number; lastNewsAt: number; usage: Usage | null};

/** What a piece of news says in the live pane; null where it only changes a number. */
export function newsLine(news: AgentNews, at: number): NewsLine | null {
  switch (news.type) {
    case 'activity':
      return {at, ...news.activity};
    case 'retrying':
      return {at, kind: 'notice', text: `retrying: ${news.failure.message}`};
    case 'usage':
      return null;
  }
}
