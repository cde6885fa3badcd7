import type {CommitOutcome, CommitRequest} from '../../../services/contracts/commit.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import {displayLine, displayText} from '../text/display-text.ts';

/** Most tools truncate longer subjects. */
const maxSubject = 72;

const runTrailer = 'Blackbird-Run';

/**
 * Builds the commit for a task. The trailers are a separate paragraph, so that no line of the description can pass for
 * one.
 */
export function commitRequest(
  {id, title, description = ''}: Pick<Task, 'id' | 'title' | 'description'>,
  runId: string,
): CommitRequest {
  const trailers = `Blackbird-Task: ${displayLine(id)}\n${runTrailer}: ${runId}`;
  const body = displayText(description).trim();
  const paragraphs = [subjectOf(title, id), ...(body === '' ? [] : [body]), trailers];
  return {message: `${paragraphs.join('\n\n')}\n`, mark: {trailer: runTrailer, value: runId}};
}

function subjectOf(title: string, id: string): string {
  const line = displayLine(title).trim() || displayLine(id);
  const letters = [...line];
  return letters.length <= maxSubject
    ? line
    : `${letters
        .slice(0, maxSubject - 1)
        .join('')
        .trimEnd()}…`;
}

/** For the last line of a task: `committed 3f2a9c1`. */
export function commitWords({sha, branch, skipped}: CommitOutcome): string {
  if (sha === undefined) return `not committed: ${displayLine(skipped ?? '')}`;
  const short = sha.slice(0, 7);
  if (branch !== undefined) return `committed ${short}`;
  return `committed ${short}, on no branch (git branch <name> ${short} keeps it)`;
}
