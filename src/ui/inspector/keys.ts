import {byId, element} from './dom.ts';

/** One key of the page: what it does, where it works, and which button it stands for. */
export type Key = {
  readonly keys: readonly string[];
  readonly words: string;
  readonly view: 'job' | 'machines' | 'both';
  readonly act: () => void;
};

/** The help and the behaviour come from one table. */
export function followKeys(table: readonly Key[], viewNow: () => 'job' | 'machines'): void {
  const dialog = byId<HTMLDialogElement>('keys');
  byId('key-list').replaceChildren(
    ...table.flatMap(({keys, words, view}) => [
      element(
        'dt',
        {},
        ...keys.flatMap((key, index) => [...(index > 0 ? [' '] : []), element('kbd', {}, named(key))]),
      ),
      element('dd', {}, view === 'both' ? words : `${words} (${view})`),
    ]),
  );
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || dialog.open) return;
    const isTyped = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (isTyped || event.target instanceof HTMLSelectElement) {
      if (event.key === 'Escape') (event.target as HTMLElement).blur();
      return;
    }
    const isArrow = event.key.startsWith('Arrow');
    // Arrow keys already move the slider and the column splitters.
    const isOwn = event.target instanceof Element && event.target.matches('.splitter, [role="tab"]');
    if (isArrow && isOwn) return;
    const name = event.shiftKey && isArrow ? `shift+${event.key}` : event.key;
    const found = table.find(
      ({keys, view}) => keys.includes(name) && (view === 'both' || view === viewNow()),
    );
    if (!found) return;
    found.act();
    event.preventDefault();
  });
}

const names: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  'shift+ArrowLeft': 'shift ←',
  'shift+ArrowRight': 'shift →',
};

const named = (key: string) => names[key] ?? key;
