import type {AgentRequest} from '../../../services/contracts/agent.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Answer, Question, RunRecord} from '../../../services/contracts/run.ts';
import {answersPrompt, continuePrompt, feedbackPrompt} from './agent-prompt.ts';
import {checkPrompt} from './check-prompt.ts';
import {isUndelivered} from './task-runs.ts';

export type Said = {readonly answers: readonly Answer[]; readonly feedback: string | null};

/** What an agent is told in its own session. */
type InSession = {readonly kind: 'resume'} & Pick<AgentRequest, 'prompt' | 'sessionRef'>;

/** Without a session everything is said again, with what was asked and answered. */
type Anew = {
  readonly kind: 'start';
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
};

/** What was said before a pause may never have been heard, so it is said with what is new. */
export function feedbackFor(run: RunRecord, feedback: string | null): {feedback?: string} {
  if (feedback === null) return {};
  const before = run.state === 'paused' ? run.feedback : undeliveredFeedback(run);
  return {feedback: before === undefined ? feedback : `${before}\n\n${feedback}`};
}

const undeliveredFeedback = ({feedback, feedback_undelivered}: RunRecord) =>
  feedback_undelivered ? feedback : undefined;

/** Answers that go with feedback: those to open questions, and those that a pause may have kept from the agent. */
function answersBeside({state, answers = []}: RunRecord, current: readonly Answer[]): readonly Answer[] {
  if (state === 'waiting') return current;
  return state === 'paused' ? answers : [];
}

const goOn =
  'Your last attempt at the task failed. Look at the current state of the files, then continue where it stopped.';

const rejected =
  'Your work on the task was rejected for the reason below. Look at the current state of the files, then fix it.';

/** What a run that failed is told by a bare resume: what nobody heard, else to go on. Null for any other run. */
export function feedbackToFailed(latest: RunRecord | null): string | null {
  if (latest?.state !== 'failed') return null;
  if (isUndelivered(latest)) return latest.feedback ?? goOn;
  const {decision_state, decision_feedback: reason} = latest;
  return decision_state === 'rejected' && reason !== undefined ? `${rejected}\n\n${reason}` : goOn;
}

/** What was answered before and never reached the agent counts, unless it is answered anew. */
export function answersFor({answers = []}: RunRecord, given: readonly Answer[]): readonly Answer[] {
  const kept = answers.filter(({undelivered, id}) => undelivered && !given.some((each) => each.id === id));
  return [...kept.map(({undelivered: _, ...answer}) => answer), ...given];
}

/** Nobody asks that. What a run was answered before it was paused or lost goes with a resume that says nothing. */
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

/** How a run goes on: with feedback, else where it was interrupted, else with answers to all it asked. */
export function sayingFor(run: RunRecord, said: Said, files: readonly string[]): InSession | Anew {
  const {state, provider_session_ref: sessionRef, questions = []} = run;
  const earlier = run.answers?.filter(({undelivered}) => !undelivered) ?? [];
  const answers = answersFor(run, said.answers);
  // The check that failed last may never have been heard of either.
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
  // Rounds number their questions alike, so those of earlier ones are told apart by their place.
  const before = earlier.map(({id, value, prompt = id}, place) => ({id: `${place} ${id}`, value, prompt}));
  return {kind: 'start', questions: [...before, ...questions], answers: [...before, ...answers]};
}

/** An agent that waits for answers has heard of it. */
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
