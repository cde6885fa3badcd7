import {render} from 'ink';
import {settingOf} from '../machines/policies/config-resolution.ts';
import {messageOf} from '../services/contracts/errors.ts';
import {App} from './app.tsx';
import {terminalTitle} from './model/frame-lines.ts';
import {createFramePainter, type FramePainter} from './screen/frame-painter.ts';
import {stopReading} from './screen/stop-reading.ts';
import {ThemeProvider} from './theme.tsx';
import type {Tui} from './tui.ts';
import {TuiProvider} from './tui-context.tsx';

export type TuiTerminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColor: boolean;
  /** Whether a title can be set; a terminal without titles would print it. */
  readonly hasTitle: boolean;
};

/**
 * Shows the TUI until the user leaves it. All state lives outside React, so that the terminal can be given to
 * a session in between. However it ends, the terminal is restored.
 */
export async function runTui(tui: Tui, terminal: TuiTerminal): Promise<void> {
  const {stdout} = terminal;
  const painter = createFramePainter(stdout, terminal);
  const follow = () => {
    const {data} = tui.get();
    painter.setTitle(terminalTitle(tui.ports.name, tui.get(), tui.facts()));
    if (data) painter.setMouse(settingOf(data.config, 'tui.mouse'));
  };
  const resize = () => tui.resize({columns: stdout.columns || 80, rows: stdout.rows || 24});
  resize();
  stdout.on('resize', resize);
  process.on('exit', painter.leave);
  // A crash report must not vanish with the screen.
  process.on('uncaughtExceptionMonitor', painter.leave);
  const close = tui.open();
  const ignore = tui.state.subscribe(follow);
  follow();
  try {
    for (;;) {
      await showOnce(tui, terminal, painter);
      const {handover} = tui.get();
      await tui.drafts.flush();
      if (handover === null) return;
      if (handover.type === 'shell') tui.ports.suspend();
      else if (handover.type === 'session')
        await tui.ports.sessions.resume(handover.id).catch(tui.answers.failed);
      else await tui.ports.programs.run(handover.program).catch(sayTo(tui));
      tui.patch({handover: null});
      // A signal may have ended it in the meantime.
      if (tui.get().ui.hasTag('gone')) return;
      // The sessions may have changed in the meantime.
      if (tui.facts().screen === 'sessions') tui.press({name: 'r', text: 'r'});
    }
  } finally {
    stdout.off('resize', resize);
    ignore();
    close();
    painter.leave();
    process.off('exit', painter.leave);
    process.off('uncaughtExceptionMonitor', painter.leave);
  }
}

/** Beside the open prompt, which stays. */
const sayTo = (tui: Tui) => (error: unknown) => tui.say({tone: 'bad', text: messageOf(error)});

/** Until the user leaves, or a session needs the terminal. */
async function showOnce(tui: Tui, {stdin, hasColor}: TuiTerminal, painter: FramePainter): Promise<void> {
  painter.enter();
  const instance = render(
    <ThemeProvider hasColor={hasColor}>
      <TuiProvider value={tui}>
        <App />
      </TuiProvider>
    </ThemeProvider>,
    {
      stdin,
      stdout: painter.stdout,
      debug: true,
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
    },
  );
  const stop = tui.state.subscribe(() => {
    if (tui.get().ui.hasTag('gone') || tui.get().handover !== null) instance.unmount();
  });
  try {
    await instance.waitUntilExit();
  } finally {
    stop();
    painter.leave();
    await stopReading(stdin);
  }
}
