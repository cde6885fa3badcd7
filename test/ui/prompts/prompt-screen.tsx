import {render} from 'ink-testing-library';
import type {ReactElement} from 'react';
import {expect, onTestFinished} from 'vitest';
import {createFileIndex} from '../../../src/ui/editor/file-index.ts';
import {eventually} from '../../helpers/eventually.ts';

export const keys = {
  up: '\x1b[A',
  down: '\x1b[B',
  enter: '\r',
  escape: '\x1b',
  ctrlC: '\x03',
  ctrlS: '\x13',
  pageDown: '\x1b[6~',
  backspace: '\x7f',
};

/** A component on a virtual terminal. */
export function screenOf(element: ReactElement) {
  const {stdin, lastFrame, unmount} = render(element);
  onTestFinished(unmount);
  return {
    /** What is typed at once. */
    type: (sent: string) => stdin.write(sent),
    unmount,
    lines: () => (lastFrame() ?? '').split('\n'),
    /** Waits until the screen shows it. */
    sees: (text: string | RegExp) => eventually(() => expect(lastFrame()).toMatch(text)),
  };
}

export const someFiles = () => createFileIndex(async () => ['src/refunds/route.ts', 'docs/my file.md']);
