import {Box} from 'ink';
import {Lines, lineOf} from '../components/lines.tsx';
import {clamped, position} from '../components/scroll.ts';
import {helpColumns, helpLines} from '../model/help-lines.ts';
import {helpRows} from '../model/layout.ts';
import {useTuiState} from '../tui-context.tsx';

/** Every key, from the same tables as the key handling. */
export function HelpScreen() {
  const [{helpTop}, {layout}] = useTuiState();
  const rows = helpRows(layout);
  const lines = helpLines(helpColumns(layout));
  const scroll = clamped({top: helpTop, left: 0}, lines.length, rows);
  return (
    <Box flexDirection="column" height={rows + 1} overflow="hidden" paddingLeft={1}>
      <Box height={rows} overflow="hidden">
        <Lines lines={lines.slice(scroll.top, scroll.top + rows)} />
      </Box>
      <Lines lines={[lineOf(position(scroll, lines.length, rows), {dim: true})]} />
    </Box>
  );
}
