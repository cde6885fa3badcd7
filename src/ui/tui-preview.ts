import {messageOf} from '../services/contracts/errors.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';

/** So often the screen of the selected session is looked at, while it is seen. */
const intervalMilliseconds = 1000;

/** What the selected session shows now: fetched while the sessions are on the screen, and only then. */
export function createPreview(core: TuiCore, ports: Pick<TuiPorts, 'sessions'>) {
  let shownId: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const load = async (id: string): Promise<void> => {
    const lines = await ports.sessions.screen(id).catch((error: unknown) => [messageOf(error)]);
    // Another one was selected meanwhile, or the person went elsewhere.
    if (shownId !== id) return;
    const {list} = core.get();
    core.patch({list: {...list, preview: lines === null ? null : {id, lines}}});
    timer = setTimeout(() => void load(id), intervalMilliseconds);
  };
  return {
    /** Called after every change; fetches only when another session is to be shown. */
    follow: () => {
      const {list} = core.get();
      const session = core.facts().screen === 'sessions' ? list.sessions?.[list.index] : undefined;
      const wanted = session?.isRunning ? session.id : null;
      if (wanted === shownId) return;
      shownId = wanted;
      clearTimeout(timer);
      if (wanted !== null) void load(wanted);
    },
    stop: () => {
      shownId = null;
      clearTimeout(timer);
    },
  };
}
