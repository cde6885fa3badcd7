/** What Ink draws on: it receives whole frames, of which only the changed lines reach the terminal. */
export type FramePainter = {
  /** For Ink's `stdout`, together with `debug`, which makes it write every frame in full. */
  readonly stdout: NodeJS.WriteStream;
  /** Takes over the screen, hides the cursor and enables bracketed paste. */
  enter(): void;
  /** Restores everything. Can be called repeatedly, and from an exit handler. */
  leave(): void;
  /** Whether the terminal reports the wheel and clicks; with shift it still selects text. */
  setMouse(isOn: boolean): void;
  /** The window title while the screen is taken over. */
  setTitle(text: string): void;
};

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'on' | 'off'>;

const enterScreen = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h';
const leaveScreen = '\x1b[?2004l\x1b[?25h\x1b[?1049l';
/** Clicks and the wheel, in the format without a column limit. */
const [mouseOn, mouseOff] = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l'];
/** The title is saved on a stack if the terminal has one; otherwise it is empty afterwards. */
const [keepTitle, restoreTitle] = ['\x1b[22;2t', '\x1b]2;\x07\x1b[23;2t'];
/** Synchronized output: terminals that support it show only complete frames; others ignore it. */
const [beginFrame, endFrame] = ['\x1b[?2026h', '\x1b[?2026l'];

/**
 * Ink's incremental writing is off by a line, and its other mode writes everything on every frame. Here each
 * line is placed explicitly, so a frame may be as tall as the terminal, and old content is removed.
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
    // A slow terminal gets only the newest frame once it is ready.
    terminal.write(beginFrame + text + endFrame, () => {
      isWriting = false;
      paint();
    });
  };
  const forget = () => {
    // What a terminal does to its content on a resize is unpredictable.
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
      // A control character would end the title, and the rest would be interpreted as commands.
      const safe = text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, ' ');
      if (safe === title) return;
      title = safe;
      if (isEntered && hasTitle) terminal.write(titled(title));
    },
  };
}

/** Each changed line at its position, cleared first: the old one may have been longer. */
function changes(before: readonly string[], after: readonly string[]): string {
  let text = '';
  for (let row = 0; row < Math.max(before.length, after.length); row++) {
    if (before[row] === after[row]) continue;
    text += `\x1b[${row + 1};1H\x1b[2K${after[row] ?? ''}`;
  }
  return text;
}
