import {displayLine, displayText} from '../machines/policies/display-text.ts';
import type {Answer, Question} from '../services/contracts/run.ts';
import type {CliContext} from './context.ts';

/** Asks each question in turn; null when the input ends before the last answer. */
export async function askQuestions(
  {ask, err}: CliContext,
  questions: readonly Question[],
): Promise<Answer[] | null> {
  const answers: Answer[] = [];
  for (const {id, prompt, options = []} of questions) {
    err(displayText(prompt));
    for (const [index, option] of options.entries()) err(`  ${index + 1}) ${displayLine(option)}`);
    for (;;) {
      const typed = (await ask(options.length > 0 ? 'Number or your own answer: ' : 'Answer: '))?.trim();
      if (typed === undefined) return null;
      if (typed === '') continue;
      answers.push({id, value: (/^\d+$/.test(typed) ? options[Number(typed) - 1] : undefined) ?? typed});
      break;
    }
  }
  return answers;
}
