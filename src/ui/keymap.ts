/** One thing a person can do: the keys that do it, what it is called and the command it stands for. */
export type KeyBinding<Command extends string = string> = {
  /** As `KeyPress.name` has them; the first ones are shown. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly command: Command;
  /** In the line of hints, or only in the help. */
  readonly hint?: 'always';
  /** How many of the keys the hint names; one when it does not say. */
  readonly shown?: number;
  /** What it is called where there is little room; hints without it are left out there. */
  readonly short?: string;
};

/** Keys are data: what is pressed, the hints and the help all come from the same table. */
export type Keymap<Command extends string = string> = readonly KeyBinding<Command>[];

/** The command of a key; the first binding wins, so a table can be put in front of another. */
export function commandOf<Command extends string>(keymap: Keymap<Command>, key: string): Command | null {
  return keymap.find(({keys}) => keys.includes(key))?.command ?? null;
}

export type KeyHint = {readonly keys: string; readonly label: string; readonly short?: string};

/** What the line of hints shows, of the commands that can be given now. */
export function hintsOf<Command extends string>(
  keymap: Keymap<Command>,
  canDo: (command: Command) => boolean = () => true,
): KeyHint[] {
  return keymap
    .filter(({hint, command}) => hint === 'always' && canDo(command))
    .map(({keys, label, shown = 1, short}) => ({
      ...{keys: keys.slice(0, shown).map(keyLabel).join(' '), label},
      ...(short === undefined ? {} : {short}),
    }));
}

/** Everything the keys can do, for the help. */
export function helpOf(keymap: Keymap): KeyHint[] {
  return keymap.map(({keys, label}) => ({keys: keys.map(keyLabel).join(' '), label}));
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
