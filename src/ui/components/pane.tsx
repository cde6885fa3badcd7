import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {cutEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {useTheme} from '../theme.tsx';
import type {Line} from './lines.tsx';
import {Lines} from './lines.tsx';

export type PaneTitle = {readonly text: string; readonly isOpen?: boolean};

/** A frame of exactly this size with titles in its top edge. Lines must fit into `columns - 4`. */
export function Pane({
  titles,
  right = '',
  columns,
  rows,
  isActive,
  lines = [],
  isFramed = true,
  children,
}: {
  readonly titles: readonly PaneTitle[];
  readonly right?: string;
  readonly columns: number;
  /** Inside the frame. */
  readonly rows: number;
  readonly isActive: boolean;
  readonly lines?: readonly Line[];
  /** Without a frame it is only a container; this may change while it is shown. */
  readonly isFramed?: boolean;
  /** Instead of lines. */
  readonly children?: ReactNode;
}) {
  const {accent} = useTheme();
  const edge = isActive && accent ? {color: accent} : {dimColor: !isActive};
  const room = columns - 5 - (right === '' ? 0 : textWidth(right) + 2);
  // The space around closed titles keeps them in place when another one is opened; whole words matter more.
  const isTight = textWidth(titles.map((title) => titleText(title)).join(' ')) > room;
  const shown = titles.map((title) => titleText(title, isTight)).join(' ');
  const isCut = textWidth(shown) > room;
  const width = Math.min(textWidth(shown), Math.max(0, room));
  const rest = Math.max(0, columns - 4 - width - (right === '' ? 0 : textWidth(right) + 2));
  const side = `${Array.from({length: rows}, () => '│').join('\n')}`;
  return (
    <Box flexDirection="column" width={columns} height={isFramed ? rows + 2 : rows}>
      {isFramed ? (
        <Text wrap="truncate-end">
          <Text {...edge}>{'┌ '}</Text>
          {isCut
            ? cutEnd(shown, room)
            : titles.map((title, index) => (
                <Title key={title.text} {...title} isFirst={index === 0} isTight={isTight} />
              ))}
          <Text {...edge}>{` ${'─'.repeat(Math.max(0, rest))}`}</Text>
          {right === '' ? null : <Text dimColor>{` ${right} `}</Text>}
          <Text {...edge}>┐</Text>
        </Text>
      ) : null}
      <Box height={rows}>
        {isFramed ? <Text {...edge}>{side}</Text> : null}
        <Box
          width={isFramed ? columns - 2 : columns}
          height={rows}
          paddingX={isFramed ? 1 : 0}
          overflow="hidden"
        >
          {children ?? <Lines lines={lines.slice(0, rows)} />}
        </Box>
        {isFramed ? <Text {...edge}>{side}</Text> : null}
      </Box>
      {isFramed ? (
        <Text {...edge} wrap="truncate-end">{`└${'─'.repeat(Math.max(0, columns - 2))}┘`}</Text>
      ) : null}
    </Box>
  );
}

/** The open title is recognizable without colours, too. */
function titleText({text, isOpen}: PaneTitle, isTight = false): string {
  if (isOpen === true) return `[${text}]`;
  return isOpen === undefined || isTight ? text : ` ${text} `;
}

function Title({
  isFirst,
  isTight,
  ...title
}: PaneTitle & {readonly isFirst: boolean; readonly isTight: boolean}) {
  const isOpen = title.isOpen ?? true;
  const text = titleText(title, isTight);
  return (
    <Text bold={isOpen} dimColor={!isOpen}>
      {isFirst ? text : ` ${text}`}
    </Text>
  );
}
