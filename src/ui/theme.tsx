import {createContext, type ReactNode, useContext} from 'react';

/**
 * The style of each meaning. Colours are the terminal's own sixteen, so they fit light and dark; a symbol and
 * a word always say the same.
 */
export type Theme = {
  readonly accent: string | undefined;
  readonly good: string | undefined;
  readonly bad: string | undefined;
  readonly warning: string | undefined;
};

const colorTheme: Theme = {accent: 'cyan', good: 'green', bad: 'red', warning: 'yellow'};

/** For `NO_COLOR`: bold, dim and inverse remain. */
const plainTheme: Theme = {accent: undefined, good: undefined, bad: undefined, warning: undefined};

const ThemeContext = createContext<Theme>(colorTheme);

export function ThemeProvider({
  hasColor,
  children,
}: {
  readonly hasColor: boolean;
  readonly children: ReactNode;
}) {
  return <ThemeContext value={hasColor ? colorTheme : plainTheme}>{children}</ThemeContext>;
}

export const useTheme = () => useContext(ThemeContext);
