import {Box} from 'ink';
import {Banner} from './components/banner.tsx';
import {KeyHints} from './components/hint-line.tsx';
import {Lines} from './components/lines.tsx';
import {useKeys} from './input/use-keys.ts';
import {activeHints, headerLine} from './model/frame-lines.ts';
import {DialogScreen} from './screens/dialog-screen.tsx';
import {HelpScreen} from './screens/help-screen.tsx';
import {HomeScreen} from './screens/home-screen.tsx';
import {PanelScreen} from './screens/panel-screen.tsx';
import {PlanScreen} from './screens/plan-screen.tsx';
import {SessionsScreen} from './screens/sessions-screen.tsx';
import {SettingsScreen} from './screens/settings-screen.tsx';
import {useTui, useTuiState} from './tui-context.tsx';

const screens = {
  home: HomeScreen,
  plan: PlanScreen,
  settings: SettingsScreen,
  sessions: SessionsScreen,
  help: HelpScreen,
} as const;

/** The whole terminal: a header, a screen or dialog, the banner, and the keys that work now. */
export function App() {
  const tui = useTui();
  const [state, facts] = useTuiState();
  // A key that closes a dialog must not act on what is below it, even if the dialog was open before this
  // mounted.
  useKeys(tui.press, {isFirst: true});
  const {layout, screen, panel} = facts;
  const {dialog} = state.ui.context;
  const Screen = screens[screen];
  return (
    <Box flexDirection="column" width={layout.width} height={layout.height} overflow="hidden">
      <Lines lines={[headerLine(tui.ports.name, state, facts)]} />
      {panel ? (
        <PanelScreen panel={panel} />
      ) : dialog ? (
        <DialogScreen dialog={dialog} />
      ) : (
        <>
          <Screen />
          <Banner />
          <KeyHints hints={activeHints(state, facts)} columns={layout.width} />
        </>
      )}
    </Box>
  );
}
