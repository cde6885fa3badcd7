import {helpTable} from '../commands/command-table.ts';
import type {Line} from '../components/lines.tsx';
import {editorKeymap} from '../editor/editor-keymap.ts';
import {helpOf} from '../keymap.ts';
import {padEnd} from '../text/fit.ts';

const keyColumns = 22;

/** Every key, from the same tables that the keys themselves come from. */
export function helpLines(): Line[] {
  const section = (title: string, keymap: Parameters<typeof helpOf>[0]): Line[] => [
    [{text: title, bold: true, tone: 'accent'}],
    ...helpOf(keymap).map(
      ({keys, label}): Line => [{text: padEnd(keys, keyColumns), bold: true}, {text: label}],
    ),
    [],
  ];
  return [
    ...helpTable.flatMap(([title, keymap]) => section(title, keymap)),
    ...section('Write', editorKeymap),
    [{text: 'Ctrl+C pauses what runs, pressed again it forces; when nothing runs it quits.', dim: true}],
  ];
}
