import type {Command} from 'commander';
import {callFor} from '../../machines/policies/text/call-person.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {PauseReason} from '../../services/contracts/run.ts';
import type {Tui} from '../../ui/tui.ts';
import type {Cli} from '../cli.ts';
import type {CliContext} from '../context.ts';
import type {InspectChoice} from '../inspect/inspect-option.ts';
import {loadTui} from '../terminal/load-ui.ts';

/** Opens the TUI until the user leaves it. The only place that loads Ink for it. */
export async function openTui(
  cli: Cli,
  command: Command,
  screen: NonNullable<CliContext['screen']>,
): Promise<void> {
  const {context} = cli;
  const {inspect} = command.opts<{inspect?: InspectChoice}>();
  const page = inspect && (await (await import('../inspect/live-page.ts')).livePage(cli, command, inspect));
  const {openTuiPorts} = await import('./tui-composition.ts');
  const {createTui, runTui} = await loadTui();
  const ports = await openTuiPorts(
    cli,
    command,
    (how, text) => screen.stdout.write(callFor(how, text)),
    page?.observer(),
  );
  const tui = createTui(ports);
  if (page) tui.say({tone: 'accent', text: `Inspect: ${page.url}`});
  const release = listen(tui);
  try {
    const {TERM: terminal = ''} = context.env;
    const hasTitle = !['', 'dumb', 'linux'].includes(terminal);
    await runTui(tui, {...screen, hasColor: context.stdout.hasColor, hasTitle});
  } catch (error) {
    // The screen crashed, the work did not: it is paused, and nothing is left behind.
    await leave(tui);
    throw error;
  } finally {
    release();
  }
  const {leavingLines} = await import('../../ui/model/leaving-lines.ts');
  const drafts = await ports.planDrafts().catch((error: unknown) => {
    context.err(messageOf(error));
    return [];
  });
  for (const line of leavingLines(tui.get(), tui.facts(), drafts)) context.out(line);
}

function leave(tui: Tui): Promise<void> {
  tui.send({type: 'tui.leave', reason: 'terminated'});
  return new Promise((resolve) => {
    const look = () => {
      if (!tui.get().ui.hasTag('gone')) return;
      stop();
      resolve();
    };
    const stop = tui.state.subscribe(look);
    look();
  });
}

const leaving = {SIGTERM: 'terminated', SIGHUP: 'terminated'} as const satisfies Record<string, PauseReason>;

/** Signals act like keys: SIGINT is Ctrl+C, the others pause what runs and leave. */
function listen(tui: Tui): () => void {
  const interrupt = () => tui.send({type: 'tui.interrupt'});
  process.on('SIGINT', interrupt);
  const handlers = Object.entries(leaving).map(([signal, reason]) => {
    const handler = () => tui.send({type: 'tui.leave', reason});
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    process.off('SIGINT', interrupt);
    for (const stop of handlers) stop();
  };
}
