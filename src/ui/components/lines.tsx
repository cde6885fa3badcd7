import {Box, Text} from 'ink';
import {type Theme, useTheme} from '../theme.tsx';

/** A run of text in one style. Safe to print: it went through `displayLine` or `displayText`. */
export type Span = {
  readonly text: string;
  readonly tone?: keyof Theme;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly inverse?: boolean;
};

/** One line of the screen. */
export type Line = readonly Span[];

export const lineOf = (text: string, style: Omit<Span, 'text'> = {}): Line => [{text, ...style}];

export const blankLine: Line = [{text: ''}];

/** Lines as they are: each exactly one screen line, whatever it contains. */
export function Lines({lines}: {readonly lines: readonly Line[]}) {
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen
        <LineView key={index} line={line} />
      ))}
    </Box>
  );
}

function LineView({line}: {readonly line: Line}) {
  const theme = useTheme();
  const isBlank = line.every(({text}) => text === '');
  return (
    <Text wrap="truncate-end">
      {isBlank
        ? // Ink gives an empty text no line at all.
          ' '
        : line.map(({text, tone, bold = false, dim = false, inverse = false}, index) => {
            const color = tone && theme[tone];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place in the line
              <Text key={index} bold={bold} dimColor={dim} inverse={inverse} {...(color ? {color} : {})}>
                {text}
              </Text>
            );
          })}
    </Text>
  );
}
