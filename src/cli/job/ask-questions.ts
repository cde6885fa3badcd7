import {createActor, waitFor} from 'xstate';
import {type DraftedQuestions, draftedQuestions} from '../../machines/actors/draft-answers.actor.ts';
import type {Observer} from '../../machines/observe.ts';
import {isDraftTaskId} from '../../machines/policies/planning/draft-task.ts';
import {wordsAround} from '../../machines/policies/run/conversation.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {Answer, Question} from '../../services/contracts/run.ts';
import type {CliContext} from '../context.ts';
import {folded} from '../terminal/fold.ts';

/**
 * Asks each question in turn; null if the input ends before the last answer. `goOn`: the command to answer
 * them later.
 */
export async function askQuestions(
  {ask, err: print, stderr}: CliContext,
  questions: readonly Question[],
  asked: DraftedQuestions,
  inspect: Observer['inspect'],
  goOn: string,
): Promise<readonly Answer[] | null> {
  const actor = createActor(draftedQuestions(asked), {input: {questions}, inspect});
  actor.start();
  const err = (text: string) => print(folded(text, stderr.columns));
  const who = isDraftTaskId(asked.run.task_id) ? 'the planner' : displayLine(asked.run.task_id);
  const words = displayText(wordsAround(asked.run.result)).trimEnd();
  let shown: Question | null = null;
  const farewell = `Your answers are kept. Continue with: ${goOn}`;
  for (;;) {
    const {status, context, output} = await waitFor(
      actor,
      (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('actionRequired'),
    );
    if (output?.outcome === 'failed') throw output.error;
    if (status !== 'active') return output?.outcome === 'answered' ? output.answers : null;
    const question = questions[context.index];
    const earlier = context.answers[context.index] ?? '';
    if (question && question !== shown) {
      const which = questions.length === 1 ? 'asks' : `asks, ${context.index + 1} of ${questions.length}`;
      err(`? ${who} ${which}`);
      if (shown === null && words !== '') err(words);
      show(question, earlier, err);
    } else if (question) {
      err('An answer is needed. Ctrl+C leaves the question for later.');
    }
    shown = question ?? null;
    const typed = await ask(promptFor(question, earlier), {
      farewell,
      onType: (value) => actor.send({type: 'question.draft', value: value === '' ? earlier : value}),
      onLeave: async () => {
        actor.send({type: 'question.cancel'});
        const {output: left} = await waitFor(actor, ({status: now}) => now !== 'active');
        return left?.outcome === 'failed' ? messageOf(left.error) : null;
      },
    });
    actor.send(typed === null ? {type: 'question.cancel'} : {type: 'question.answer', value: typed});
  }
}

function show({prompt, options = []}: Question, earlier: string, err: CliContext['err']): void {
  err(displayText(prompt));
  for (const [index, option] of options.entries()) err(`  ${index + 1}) ${displayLine(option)}`);
  if (earlier !== '') err(`You answered: ${displayText(earlier)}`);
}

function promptFor(question: Question | undefined, earlier: string): string {
  const keep = earlier === '' ? '' : ' (Enter keeps yours)';
  return question?.options ? `Number or your own answer${keep}: ` : `Answer${keep}: `;
}
