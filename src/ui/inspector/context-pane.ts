import {createContexts, type KnownContext} from '../../machines/contexts.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {byId, element} from './dom.ts';
import {type Change, changesBetween} from './value-changes.ts';
import {drawValue, type Folds} from './value-tree.ts';

const mostKnown = 12;

/** The context of the shown actor after the shown entry, and what changed with it. */
export class ContextPane {
  readonly #folds: Folds = new Map();
  /** Of the actors shown last: a live job shows another one with every event. */
  readonly #known = new Map<string, ReturnType<typeof createContexts>>();
  #shown = '';

  /** For another recording, whose actors may have the same names. */
  forget(): void {
    this.#shown = '';
    this.#known.clear();
  }

  /** `entries` are those of the actor; `index` is the shown one. */
  show(key: string, entries: readonly InspectedEntry[], index: number): void {
    const shown = `${key} ${entries.length} ${index}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const contexts = this.#contexts(key, entries);
    const [context, before] = [contexts[index] ?? null, index > 0 ? (contexts[index - 1] ?? null) : null];
    const changes = context && before ? changesBetween(before, context) : [];
    byId('context').replaceChildren(
      ...(context === null
        ? [element('p', {class: 'empty'}, 'Not known: its beginning was not recorded.')]
        : [
            changeList(changes, before !== null),
            drawValue(context, this.#folds, new Set(changes.map(({path}) => `$.${path}`))),
          ]),
    );
  }

  #contexts(key: string, entries: readonly InspectedEntry[]): readonly KnownContext[] {
    const known = this.#known.get(key) ?? createContexts();
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > mostKnown) this.#known.delete(oldest);
    return known(entries);
  }
}

function changeList(changes: readonly Change[], hasBefore: boolean): HTMLElement {
  if (!hasBefore) return element('p', {class: 'changes quiet'}, 'This is how it began.');
  if (changes.length === 0) return element('p', {class: 'changes quiet'}, 'Nothing changed with this event.');
  const list = element('ul', {class: 'changes', 'aria-label': 'What changed with this event'});
  for (const {path, before, after} of changes.slice(0, 20)) {
    list.append(
      element(
        'li',
        {},
        element('span', {class: 'key'}, path),
        ' ',
        element('del', {}, shortValue(before)),
        ' → ',
        element('ins', {}, shortValue(after)),
      ),
    );
  }
  if (changes.length > 20) list.append(element('li', {class: 'quiet'}, `${changes.length - 20} more`));
  return list;
}

function shortValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
