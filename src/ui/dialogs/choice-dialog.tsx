import {Box} from 'ink';
import {KeyHints} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import type {SelectItem} from '../components/select.ts';
import {SelectList, selectListKeymap} from '../components/select-list.tsx';
import {hintsOf} from '../keymap.ts';
import {cutEnd} from '../text/fit.ts';
import type {DialogSize} from './dialog-size.ts';

/** A choice from a list, under a title. */
export function ChoiceDialog({
  title,
  items,
  initialIndex = 0,
  columns,
  rows,
  onChoose,
  onCancel,
}: DialogSize & {
  readonly title: string;
  readonly items: readonly SelectItem[];
  readonly initialIndex?: number;
  readonly onChoose: (index: number) => void;
  readonly onCancel: () => void;
}) {
  const height = Math.max(1, Math.min(items.length, rows - 4));
  return (
    <Box flexDirection="column">
      <Lines lines={[lineOf(cutEnd(` ${title}`, columns), {bold: true}), blankLine]} />
      <SelectList
        items={items}
        initialIndex={initialIndex}
        columns={columns}
        onChoose={onChoose}
        onCancel={onCancel}
        rows={height}
      />
      <Lines lines={[blankLine]} />
      <KeyHints hints={hintsOf(selectListKeymap)} columns={columns} />
    </Box>
  );
}
