import {fromPromise} from 'xstate';
import type {DraftStore, DraftText} from '../../services/contracts/draft.ts';
import type {Answer, Question, RunRecord} from '../../services/contracts/run.ts';
import {type QuestionsInput, questionsMachine} from '../questions.machine.ts';

export type DraftedQuestions = {
  readonly drafts: DraftStore;
  readonly run: Pick<RunRecord, 'task_id' | 'run_id' | 'questions' | 'answers' | 'result'>;
  /** Answered by other means and not asked; kept with the rest. */
  readonly given?: readonly Answer[];
  readonly now: () => string;
};

/** The questions of a run; every answer is kept as a draft until it is delivered. */
export function draftedQuestions({drafts, run, given = [], now}: DraftedQuestions) {
  const key = {kind: 'answers', taskId: run.task_id, runId: run.run_id} as const;
  return questionsMachine.provide({
    actors: {
      recallAnswers: fromPromise<readonly string[], QuestionsInput>(async ({input}) => {
        const texts = [...((await drafts.read(key))?.texts ?? []), ...undeliveredAnswers(run)];
        return input.questions.map((question) => earlierAnswer(texts, question));
      }),
      saveAnswers: fromPromise<void, QuestionsInput & {readonly answers: readonly string[]}>(
        async ({input: {questions, answers}}) => {
          const asked = [...(run.questions ?? []), ...questions];
          const others = (await drafts.read(key))?.texts.filter(
            (text) => !asked.some(({id, prompt}) => text.id === id && text.prompt === prompt),
          );
          const texts = [
            ...(others ?? []),
            ...textsOf(run.questions ?? [], (id) => given.find((each) => each.id === id)?.value ?? ''),
            ...textsOf(questions, (_, place) => answers[place] ?? ''),
          ];
          if (texts.length === 0) await drafts.remove(key.kind, key.taskId);
          else await drafts.save({schemaVersion: 1, ...key, texts, updatedAt: now()});
        },
      ),
    },
  });
}

/** Ids repeat from round to round, so the question's text must match too. */
function earlierAnswer(texts: readonly DraftText[], {id, prompt}: Question): string {
  return texts.find((each) => each.id === id && each.prompt === prompt)?.text ?? '';
}

/** Recorded with a resume that failed: the agent never received them. */
function undeliveredAnswers({answers = []}: DraftedQuestions['run']): DraftText[] {
  return answers.flatMap(({id, prompt = '', value, undelivered}) =>
    undelivered ? [{id, prompt, text: value}] : [],
  );
}

function textsOf(
  questions: readonly Question[],
  textFor: (id: string, place: number) => string,
): DraftText[] {
  return questions
    .map(({id, prompt}, place) => ({id, prompt, text: textFor(id, place)}))
    .filter(({text}) => text !== '');
}
