import {render} from 'ink';
import {type ReactNode, useLayoutEffect} from 'react';
import {ThemeProvider} from '../theme.tsx';

export type ScreenOptions = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColor: boolean;
  /** A screen of its own, gone afterwards (the default), or lines below what was printed before. */
  readonly isAlternate?: boolean;
  /** Takes the screen away; the answer is then null. */
  readonly signal?: AbortSignal;
};

const pasteMarks = {on: '\x1b[?2004h', off: '\x1b[?2004l'};
const alternate = {on: '\x1b[?1049h\x1b[2J\x1b[H', off: '\x1b[?1049l'};

/**
 * Shows a screen until it calls `finish`, and owns everything about that: Ink, the alternate screen, raw mode,
 * marked pastes. However it ends, the terminal is as it was. Null when it was taken away or Ctrl+C was typed
 * before it could be seen.
 */
export async function renderScreen<Result>(
  options: ScreenOptions,
  screen: (finish: (result: Result) => void) => ReactNode,
): Promise<Result | null> {
  const {stdin, signal} = options;
  try {
    if ((await typedBefore(stdin)).includes('\x03') || signal?.aborted) return null;
    return await show(options, screen);
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false);
    // Ink stops listening but not reading: what is typed from now on would be swallowed. Node stops a moment
    // later, and who began to listen before that would never be told of a key.
    stdin.pause();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function show<Result>(
  {stdin, stdout, hasColor, isAlternate = true, signal}: ScreenOptions,
  screen: (finish: (result: Result) => void) => ReactNode,
): Promise<Result | null> {
  let result: Result | null = null;
  let isEntered = true;
  const leave = () => {
    if (isEntered) stdout.write(pasteMarks.off + (isAlternate ? alternate.off : ''));
    isEntered = false;
  };
  stdout.write((isAlternate ? alternate.on : '') + pasteMarks.on);
  process.once('exit', leave);
  try {
    const finish = (value: Result) => {
      result = value;
      instance.unmount();
    };
    const instance = render(
      <ThemeProvider hasColor={hasColor}>
        <Unmounted onUnmount={leave}>{screen(finish)}</Unmounted>
      </ThemeProvider>,
      {stdin, stdout: keepingHistory(stdout), exitOnCtrlC: false, patchConsole: false},
    );
    const stop = () => instance.unmount();
    signal?.addEventListener('abort', stop);
    try {
      await instance.waitUntilExit();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  } finally {
    leave();
    process.off('exit', leave);
  }
  return result;
}

/** Ink unmounts when a signal ends the process, and nothing else tells us then. */
function Unmounted({onUnmount, children}: {readonly onUnmount: () => void; readonly children: ReactNode}) {
  useLayoutEffect(() => onUnmount, [onUnmount]);
  return children;
}

/** What is typed before a question can be seen is no answer to it. */
async function typedBefore(stdin: NodeJS.ReadStream): Promise<string> {
  if (!stdin.isTTY) return '';
  let typed = '';
  const collect = () => {
    for (let chunk = stdin.read(); chunk !== null; chunk = stdin.read()) typed += String(chunk);
  };
  stdin.setRawMode(true);
  stdin.on('readable', collect);
  await new Promise((resolve) => setTimeout(resolve, 20));
  stdin.off('readable', collect);
  return typed;
}

const eraseHistory = '\x1b[3J';

/** When a terminal shrinks below its frame, Ink clears it and the lines above with it; those are not ours. */
function keepingHistory(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (chunk: unknown, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk.replaceAll(eraseHistory, '') : chunk;
    return Reflect.apply(stdout.write, stdout, [text, ...rest]);
  };
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
