import type {Activity} from '../../../services/contracts/agent.ts';
import {counted} from '../text/counted.ts';
import {displayLine, displayText} from '../text/display-text.ts';
import type {ConversationLine} from './conversation.ts';

/** The agent's activity, indented below its messages; truncation is marked. */
export const activityLines = ({text, above = 0}: Pick<Activity, 'text' | 'above'>): string[] => [
  ...(above > 0 ? [`  … ${counted(above, 'line')} above (logs --raw)`] : []),
  `  ${displayLine(text)}`,
];

/** A conversation for a terminal or a pipe: the agent's messages as they are, everything else with a sign in front. */
export function transcriptLines(talks: ReadonlyArray<ConversationLine & Pick<Activity, 'above'>>): string[] {
  return talks.flatMap((talk) => {
    const [first = '', ...others] = displayText(talk.text).trimEnd().split('\n');
    const below = (sign: string) => [`${sign}${first}`, ...others.map((line) => `    ${line}`)];
    switch (talk.kind) {
      case 'message':
      case 'verdict':
        return [first, ...others];
      case 'you':
        return below('> you: ');
      case 'question':
        return below('? ');
      case 'option':
        return below('    ');
      case 'mark':
        return below('- ');
      case 'notice':
        return below('! ');
      case 'output':
        return others.length === 0 ? activityLines(talk) : below('  ');
      default:
        return activityLines(talk);
    }
  });
}
