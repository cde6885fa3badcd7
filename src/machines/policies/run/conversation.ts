import type {Activity, AgentEvent} from '../../../services/contracts/agent.ts';
import type {PauseReason, Question, RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {answersPlan} from '../planning/answers-plan.ts';
import {findVerdicts} from '../review/find-verdicts.ts';
import {askedQuestions} from './asked-questions.ts';
import {checkWords, isPassed} from './check-words.ts';
import {pausedWords} from './pause-words.ts';

/** `you` is the user; `mark` is an event in the life of the run, such as a pause. */
export type ConversationKind = Activity['kind'] | 'question' | 'option' | 'verdict' | 'you' | 'mark';

export type Utterance = {readonly kind: ConversationKind; readonly text: string};

/** One line of the conversation between user and agent; `at` is in milliseconds, null if unknown. */
export type ConversationLine = Utterance & {readonly at: number | null};

/** One line of the log; `line` is one that no provider could parse. */
export type LogEvent = {
  readonly at: number | null;
  readonly event: AgentEvent | {readonly type: 'line'; readonly text: string};
};

/** Renders an agent's message for people: questions and verdicts as text instead of JSON. */
export function renderMessage(text: string, runType: RunRecord['run_type']): Utterance[] {
  if (runType === 'review') {
    const verdict = verdictIn(text);
    if (verdict !== null) return verdict;
  }
  if (runType === 'plan' && answersPlan(text)) return [{kind: 'verdict', text: 'The planner has answered.'}];
  const questions = askedQuestions(text);
  return questions.length === 0
    ? words(text)
    : [...words(withoutQuestions(text)), ...questions.flatMap(questionLines)];
}

/** The prose around an agent's questions; empty if it only asked. */
export const wordsAround = (result: string | undefined): string =>
  renderMessage(result ?? '', 'execute')
    .flatMap(({kind, text}) => (kind === 'message' ? [text] : []))
    .join('\n');

/** Whether an activity repeats the start of the previous message. */
export const repeats = ({kind, text}: Activity, message: string): boolean =>
  kind === 'message' && message.trimStart().startsWith(text.replace(/ …$/, ''));

/** The whole conversation of a run, from its log and its record. */
export function conversationOf(run: RunRecord, events: readonly LogEvent[]): ConversationLine[] {
  const talks: ConversationLine[] = [];
  const sessions = events.filter(({event}) => event.type === 'session').length;
  // Only the end of a long log is read, so the last session in it belongs to the last segment.
  let segment = Math.max(0, run.segments.length - sessions) - 1;
  let startedAt: number | null = null;
  let asked: readonly Question[] = [];
  let message = '';
  const pauses = [...(run.pauses ?? [])];
  const checks = [...(run.verifications ?? [])];
  const say = (at: number | null, said: readonly Utterance[]) => {
    talks.push(...said.map((each) => ({...each, at})));
  };
  const sayChecks = (before: number) => {
    while (checks[0] && endOfCheck(checks[0]) <= before) {
      say(endOfCheck(checks[0]), checkTalk(checks[0]));
      checks.shift();
    }
  };
  const sayPauses = (before: number) => {
    while (pauses[0] && Date.parse(pauses[0].paused_at) <= before) {
      const {paused_at, pause_reason} = pauses[0];
      say(Date.parse(paused_at), [{kind: 'mark', text: `Ⅱ ${pausedWords(pause_reason)}`}]);
      pauses.shift();
    }
  };
  for (const {at, event} of events) {
    if (event.type === 'session') {
      segment++;
      startedAt = timeOf(run.segments[segment]?.started_at);
      if (segment > 0 && startedAt !== null) sayChecks(startedAt);
      if (segment > 0 && startedAt !== null) sayPauses(startedAt);
      say(startedAt, userMessages(run, segment, asked));
      asked = [];
    }
    if (event.type === 'activity' && repeats(event.activity, message)) continue;
    say(at ?? startedAt, agentMessages(event, run));
    if (event.type !== 'message') continue;
    message = event.text;
    asked = [...asked, ...askedQuestions(event.text)];
  }
  sayChecks(Number.POSITIVE_INFINITY);
  sayPauses(Number.POSITIVE_INFINITY);
  const isRejected = run.failure?.kind === 'rejected';
  if (!isRejected) say(endOfRun(run), ending(run, talks));
  for (const {decision_resolved_at, withdrawn_at, ...earlier} of run.decision_history ?? []) {
    say(timeOf(decision_resolved_at), decision(earlier));
    say(timeOf(withdrawn_at), [byYou('withdrew the approval')]);
  }
  if (isRejected) say(timeOf(run.decision_resolved_at), ending(run, talks));
  say(timeOf(run.decision_resolved_at), decision(run));
  for (const {task_id, dismissed_at} of run.parent_review_dismissed ?? []) {
    say(timeOf(dismissed_at), [byYou(`dismissed the feedback for ${task_id}`)]);
  }
  return talks;
}

/** What the user said to continue the run: answers, feedback, or nothing but the resume itself. */
export function resumeMessages(run: RunRecord): Utterance[] {
  const answers = run.stood?.state === 'waiting' ? (run.answers ?? []).slice(run.stood.answered ?? 0) : [];
  const said = [...answers.map(({value}) => value), ...(run.feedback === undefined ? [] : [run.feedback])];
  if (said.length > 0) return said.map(byYou);
  if (run.stood === undefined) return [];
  const before = run.segments.findLast(({ended_at}) => ended_at !== undefined);
  return [resumeMark(run.stood.pause_reason, isAnotherJob(before?.job_id, run.job_id))];
}

function userMessages(run: RunRecord, segment: number, asked: readonly Question[]): Utterance[] {
  const answers = asked.flatMap(({id, prompt}) => {
    const answer = run.answers?.findLast(
      (each) => !each.undelivered && each.id === id && (each.prompt ?? prompt) === prompt,
    );
    return answer ? [asked.length > 1 ? `${prompt} ${answer.value}` : answer.value] : [];
  });
  const isFeedbackHere = segment === (run.resumed_from_run_id ? 0 : run.segments.length - 1);
  const feedback = isFeedbackHere && run.feedback !== undefined ? [run.feedback] : [];
  const said = [...answers, ...feedback];
  if (said.length > 0 || segment === 0) return said.map(byYou);
  return isSentBack(run, segment)
    ? []
    : [resumeMark(pauseBefore(run, segment), isOfAnotherJob(run, segment))];
}

/**
 * A run that its provider held up continues by itself while the job waits. After an interruption, or in another job,
 * the user continued it.
 */
const resumeMark = (reason: PauseReason | undefined, isByHand: boolean): Utterance =>
  reason !== undefined && passing.has(reason) && !isByHand
    ? {kind: 'mark', text: '▶ Blackbird continues'}
    : byYou('go on');

const isOfAnotherJob = ({segments}: RunRecord, segment: number): boolean =>
  isAnotherJob(segments[segment - 1]?.job_id, segments[segment]?.job_id);

const isAnotherJob = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && now !== undefined && before !== now;

const passing: ReadonlySet<PauseReason> = new Set(['usage_limit', 'provider_unavailable', 'stalled']);

/** Why the run was paused before this segment. */
function pauseBefore({pauses = [], segments}: RunRecord, segment: number): PauseReason | undefined {
  const from = timeOf(segments[segment - 1]?.started_at) ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(segments[segment]?.started_at) ?? Number.POSITIVE_INFINITY;
  return pauses.findLast(({paused_at}) => {
    const at = Date.parse(paused_at);
    return at >= from && at <= to;
  })?.pause_reason;
}

/** Whether a failed check, and not the user, started this segment. */
function isSentBack({segments, verifications = []}: RunRecord, segment: number): boolean {
  const from = timeOf(segments[segment - 1]?.ended_at) ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(segments[segment]?.started_at) ?? Number.POSITIVE_INFINITY;
  return verifications.some((check) => {
    const at = endOfCheck(check);
    return !isPassed(check) && at >= from && at <= to;
  });
}

/** Accurate to a second, like the recorded start and duration. */
const endOfCheck = ({started_at, seconds}: Verification): number => Date.parse(started_at) + seconds * 1000;

const tailLines = 10;

/** How a check ended, with the end of its output if it failed. */
export function checkTalk(check: Verification): Utterance[] {
  if (isPassed(check)) return [{kind: 'mark', text: checkWords(check)}];
  const output = check.tail.trimEnd().split('\n').slice(-tailLines).join('\n');
  const failed: Utterance = {kind: 'notice', text: checkWords(check)};
  return output === '' ? [failed] : [failed, {kind: 'output', text: output}];
}

function agentMessages(event: LogEvent['event'], run: RunRecord): Utterance[] {
  switch (event.type) {
    case 'line':
      return [{kind: 'output', text: event.text}];
    case 'message':
      return renderMessage(event.text, run.run_type);
    case 'activity':
      return [event.activity];
    case 'retrying':
      return [{kind: 'notice', text: `retrying: ${event.failure.message}`}];
    default:
      return [];
  }
}

/** When the last agent or check ended. `updated_at` may be later, because records change after the end. */
function endOfRun({segments, verifications = [], updated_at}: RunRecord): number | null {
  const ended = timeOf(segments.at(-1)?.ended_at);
  const checked = verifications.map(endOfCheck);
  const times = [...(ended === null ? [] : [ended]), ...checked.slice(-1)];
  return times.length === 0 ? timeOf(updated_at) : Math.max(...times);
}

function ending(
  {state, failure, run_type, parent_review_passed: passed, pauses = []}: RunRecord,
  told: readonly ConversationLine[],
): Utterance[] {
  if (failure && state === 'paused' && pauses.length > 0) {
    // The pause already has a mark, and the agent may have given the reason itself.
    const isTold = told.some(({text}) => text.includes(failure.message));
    return isTold ? [] : [{kind: 'notice', text: failure.message}];
  }
  if (failure && state !== 'running') {
    return [{kind: 'notice', text: `${state} (${failure.kind}): ${failure.message}`}];
  }
  if (run_type === 'review' && state === 'succeeded' && passed === undefined) {
    return [{kind: 'notice', text: 'the review had no result'}];
  }
  return [];
}

const decisionWords = {
  pending: null,
  approved_continue: 'approved',
  approved_quit: 'approved, and stop',
  changes_requested: 'request changes',
  rejected: 'rejected',
} as const;

function decision({
  decision_state: state,
  decision_feedback: feedback = '',
}: Pick<RunRecord, 'decision_state' | 'decision_feedback'>): Utterance[] {
  const word = state && decisionWords[state];
  if (!word) return [];
  return [byYou(feedback.trim() === '' ? word : `${word}: ${feedback.trim()}`)];
}

const byYou = (text: string): Utterance => ({kind: 'you', text});

const words = (text: string): Utterance[] => {
  const said = text.trim();
  return said === '' ? [] : [{kind: 'message', text: said}];
};

const questionLines = ({prompt, options = []}: Question): Utterance[] => [
  {kind: 'question', text: prompt},
  ...options.map((option, index): Utterance => ({kind: 'option', text: `${index + 1} ${option}`})),
];

const isQuestionJson = /"blackbird"\s*:|ask_?user_?question/i;

/** The prose around the block with the questions. */
function withoutQuestions(text: string): string {
  const prose = text.replace(/```[^\n]*\n[\s\S]*?```/g, (block) => (isQuestionJson.test(block) ? '' : block));
  if (/^\s*[[{]/.test(prose) && isQuestionJson.test(prose)) return '';
  return prose
    .split('\n')
    .filter((line) => !(/^\s*[[{]/.test(line) && isQuestionJson.test(line)))
    .join('\n');
}

/** The reviewer's verdict as lines; null if the text contains none. */
function verdictIn(text: string): Utterance[] | null {
  const {verdicts} = findVerdicts(text);
  if (verdicts.length === 0) return null;
  const prose = text.slice(0, text.indexOf('{')).replace(/```[^\n]*\s*$/, '');
  return [...words(prose), ...verdicts.flatMap(verdictLines)];
}

function verdictLines(verdict: unknown): Utterance[] {
  const {passed, feedbackForResume, reviewResults} = verdict as Record<string, unknown>;
  const results = Array.isArray(reviewResults) ? reviewResults : [];
  const perTask = results.flatMap((result: unknown): Utterance[] => {
    const {taskId, status, feedback} = Object(result) as Record<string, unknown>;
    const said = typeof feedback === 'string' && feedback.trim() !== '' ? `: ${feedback.trim()}` : '';
    return [{kind: 'verdict', text: `${status === 'passed' ? '✓' : '↩'} ${String(taskId)}${said}`}];
  });
  return [
    {kind: 'verdict', text: passed === true ? '✓ passed' : '↩ not passed'},
    ...(typeof feedbackForResume === 'string' ? words(feedbackForResume) : []),
    ...perTask,
  ];
}

const timeOf = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
