import {settings} from '../../../services/contracts/config.ts';
import {shellWord} from '../../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {Reviewed, UndecidedParent} from '../review/review-steps.ts';
import {failureTable, isByProvider, stepLines} from '../run/failure-table.ts';
import {displayLine} from '../text/display-text.ts';

const feedbackWidth = 200;

/** What parent reviews sent back, and what to do about it. */
export function sentBackLines(pending: readonly PendingFeedback[]): string[] {
  const byParent = new Map<string, PendingFeedback[]>();
  for (const each of pending) {
    byParent.set(each.parentTaskId, [...(byParent.get(each.parentTaskId) ?? []), each]);
  }
  const lines = [...byParent].flatMap(([parentId, entries]) => [
    `parent review failed for ${displayLine(parentId)}`,
    `resume tasks: ${entries.map(({childTaskId}) => displayLine(childTaskId)).join(', ')}`,
    ...feedbackLines(entries),
    ...entries.map(({childTaskId}) => `next step: blackbird resume ${displayLine(shellWord(childTaskId))}`),
  ]);
  return [...lines, 'all of it, and how to overrule it: blackbird feedback list'];
}

/** Why a parent is not reviewed again by itself. */
export const undecidedText = ({parentId, cycles}: UndecidedParent): string =>
  `${displayLine(parentId)} needs your decision: its reviews sent tasks back ${cycles === 1 ? 'once' : `${cycles} times`}`;

const {max} = settings['execution.maxReviewCycles'];

export function undecidedLines(parent: UndecidedParent): string[] {
  const {parentId, cycles} = parent;
  const id = displayLine(shellWord(parentId));
  const more =
    cycles < max
      ? [
          `  or: blackbird config set execution.maxReviewCycles ${cycles + 1}, then blackbird execute (one more review)`,
        ]
      : [];
  return [
    `${undecidedText(parent)}, as often as execution.maxReviewCycles allows`,
    `see what they said: blackbird runs ${id} --verbose`,
    `next step: blackbird set-status ${id} done (the work is accepted as it is)`,
    ...more,
  ];
}

function feedbackLines(entries: readonly PendingFeedback[]): string[] {
  const texts = new Set(entries.map(({feedback}) => feedback));
  const [only = ''] = texts;
  if (texts.size === 1) return [`feedback: ${shortened(only)}`];
  return entries.map(
    ({childTaskId, feedback}) => `feedback for ${displayLine(childTaskId)}: ${shortened(feedback)}`,
  );
}

function shortened(text: string): string {
  const characters = [...displayLine(text.replaceAll(/\s+/g, ' ').trim())];
  if (characters.length <= feedbackWidth) return characters.join('');
  return `${characters.slice(0, feedbackWidth - 3).join('')}...`;
}

/** Reviews without a verdict, which are repeated. */
export function brokenReviewLines(reviews: readonly Reviewed[]): string[] {
  const broken = reviews.filter(({verdict}) => verdict === 'broken');
  if (broken.length === 0) return [];
  return [
    `not reviewed: ${broken.map(({parentId}) => displayLine(parentId)).join(', ')}`,
    ...broken.flatMap(providerLines),
    'next step: blackbird execute (reviews again; "blackbird config set execution.parentReviewEnabled false" turns reviews off)',
  ];
}

function providerLines({failure, next = []}: Reviewed): string[] {
  if (failure === undefined || !isByProvider({failure})) return [];
  const {words} = failureTable[failure.kind];
  return [`${words}; the plan stopped, because other tasks would hit the same problem`, ...stepLines(next)];
}
