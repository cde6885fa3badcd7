/**
 * One complete command: its keys, its name, why it is not possible now and what it does. `Run` is the
 * handler, `Facts` are the arguments of the refusal.
 */
export type KeyBinding<Run, Facts extends readonly unknown[] = []> = {
  /** `subject.verb`, unique in its table. */
  readonly id: string;
  /** As in `KeyPress.name`; the first ones are shown. */
  readonly keys: readonly string[];
  readonly label: string;
  /** The label of the hint, if it depends on the facts. */
  readonly called?: (...facts: Facts) => string;
  /** The text in the help, if the label is too short for it. */
  readonly help?: string;
  /** In the hint line: `first` for the most important, `more` for the rest if there is space. */
  readonly hint?: 'first' | 'more';
  /** How many of the keys the hint names; one by default. */
  readonly shown?: number;
  /** The short label for little space; hints without one are dropped there. */
  readonly short?: string;
  /** Why it is not possible now; null if it is. */
  readonly refusal?: (...facts: Facts) => string | null;
  readonly run: Run;
};

/** Keys are data: key handling, hints and help all come from the same table. */
export type Keymap<Run, Facts extends readonly unknown[] = []> = readonly KeyBinding<Run, Facts>[];

/** Refused silently: the key means something else now, or nothing. */
export const notNow = '';

/** What a key does now: the first possible binding; null if there is none. */
export function bindingOf<Run, Facts extends readonly unknown[]>(
  keymap: Keymap<Run, Facts>,
  key: string,
  ...facts: Facts
): KeyBinding<Run, Facts> | null {
  return keymap.find((binding) => binding.keys.includes(key) && canDo(binding, ...facts)) ?? null;
}

/** Why a key does nothing now; null if it does something or is not bound. */
export function refusalOf<Run, Facts extends readonly unknown[]>(
  keymap: Keymap<Run, Facts>,
  key: string,
  ...facts: Facts
): string | null {
  if (bindingOf(keymap, key, ...facts)) return null;
  const reasons = keymap
    .filter(({keys}) => keys.includes(key))
    .map(({refusal}) => refusal?.(...facts) ?? null);
  return reasons.find((reason) => reason !== null && reason !== notNow) ?? null;
}

export const canDo = <Run, Facts extends readonly unknown[]>(
  {refusal}: KeyBinding<Run, Facts>,
  ...facts: Facts
): boolean => (refusal?.(...facts) ?? null) === null;

export type KeyHint = {readonly keys: string; readonly label: string; readonly short?: string};

/** The hints for what is possible now, most important first. */
export function hintsOf<Run, Facts extends readonly unknown[]>(
  keymap: Keymap<Run, Facts>,
  ...facts: Facts
): KeyHint[] {
  const hinted = keymap.filter((binding) => binding.hint !== undefined && canDo(binding, ...facts));
  const inOrder = [
    ...hinted.filter(({hint}) => hint === 'first'),
    ...hinted.filter(({hint}) => hint === 'more'),
  ];
  return inOrder.map(({keys, label, called, shown = 1, short}) => {
    const now = called?.(...facts);
    return {
      keys: keys.slice(0, shown).map(keyLabel).join(' '),
      label: now ?? label,
      ...(short === undefined ? {} : {short: now ?? short}),
    };
  });
}

/** Everything the keys can do, for the help. */
export function helpOf(
  keymap: ReadonlyArray<Pick<KeyBinding<unknown>, 'keys' | 'label' | 'help'>>,
): KeyHint[] {
  return keymap.map(({keys, label, help = label}) => ({keys: keys.map(keyLabel).join(' '), label: help}));
}

/** A key as shown to the user. */
export function keyLabel(name: string): string {
  return name
    .split('+')
    .map((part) => symbols.get(part) ?? part)
    .join('+');
}

const symbols = new Map([
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
  ['pageup', 'pgup'],
  ['pagedown', 'pgdn'],
  ['escape', 'esc'],
]);
