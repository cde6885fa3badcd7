/** What Ink draws on: it hands over whole frames, of which only the lines that changed reach the terminal. */
export type FramePainter = {
  /** For Ink's `stdout`, together with `debug`, which makes it hand over every frame as it is. */
  readonly stdout: NodeJS.WriteStream;
  /** Takes the screen, hides the cursor and marks pastes. */
  enter(): void;
  /** Gives everything back. Can be called again, and from an exit handler. */
  leave(): void;
  /** Whether the terminal reports the wheel and clicks; with shift it still selects text. */
  setMouse(isOn: boolean): void;
  /** The title of the window while the screen is taken. */
  setTitle(text: string): void;
};

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'on' | 'off'>;

const enterScreen = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h';
const leaveScreen = '\x1b[?2004l\x1b[?25h\x1b[?1049l';
/** Presses and the wheel, in the form that has no limit of columns. */
const [mouseOn, mouseOff] = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l'];
/** The title is put on a stack where the terminal has one; elsewhere it is empty afterwards. */
const [keepTitle, restoreTitle] = ['\x1b[22;2t', '\x1b]2;\x07\x1b[23;2t'];
/** Terminals that know it show a frame when it is complete; the others pass over it. */
const [beginFrame, endFrame] = ['\x1b[?2026h', '\x1b[?2026l'];

/**
 * Ink's own incremental writing is off by a line, and its other way writes everything for every frame. A line
 * here is put where it belongs, so a frame may be as tall as the terminal, and whatever was there is gone.
 */
export function createFramePainter(
  terminal: Terminal,
  {hasTitle = false}: {readonly hasTitle?: boolean} = {},
): FramePainter {
  let shown: readonly string[] = [];
  let next: readonly string[] | null = null;
  let isWriting = false;
  let isEntered = false;
  let hasMouse = false;
  let title = '';
  const titled = (text: string) => (hasTitle && text !== '' ? `\x1b]2;${text}\x07` : '');

  const paint = () => {
    if (next === null || isWriting || !isEntered) return;
    const lines = next;
    next = null;
    const text = changes(shown, lines);
    shown = lines;
    if (text === '') return;
    isWriting = true;
    // A slow terminal gets the newest frame when it is ready, and never those in between.
    terminal.write(beginFrame + text + endFrame, () => {
      isWriting = false;
      paint();
    });
  };
  const forget = () => {
    // What a terminal makes of its content when its size changes is its own affair.
    if (isEntered) terminal.write('\x1b[2J');
    shown = [];
  };

  const stdout = {
    isTTY: true,
    get columns() {
      return terminal.columns || 80;
    },
    get rows() {
      return terminal.rows || 24;
    },
    write: (frame: string) => {
      next = frame.split('\n').slice(0, terminal.rows || 24);
      paint();
      return true;
    },
    on: (event: string, listener: () => void) => {
      terminal.on(event, listener);
      return stdout;
    },
    off: (event: string, listener: () => void) => {
      terminal.off(event, listener);
      return stdout;
    },
  };
  return {
    stdout: stdout as unknown as NodeJS.WriteStream,
    enter: () => {
      if (isEntered) return;
      isEntered = true;
      isWriting = false;
      shown = [];
      terminal.on('resize', forget);
      terminal.write(enterScreen + (hasTitle ? keepTitle : '') + titled(title) + (hasMouse ? mouseOn : ''));
    },
    leave: () => {
      if (!isEntered) return;
      isEntered = false;
      terminal.off('resize', forget);
      terminal.write((hasMouse ? mouseOff : '') + (hasTitle ? restoreTitle : '') + leaveScreen);
    },
    setMouse: (isOn) => {
      if (isOn === hasMouse) return;
      hasMouse = isOn;
      if (isEntered) terminal.write(isOn ? mouseOn : mouseOff);
    },
    setTitle: (text) => {
      // A control character would end the title, and the rest would be commands.
      const safe = text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, ' ');
      if (safe === title) return;
      title = safe;
      if (isEntered && hasTitle) terminal.write(titled(title));
    },
  };
}

/** Each changed line at its place, cleared first: what it held before may have been longer. */
function changes(before: readonly string[], after: readonly string[]): string {
  let text = '';
  for (let row = 0; row < Math.max(before.length, after.length); row++) {
    if (before[row] === after[row]) continue;
    text += `\x1b[${row + 1};1H\x1b[2K${after[row] ?? ''}`;
  }
  return text;
}
