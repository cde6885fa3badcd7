/**
 * One thing a person can do, whole: the keys that do it, what it is called, why it cannot be done now and what
 * it does. `Run` is the handler, `Facts` is what the refusal is asked about.
 */
export type KeyBinding<Run, Facts extends readonly unknown[] = []> = {
  /** `subject.verb`, unique in its table. */
  readonly id: string;
  /** As `KeyPress.name` has them; the first ones are shown. */
  readonly keys: readonly string[];
  readonly label: string;
  /** What the hint calls it now, where that depends. */
  readonly called?: (...facts: Facts) => string;
  /** What the help says where the label is too short for it. */
  readonly help?: string;
  /** In the hint line: `first` for what matters most, `more` for what follows where there is room. */
  readonly hint?: 'first' | 'more';
  /** How many of the keys the hint names; one when it does not say. */
  readonly shown?: number;
  /** What it is called where there is little room; hints without it are left out there. */
  readonly short?: string;
  /** Why it cannot be done now; null when it can. */
  readonly refusal?: (...facts: Facts) => string | null;
  readonly run: Run;
};

/** Keys are data: what is pressed, the hints and the help all come from the same table. */
export type Keymap<Run, Facts extends readonly unknown[] = []> = readonly KeyBinding<Run, Facts>[];

/** Refused without a word: the key means something else now, or nothing. */
export const notNow = '';

/** What a key does now: the first binding that can be done; null where there is none. */
export function bindingOf<Run, Facts extends readonly unknown[]>(
  keymap: Keymap<Run, Facts>,
  key: string,
  ...facts: Facts
): KeyBinding<Run, Facts> | null {
  return keymap.find((binding) => binding.keys.includes(key) && canDo(binding, ...facts)) ?? null;
}

/** Why a key does nothing now; null where it does something, or means nothing. */
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

/** What the hint line shows: what can be done now, the most important first. */
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

/** A key as people read it. */
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
