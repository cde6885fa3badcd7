import {createActor} from 'xstate';
import type {Observer} from '../../machines/observe.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {questionsMachine} from '../../machines/questions.machine.ts';
import type {Answer, Question} from '../../services/contracts/run.ts';
import type {CliContext} from '../context.ts';

/** Asks each question in turn; null when the input ends before the last answer. */
export async function askQuestions(
  {ask, err}: CliContext,
  questions: readonly Question[],
  inspect: Observer['inspect'],
): Promise<readonly Answer[] | null> {
  const actor = createActor(questionsMachine, {input: {questions}, inspect});
  actor.start();
  let shown: Question | null = null;
  for (;;) {
    const {status, context, output} = actor.getSnapshot();
    if (status !== 'active') return output && 'answers' in output ? output.answers : null;
    const question = questions[context.index];
    if (question && question !== shown) show(question, err);
    shown = question ?? null;
    const typed = await ask(question?.options ? 'Number or your own answer: ' : 'Answer: ');
    actor.send(typed === null ? {type: 'question.cancel'} : {type: 'question.answer', value: typed});
  }
}

function show({prompt, options = []}: Question, err: CliContext['err']): void {
  err(displayText(prompt));
  for (const [index, option] of options.entries()) err(`  ${index + 1}) ${displayLine(option)}`);
}
