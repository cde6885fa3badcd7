import {type Outcome, outcomeSymbols} from '../../machines/policies/inspect/outcomes.ts';
import {element} from './dom.ts';

/** An outcome by shape and colour; the word is beside it. */
export function outcomeMark({kind, word}: {kind: Outcome['kind'] | 'todo'; word: string}): HTMLElement {
  const symbol = kind === 'todo' ? '○' : outcomeSymbols[kind];
  return element('span', {class: `outcome ${kind}`, title: word, 'aria-hidden': 'true'}, symbol);
}

/** The same with its word. */
export function outcomeWords(outcome: {kind: Outcome['kind'] | 'todo'; word: string}): HTMLElement {
  return element(
    'span',
    {class: 'outcome-words'},
    outcomeMark(outcome),
    ' ',
    element('span', {}, outcome.word),
  );
}
