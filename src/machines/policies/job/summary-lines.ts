import {shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {choicesAt} from '../review/checkpoint-choices.ts';
import {checkOutputCommand} from '../run/check-words.ts';
import {canGoOnHere} from '../run/run-options.ts';
import type {Attempted} from '../run/task-outcome.ts';
import {displayLine} from '../text/display-text.ts';

/** The exact wording of the specification. */
export function pausedLines(taskId: string, {resumable}: Pick<Attempted, 'resumable'>): string[] {
  const restart = `Restart with: ${commandFor('restart', taskId)}`;
  if (resumable) return [`Paused. Resume with: ${commandFor('resume', taskId)}`, `        ${restart}`];
  return [`Paused. The agent has no session to continue, so it cannot be resumed.`, `        ${restart}`];
}

export function questionLines({taskId, questions = []}: Attempted): string[] {
  return [
    ...questions.map(
      ({id: question, prompt, options}) =>
        `  ${displayLine(question)}: ${displayLine(prompt)}${options ? ` (${options.map(displayLine).join(' | ')})` : ''}`,
    ),
    `Answer with: ${commandFor('resume', taskId)}`,
  ];
}

const unseen = 'What it changed was not recorded: look at the files themselves.';

/** The commands for a user who was not there to be asked. */
export function decisionLines(
  taskId: string,
  run: Pick<Attempted, 'state' | 'resumable' | 'isUnrecorded'>,
): string[] {
  const review = commandFor('review', taskId);
  const choices = choicesAt(run).filter(({id}) => id !== 'requestChanges' || run.resumable);
  return [
    `${displayLine(taskId)} waits for your decision. ${run.isUnrecorded ? unseen : `See it with: ${commandFor('diff', taskId)}`}`,
    // Alone it shows the change and asks.
    `Decide with: ${review}`,
    ...choices.map(({option}) => `             ${review} ${option}`),
  ];
}

/** If there is a session, continuing it comes first. */
export function failureLines(failed: readonly Attempted[]): string[] {
  if (failed.length === 0) return [];
  return [
    `failed: ${failed.map(({taskId}) => displayLine(taskId)).join(', ')}`,
    ...failed.flatMap(({taskId, resumable, decision_state, failedCheck, isUnrecorded}) => [
      ...(failedCheck ? failedCheckLines(taskId, failedCheck) : []),
      ...(resumable ? [`Continue in its session with: ${commandFor('resume', taskId)}`] : []),
      `Start it again with: ${commandFor('retry', taskId)}, then blackbird execute`,
      ...(decision_state === 'rejected' && !isUnrecorded
        ? [`Take its changes out of the files with: ${commandFor('undo', taskId)}`]
        : []),
    ]),
  ];
}

const failedCheckLines = (taskId: string, {words, tail}: NonNullable<Attempted['failedCheck']>): string[] => [
  ...(tail.length === 0 ? [] : [`${displayLine(taskId)}  ${words}`, ...tail.map((line) => `    ${line}`)]),
  `See the whole output of its check with: ${displayLine(checkOutputCommand(taskId))}`,
];

/** How to continue a paused run: in its session, if it has one. */
export const continueCommand = (run: RunRecord) =>
  commandFor(canGoOnHere(run) ? 'resume' : 'restart', run.task_id);

export const commandFor = (verb: string, taskId: string) =>
  `blackbird ${verb} ${displayLine(shellWord(taskId))}`;
