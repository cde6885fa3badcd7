import {createContext, useContext, useSyncExternalStore} from 'react';
import type {Facts, TuiState} from './model/facts.ts';
import {createStore} from './store.ts';
import type {Tui} from './tui.ts';

const TuiContext = createContext<Tui | null>(null);

export const TuiProvider = TuiContext.Provider;

export function useTui(): Tui {
  const tui = useContext(TuiContext);
  if (!tui) throw new Error('There is no terminal UI around this component');
  return tui;
}

/** The state and derived facts; re-renders on a change. */
export function useTuiState(): readonly [TuiState, Facts] {
  const tui = useTui();
  const state = useSyncExternalStore(tui.state.subscribe, tui.state.get);
  return [state, tui.facts()];
}

/** Re-renders every second, only while something runs. */
export function useSeconds(): number {
  const {clock} = useTui();
  return useSyncExternalStore(clock.subscribe, clock.get);
}

/** Re-renders when the live log of a run grew, a few times a second at most. */
export function useLiveLog(runId: string | undefined, isRaw: boolean): number {
  const live = useTui().jobs.live.of(runId);
  const {version} = (isRaw ? live?.raw : live?.activity) ?? noLog;
  return useSyncExternalStore(version.subscribe, version.get);
}

const noLog = {version: createStore(0)};
