import {messageOf} from '../services/contracts/errors.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

/** So often the screen of the selected session is looked at, while it is seen. */
const intervalMilliseconds = 1000;

/** What the selected session shows now: fetched while the sessions are on the screen, and only then. */
export function createPreview(
  core: Pick<TuiCore, 'get' | 'facts' | 'patch'>,
  ports: Pick<TuiPorts, 'sessions'>,
) {
  let shownId: string | null = null;
  /** Aborted when another one is to be shown, or none. */
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
    /** Called after every change; fetches only when another session is to be shown. */
    follow: () => {
      const {list, ui, handover} = core.get();
      // A list that comes in after the person left must not begin to watch again: the process would never end.
      const isSeen = core.facts().screen === 'sessions' && !ui.hasTag('gone') && handover === null;
      const session = isSeen ? list.sessions?.[list.index] : undefined;
      show(session?.isRunning ? session.id : null);
    },
    stop: () => show(null),
  };
}
