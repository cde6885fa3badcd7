import type {AgentRequest} from '../../../services/contracts/agent.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Answer, Question, RunRecord} from '../../../services/contracts/run.ts';
import {answersPrompt, continuePrompt, feedbackPrompt} from './agent-prompt.ts';
import {checkPrompt} from './check-prompt.ts';
import {isUndelivered} from './task-runs.ts';

/** What the user answers or asks for. */
export type UserReply = {readonly answers: readonly Answer[]; readonly feedback: string | null};

/** A prompt for the agent's own session. */
type InSession = {readonly kind: 'resume'} & Pick<AgentRequest, 'prompt' | 'sessionRef'>;

/** Without a session the whole prompt is sent again, with all questions and answers. */
type Anew = {
  readonly kind: 'start';
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
};

/** Feedback given before a pause may never have reached the agent, so it is sent together with the new one. */
export function feedbackFor(run: RunRecord, feedback: string | null): {feedback?: string} {
  if (feedback === null) return {};
  const before = run.state === 'paused' ? run.feedback : undeliveredFeedback(run);
  return {feedback: before === undefined ? feedback : `${before}\n\n${feedback}`};
}

const undeliveredFeedback = ({feedback, feedback_undelivered}: RunRecord) =>
  feedback_undelivered ? feedback : undefined;

/** Answers sent along with feedback: those to open questions, and those a pause may have kept from the agent. */
function answersBeside({state, answers = []}: RunRecord, current: readonly Answer[]): readonly Answer[] {
  if (state === 'waiting') return current;
  return state === 'paused' ? answers : [];
}

const goOn =
  'Your last attempt at the task failed. Look at the current state of the files, then continue where it stopped.';

const rejected =
  'Your work on the task was rejected for the reason below. Look at the current state of the files, then fix it.';

/**
 * What a plain resume tells a run that failed: feedback that was not delivered, or to continue. Null for any other run.
 */
export function feedbackToFailed(latest: RunRecord | null): string | null {
  if (latest?.state !== 'failed') return null;
  if (isUndelivered(latest)) return latest.feedback ?? goOn;
  const {decision_state, decision_feedback: reason} = latest;
  return decision_state === 'rejected' && reason !== undefined ? `${rejected}\n\n${reason}` : goOn;
}

/** Answers that never reached the agent still count, unless the question is answered again. */
export function answersFor({answers = []}: RunRecord, given: readonly Answer[]): readonly Answer[] {
  const kept = answers.filter(({undelivered, id}) => undelivered && !given.some((each) => each.id === id));
  return [...kept.map(({undelivered: _, ...answer}) => answer), ...given];
}

/** The question is not open. A run that was paused or lost after an answer keeps it, and a plain resume delivers it. */
export function unaskedAnswer({id}: Answer, run: RunRecord | null): AppError {
  const isKept = run?.state === 'paused' || run?.state === 'running';
  const kept = isKept ? run.answers?.findLast((answer) => answer.id === id) : undefined;
  if (run === null || kept === undefined) {
    const asked = run?.state === 'waiting' ? (run.questions ?? []) : [];
    const why =
      asked.length === 0
        ? 'nothing is asked'
        : `it asks ${asked.map((each) => JSON.stringify(each.id)).join(', ')}`;
    return new AppError('E_USAGE', `no question is called ${JSON.stringify(id)}: ${why}`, {
      next: run === null ? [] : [asked.length === 0 ? howItStands(run) : answering(run.task_id, asked)],
    });
  }
  const words = `${JSON.stringify(id)} is answered already, with ${JSON.stringify(kept.value)}`;
  const next = {command: `blackbird resume ${shellWord(run.task_id)}`, why: 'continue with this answer'};
  return new AppError('E_USAGE', words, {next: [next]});
}

const howItStands = ({task_id}: RunRecord) => ({
  command: `blackbird show ${shellWord(task_id)}`,
  why: 'see its state',
});

const answering = (taskId: string, asked: readonly Question[]) => ({
  command: `blackbird resume ${shellWord(taskId)} ${asked.map(({id}) => `--answer ${shellWord(`${id}=…`)}`).join(' ')}`,
});

/** How a run continues: with feedback, or where it was interrupted, or with answers to all its questions. */
export function resumeRequestFor(
  run: RunRecord,
  said: UserReply,
  files: readonly string[],
): InSession | Anew {
  const {state, provider_session_ref: sessionRef, questions = []} = run;
  const earlier = run.answers?.filter(({undelivered}) => !undelivered) ?? [];
  const answers = answersFor(run, said.answers);
  // The agent may not know about the check that failed last either.
  const failed = isCheckTold(run) ? [checkPrompt(run)].filter((text) => text !== '') : [];
  const inSession = (prompt: string): InSession => ({
    kind: 'resume',
    sessionRef,
    prompt: [prompt, ...failed].join('\n\n'),
  });
  const {feedback} = feedbackFor(run, said.feedback);
  if (feedback !== undefined)
    return inSession(feedbackPrompt(feedback, files, questions, answersBeside(run, answers)));
  if (state === 'paused') return inSession(continuePrompt(questions, earlier, run.feedback));
  requireAnswers(run.task_id, questions, answers);
  if (sessionRef !== '') return inSession(answersPrompt(questions, answers, undeliveredFeedback(run)));
  // Ids repeat from round to round, so earlier questions get their position as a prefix.
  const before = earlier.map(({id, value, prompt = id}, place) => ({id: `${place} ${id}`, value, prompt}));
  return {kind: 'start', questions: [...before, ...questions], answers: [...before, ...answers]};
}

/** An agent that asked its questions afterwards knows about the failed check. */
const isCheckTold = ({state, failure}: RunRecord): boolean =>
  state === 'paused' || failure?.kind === 'verification';

function requireAnswers(taskId: string, questions: readonly Question[], answers: readonly Answer[]): void {
  const missing = questions.filter(
    ({id}) => !answers.some((answer) => answer.id === id && answer.value.trim() !== ''),
  );
  if (missing.length === 0) return;
  throw new AppError('E_NO_INPUT', `${taskId} waits for answers: ${missing.map(({id}) => id).join(', ')}`, {
    details: missing.map(({id, prompt, options: choices}) => [
      id,
      choices ? `${prompt} (${choices.join(' | ')})` : prompt,
    ]),
    next: [answering(taskId, missing)],
  });
}
