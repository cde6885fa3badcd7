import {activityLines} from '../../machines/policies/run/transcript-lines.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {AgentEvent} from '../../services/contracts/agent.ts';

/** A line as text for people. A line that no provider understands is shown as is. */
export function readable(events: readonly AgentEvent[], line: string): string[] {
  if (events.length === 0) return line.trimStart().startsWith('{') ? [] : [displayLine(line)];
  return events.flatMap((event) => {
    if (event.type === 'message') return displayText(event.text).trimEnd().split('\n');
    if (event.type === 'activity' && event.activity.kind !== 'message') return activityLines(event.activity);
    if (event.type === 'retrying') return [`  retrying: ${displayLine(event.failure.message)}`];
    return [];
  });
}
