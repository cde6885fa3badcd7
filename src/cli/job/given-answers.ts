import {AppError} from '../../services/contracts/errors.ts';
import type {Answer} from '../../services/contracts/run.ts';

/** Parses `--answer id=text`. */
export function parseAnswers(texts: readonly string[]): Answer[] {
  const answers = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1)
      throw new AppError('E_USAGE', `--answer must have the form id=text, not ${JSON.stringify(text)}`);
    return {id: text.slice(0, at), value: text.slice(at + 1)};
  });
  const twice = answers.find(({id}, index) => answers.findIndex((answer) => answer.id === id) < index);
  if (twice) throw new AppError('E_USAGE', `${JSON.stringify(twice.id)} is answered twice`);
  return answers;
}
