import {type ComponentType, createContext, useContext} from 'react';
import {type Line, Lines} from './lines.tsx';

export type PromptFrameProps = {
  /** The prompt; the last line is the keys, or a message in their place. */
  readonly lines: readonly Line[];
  /** Text is being typed, so pane-switching keys belong to it. */
  readonly isWriting?: boolean;
};

export type PromptFrame = {
  readonly Frame: ComponentType<PromptFrameProps>;
  /** The width of the key line; null if it is as wide as the rest. */
  readonly footColumns: number | null;
};

const PromptFrameContext = createContext<PromptFrame>({
  Frame: ({lines}) => <Lines lines={lines} />,
  footColumns: null,
});

/** What surrounds a prompt: nothing on the command line, the plan in the TUI. */
export const PromptFrameProvider = PromptFrameContext.Provider;

export const usePromptFrame = (): PromptFrame => useContext(PromptFrameContext);
