import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {Answer, Question} from '../../../services/contracts/run.ts';
import type {ChangedField} from './told-task.ts';

/** What a finished dependency left for those who build on it. */
export type Delivered = {
  readonly id: string;
  readonly title: string;
  readonly result: string;
  readonly files: readonly string[];
};

/** A text about the project, from the first of the files that has one. */
export type Snapshot = {readonly file: string; readonly text: string};

const snapshotLimit = 12_000;
const resultLimit = 1_500;

/** Everything the agent is told when a task begins. */
export function taskPrompt({
  task,
  delivered,
  snapshot,
  rejections = [],
}: {
  task: Task;
  delivered: readonly Delivered[];
  snapshot: Snapshot | null;
  /** Why earlier attempts were rejected. */
  rejections?: readonly string[];
}): string {
  return sections([
    ['Task', `${task.id}: ${task.title}`],
    ['What to do', task.prompt ?? ''],
    ['Description', task.description ?? ''],
    ['Acceptance criteria', task.acceptanceCriteria.map((criterion) => `- ${criterion}`).join('\n')],
    ['Rejected before', rejectedText(rejections)],
    ['Already done by the tasks this one depends on', delivered.map(deliveredText).join('\n')],
    [`About the project (${snapshot?.file ?? ''})`, bounded(snapshot?.text ?? '', snapshotLimit)],
    ['Rules', rules],
  ]);
}

/**
 * Sent into the agent's own session after a pause; the session knows everything else. Only answers and
 * feedback are said again: it may have been stopped before it heard them.
 */
export function continuePrompt(
  questions: readonly Question[] = [],
  answers: readonly Answer[] = [],
  feedback = '',
): string {
  const text =
    'You were interrupted. Look at the state of the files, then go on with the task where you stopped.';
  const again = sections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
  ]);
  return again === '' ? text : `${text}\n\n${again}`;
}

/** Sent into the agent's own session before anything else, when its task was changed since it heard of it. */
export function changesPrompt(changes: readonly ChangedField[], prompt: string): string {
  if (changes.length === 0) return prompt;
  const changed = changes.map(({heading, text}) => `## ${heading}\n${text.trim() || '(nothing any more)'}`);
  const body = ['This replaces what you were told of it before; the rest stands.', ...changed].join('\n\n');
  return `${sections([['The task was changed', body]])}\n\n${prompt}`;
}

/** Sent into the agent's own session to send it back to work, with the answers it may not have heard. */
export function feedbackPrompt(
  feedback: string,
  files: readonly string[],
  questions: readonly Question[] = [],
  answers: readonly Answer[] = [],
): string {
  return sections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
    ['Files you changed', files.map((file) => `- ${file}`).join('\n')],
    ['Rules', rules],
  ]);
}

/** Answers for a session that asked, with the feedback that never reached it. */
export function answersPrompt(
  questions: readonly Question[],
  answers: readonly Answer[],
  feedback = '',
): string {
  return sections([
    ['Answers to your questions', answerTexts(questions, answers)],
    ['Requested changes', feedback],
    ['Next', 'Go on with the task with these answers.'],
  ]);
}

/** For a task that asked and left no session: everything again, with what was answered. */
export function relaunchPrompt(
  prompt: string,
  questions: readonly Question[],
  answers: readonly Answer[],
): string {
  return `${prompt}\n\n${answersPrompt(questions, answers)}`;
}

/** For a task that begins anew, with what was said to the run before and never reached its agent. */
export function unheardPrompt(
  prompt: string,
  feedback: string,
  questions: readonly Question[],
  answers: readonly Answer[],
): string {
  const said = sections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
  ]);
  return `${prompt}\n\n${said}`;
}

/** For a task whose agent failed before: everything again, with what is known of the failure. */
export function retryPrompt(
  prompt: string,
  {failure, result}: {readonly failure: string; readonly result: string},
): string {
  const failed = sections([
    [
      'An earlier attempt failed',
      `${bounded(failure, resultLimit)}\nWhat it changed in the files is still there: look at it before you go on.`,
    ],
    ['Its last words', bounded(result, resultLimit)],
  ]);
  return `${prompt}\n\n${failed}`;
}

/** The dependencies of a task that are done, nearest knowledge first. */
export function finishedDeps(plan: Plan, task: Task): Task[] {
  return task.deps.flatMap((dep) => {
    const found = plan.items.get(dep);
    return found?.status === 'done' ? [found] : [];
  });
}

/** Shows the form in every prompt. Said back word for word, it is a quotation. */
export const exampleQuestion: Question = {
  id: 'short-id',
  prompt: 'your question',
  options: ['optional', 'choices'],
};

const rules = [
  '- You may edit files and run non-destructive commands in this repository without asking.',
  '- Stay inside this task. Other tasks of the plan are done by others.',
  '- Never touch the plan file or the .blackbird folder.',
  '- Verify your work before you finish, and end with a short summary of what you did.',
  '- If you cannot go on without a decision of the user, end your turn with exactly one fenced json block:',
  '```json',
  JSON.stringify({blackbird: {questions: [exampleQuestion]}}),
  '```',
].join('\n');

function sections(parts: ReadonlyArray<readonly [title: string, body: string]>): string {
  return parts
    .flatMap(([title, body]) => (body.trim() === '' ? [] : [`# ${title}\n${body.trim()}`]))
    .join('\n\n');
}

function rejectedText(rejections: readonly string[]): string {
  if (rejections.length === 0) return '';
  const reasons = rejections.map((reason) => `- ${reason.trim().replaceAll('\n', '\n  ')}`);
  const intro =
    'A reviewer rejected earlier work on this task, for the reasons below. What it left in the files may still be there.';
  return [intro, ...reasons].join('\n');
}

function deliveredText({id, title, result, files}: Delivered): string {
  const changed = files.length === 0 ? '' : `\n  files: ${files.join(', ')}`;
  const said =
    result.trim() === '' ? '' : `\n  ${bounded(result.trim(), resultLimit).replaceAll('\n', '\n  ')}`;
  return `- ${id}: ${title}${said}${changed}`;
}

/** Only what was answered. Rounds number their questions alike, so the question has to be the same. */
function answeredTexts(questions: readonly Question[], answers: readonly Answer[]): string {
  const isTo = (question: Question, {id, prompt = question.prompt}: Answer) =>
    id === question.id && prompt === question.prompt;
  const answered = questions.filter((question) => answers.some((answer) => isTo(question, answer)));
  return answerTexts(answered, answers);
}

/** A question that was asked twice has the later answer. */
function answerTexts(questions: readonly Question[], answers: readonly Answer[]): string {
  return questions
    .map(({id, prompt}) => {
      const answer = answers.findLast((each) => each.id === id)?.value ?? '';
      return `- ${prompt}\n  ${answer.replaceAll('\n', '\n  ')}`;
    })
    .join('\n');
}

function bounded(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit).trimEnd()}\n[… cut, ${text.length - limit} more characters]`;
}
