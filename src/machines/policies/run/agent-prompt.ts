import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {Answer, Question} from '../../../services/contracts/run.ts';
import {cutForPrompt, promptSections} from '../text/prompt-sections.ts';
import type {ChangedField} from './task-digest.ts';

/** The result of a finished dependency, for the tasks that build on it. */
export type Delivered = {
  readonly id: string;
  readonly title: string;
  readonly result: string;
  readonly files: readonly string[];
};

/** A text about the project, from the first candidate file that has any. */
export type Snapshot = {readonly file: string; readonly text: string};

const snapshotLimit = 12_000;
const resultLimit = 1_500;

/** The prompt that starts a task. */
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
  return promptSections([
    ['Task', `${task.id}: ${task.title}`],
    ['What to do', task.prompt ?? ''],
    ['Description', task.description ?? ''],
    ['Acceptance criteria', task.acceptanceCriteria.map((criterion) => `- ${criterion}`).join('\n')],
    ['Rejected before', rejectedText(rejections)],
    ['Results of the tasks this one depends on', delivered.map(deliveredText).join('\n')],
    [`About the project (${snapshot?.file ?? ''})`, cutForPrompt(snapshot?.text ?? '', snapshotLimit)],
    ['Rules', rules],
  ]);
}

/**
 * Sent into the agent's own session after a pause. The session has the rest; only answers and feedback are
 * repeated, because the agent may have been stopped before it read them.
 */
export function continuePrompt(
  questions: readonly Question[] = [],
  answers: readonly Answer[] = [],
  feedback = '',
): string {
  const text =
    'You were interrupted. Look at the current state of the files, then continue the task where you left off.';
  const again = promptSections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
  ]);
  return again === '' ? text : `${text}\n\n${again}`;
}

/** Goes first in the agent's own session if its task was edited since the agent last read it. */
export function changesPrompt(changes: readonly ChangedField[], prompt: string): string {
  if (changes.length === 0) return prompt;
  const changed = changes.map(({heading, text}) => `## ${heading}\n${text.trim() || '(removed)'}`);
  const body = ['The following replaces the earlier text. Everything else is unchanged.', ...changed].join(
    '\n\n',
  );
  return `${promptSections([['The task was changed', body]])}\n\n${prompt}`;
}

/** Sends the agent back to work in its own session, with answers it may not have received. */
export function feedbackPrompt(
  feedback: string,
  files: readonly string[],
  questions: readonly Question[] = [],
  answers: readonly Answer[] = [],
): string {
  return promptSections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
    ['Files you changed', files.map((file) => `- ${file}`).join('\n')],
    ['Rules', rules],
  ]);
}

/** Answers the questions of a session, with feedback that never reached it. */
export function answersPrompt(
  questions: readonly Question[],
  answers: readonly Answer[],
  feedback = '',
): string {
  return promptSections([
    ['Answers to your questions', answerTexts(questions, answers)],
    ['Requested changes', feedback],
    ['Next', 'Continue the task with these answers.'],
  ]);
}

/** For a task that asked questions and has no session to resume: the whole prompt again, with the answers. */
export function relaunchPrompt(
  prompt: string,
  questions: readonly Question[],
  answers: readonly Answer[],
): string {
  return `${prompt}\n\n${answersPrompt(questions, answers)}`;
}

/** For a task that starts over, with answers and feedback that never reached the previous run's agent. */
export function undeliveredPrompt(
  prompt: string,
  feedback: string,
  questions: readonly Question[],
  answers: readonly Answer[],
): string {
  const said = promptSections([
    ['Answers to your questions', answeredTexts(questions, answers)],
    ['Requested changes', feedback],
  ]);
  return `${prompt}\n\n${said}`;
}

/** For a task whose agent failed before: the whole prompt again, with what is known about the failure. */
export function retryPrompt(
  prompt: string,
  {failure, result}: {readonly failure: string; readonly result: string},
): string {
  const failed = promptSections([
    [
      'An earlier attempt failed',
      `${cutForPrompt(failure, resultLimit)}\nIts changes to the files are still there. Look at them before you continue.`,
    ],
    ['The last message of that attempt', cutForPrompt(result, resultLimit)],
  ]);
  return `${prompt}\n\n${failed}`;
}

/** The dependencies of a task that are done. */
export function finishedDeps(plan: Plan, task: Task): Task[] {
  return task.deps.flatMap((dep) => {
    const found = plan.items.get(dep);
    return found?.status === 'done' ? [found] : [];
  });
}

/** Shows the format in every prompt. An agent that repeats it verbatim is not asking anything. */
export const exampleQuestion: Question = {
  id: 'short-id',
  prompt: 'your question',
  options: ['optional', 'choices'],
};

const rules = [
  '- You may edit files and run non-destructive commands in this repository without asking.',
  '- Do only this task. Other agents do the other tasks of the plan.',
  '- Never touch the plan file or the .blackbird folder.',
  '- Verify your work before you finish, and end with a short summary of what you did.',
  '- If you cannot continue without a decision from the user, end your turn with exactly one fenced JSON block:',
  '```json',
  JSON.stringify({blackbird: {questions: [exampleQuestion]}}),
  '```',
].join('\n');

function rejectedText(rejections: readonly string[]): string {
  if (rejections.length === 0) return '';
  const reasons = rejections.map((reason) => `- ${reason.trim().replaceAll('\n', '\n  ')}`);
  const intro =
    'Earlier work on this task was rejected for the reasons below. Its changes may still be in the files.';
  return [intro, ...reasons].join('\n');
}

function deliveredText({id, title, result, files}: Delivered): string {
  const changed = files.length === 0 ? '' : `\n  files: ${files.join(', ')}`;
  const said =
    result.trim() === '' ? '' : `\n  ${cutForPrompt(result.trim(), resultLimit).replaceAll('\n', '\n  ')}`;
  return `- ${id}: ${title}${said}${changed}`;
}

/** Only questions that have an answer. Ids repeat from round to round, so the question's text must match too. */
function answeredTexts(questions: readonly Question[], answers: readonly Answer[]): string {
  const isTo = (question: Question, {id, prompt = question.prompt}: Answer) =>
    id === question.id && prompt === question.prompt;
  const answered = questions.filter((question) => answers.some((answer) => isTo(question, answer)));
  return answerTexts(answered, answers);
}

/** For a question that was asked twice, the later answer counts. */
function answerTexts(questions: readonly Question[], answers: readonly Answer[]): string {
  return questions
    .map(({id, prompt}) => {
      const answer = answers.findLast((each) => each.id === id)?.value ?? '';
      return `- ${prompt}\n  ${answer.replaceAll('\n', '\n  ')}`;
    })
    .join('\n');
}
