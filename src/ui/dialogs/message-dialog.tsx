import {Box} from 'ink';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import {KeyHints} from '../components/hint-line.tsx';
import {type Line, Lines, lineOf} from '../components/lines.tsx';
import {closeKeymap, ScrollBox} from '../components/scroll-box.tsx';
import {hintsOf} from '../keymap.ts';
import {messageRows} from '../model/error-lines.ts';
import {wrapped} from '../text/wrap.ts';
import {useTui} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

/** A message to read before anything else: a refusal with all its reasons. */
export function MessageDialog({
  title,
  lines,
  next,
  columns,
  rows,
}: DialogSize & Omit<Extract<Dialog, {type: 'message'}>, 'type'>) {
  const {answers} = useTui();
  const head = wrapped(title, columns - 2).map((text) => lineOf(` ${text}`, {tone: 'bad', bold: true}));
  const body = messageRows(lines, columns - 2).map((line): Line => [{text: ' '}, ...line]);
  return (
    <Box flexDirection="column">
      <Lines lines={head} />
      <ScrollBox
        title=""
        lines={body}
        columns={columns}
        rows={Math.max(2, rows - head.length - 1)}
        onClose={() => answers.goOn(next)}
      />
      <KeyHints hints={hintsOf(closeKeymap)} columns={columns} />
    </Box>
  );
}
