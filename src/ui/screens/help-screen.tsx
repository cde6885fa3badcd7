import {Box} from 'ink';
import {Lines} from '../components/lines.tsx';
import {helpColumns, helpLines} from '../model/help-lines.ts';
import {useTuiState} from '../tui-context.tsx';

/** Every key, from the same tables that the keys themselves come from. */
export function HelpScreen() {
  const [{list}, {layout}] = useTuiState();
  const rows = layout.paneRows + 2;
  const lines = helpLines(helpColumns(layout));
  const top = Math.max(0, Math.min(list.index, lines.length - rows));
  return (
    <Box height={rows} overflow="hidden" paddingLeft={1}>
      <Lines lines={lines.slice(top, top + rows)} />
    </Box>
  );
}
