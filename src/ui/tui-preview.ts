import {messageOf} from '../services/contracts/errors.ts';
import {selectedSession} from './model/list-rows.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

/** How often the selected session's screen is read while it is visible. */
const intervalMilliseconds = 1000;

/** The current screen of the selected session, fetched only while the sessions are shown. */
export function createPreview(
  core: Pick<TuiCore, 'get' | 'facts' | 'patch'>,
  ports: Pick<TuiPorts, 'sessions'>,
) {
  let shownId: string | null = null;
  /** Aborted when another session, or none, is to be shown. */
  let watch = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const load = async (id: string, signal: AbortSignal): Promise<void> => {
    const lines = await ports.sessions.screen(id).catch((error: unknown) => [messageOf(error)]);
    if (signal.aborted) return;
    const {list} = core.get();
    core.patch({list: {...list, preview: lines === null ? null : {id, lines}}});
    timer = setTimeout(() => void load(id, signal), intervalMilliseconds);
  };
  const show = (id: string | null) => {
    if (id === shownId) return;
    shownId = id;
    watch.abort();
    clearTimeout(timer);
    watch = new AbortController();
    if (id !== null) void load(id, watch.signal);
  };
  return {
    /** Called after every change; fetches only if another session is to be shown. */
    follow: () => {
      const {list, ui, handover} = core.get();
      // A list that arrives after the user left must not start watching again: the process would never exit.
      const isSeen = core.facts().screen === 'sessions' && !ui.hasTag('gone') && handover === null;
      const session = isSeen ? selectedSession(list) : undefined;
      show(session?.isRunning ? session.id : null);
    },
    stop: () => show(null),
  };
}
