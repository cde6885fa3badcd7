import {render} from 'ink';
import {type ReactNode, useLayoutEffect} from 'react';
import {ThemeProvider} from '../theme.tsx';
import {stopReading} from './stop-reading.ts';
import {typedBefore} from './typed-before.ts';

export type ScreenOptions = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColor: boolean;
  /** Closes the screen; the result is then null. */
  readonly signal?: AbortSignal;
};

/** The alternate screen, cleared, with bracketed paste. */
const enter = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?2004h';
const leave = '\x1b[?2004l\x1b[?1049l';

/**
 * Shows a screen until it calls `finish`, and manages Ink, the alternate screen, raw mode and bracketed
 * paste. However it ends, the terminal is restored. Null if it was closed from outside, or Ctrl+C was typed
 * before it was visible.
 */
export async function renderScreen<Result>(
  options: ScreenOptions,
  screen: (finish: (result: Result) => void) => ReactNode,
): Promise<Result | null> {
  const {stdin, signal} = options;
  // A closed terminal cannot be restored; that is no reason to fail.
  const ignore = () => {};
  stdin.on('error', ignore);
  try {
    if ((await typedBefore(stdin)).includes('\x03') || signal?.aborted) return null;
    return await show(options, screen);
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false);
    await stopReading(stdin);
    stdin.off('error', ignore);
  }
}

async function show<Result>(
  {stdin, stdout, hasColor, signal}: ScreenOptions,
  screen: (finish: (result: Result) => void) => ReactNode,
): Promise<Result | null> {
  let result: Result | null = null;
  let isEntered = true;
  const restore = () => {
    if (isEntered) stdout.write(leave);
    isEntered = false;
  };
  stdout.write(enter);
  process.once('exit', restore);
  try {
    const finish = (value: Result) => {
      result = value;
      instance.unmount();
    };
    const instance = render(
      <ThemeProvider hasColor={hasColor}>
        <Unmounted onUnmount={restore}>{screen(finish)}</Unmounted>
      </ThemeProvider>,
      {
        stdin,
        stdout: keepingHistory(stdout),
        exitOnCtrlC: false,
        patchConsole: false,
        isScreenReaderEnabled: false,
      },
    );
    const stop = () => instance.unmount();
    signal?.addEventListener('abort', stop);
    try {
      await instance.waitUntilExit();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  } finally {
    restore();
    process.off('exit', restore);
  }
  return result;
}

/** Ink unmounts when a signal ends the process, and nothing else notifies us then. */
function Unmounted({onUnmount, children}: {readonly onUnmount: () => void; readonly children: ReactNode}) {
  useLayoutEffect(() => onUnmount, [onUnmount]);
  return children;
}

const eraseHistory = '\x1b[3J';

/** When a terminal shrinks below its frame, Ink clears it together with the lines above, which are not ours. */
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
