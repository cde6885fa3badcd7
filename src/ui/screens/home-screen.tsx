import {Box} from 'ink';
import {Lines} from '../components/lines.tsx';
import {homeLines} from '../model/home-lines.ts';
import {useTui, useTuiState} from '../tui-context.tsx';

const widest = 76;

/** The first screen: the state of the plan and what to do next. */
export function HomeScreen() {
  const {ports} = useTui();
  const [state, facts] = useTuiState();
  const {layout} = facts;
  const columns = Math.min(widest, layout.width - 4);
  const rows = layout.paneRows + 2;
  return (
    <Box height={rows} paddingLeft={Math.max(2, Math.floor((layout.width - columns) / 2))} overflow="hidden">
      <Lines lines={homeLines(state, facts, {folder: ports.folder, columns, rows}).slice(0, rows)} />
    </Box>
  );
}
