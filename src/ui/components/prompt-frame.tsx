import {type ComponentType, createContext, useContext} from 'react';
import {type Line, Lines} from './lines.tsx';

export type PromptFrameProps = {
  /** What is asked; the last line is the keys, or what is said in their place. */
  readonly lines: readonly Line[];
  /** Text is typed: keys that would move to another pane belong to it. */
  readonly isWriting?: boolean;
};

export type PromptFrame = {
  readonly Frame: ComponentType<PromptFrameProps>;
  /** How wide the line of the keys may be; null where it is as wide as the rest. */
  readonly footColumns: number | null;
};

const PromptFrameContext = createContext<PromptFrame>({
  Frame: ({lines}) => <Lines lines={lines} />,
  footColumns: null,
});

/** What is around a prompt: nothing on the command line, the plan in the terminal UI. */
export const PromptFrameProvider = PromptFrameContext.Provider;

export const usePromptFrame = (): PromptFrame => useContext(PromptFrameContext);
