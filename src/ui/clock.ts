import {createStore} from './store.ts';

/** Ticks every second, but only while something runs: an idle screen must not wake the processor. */
export function createClock(isTicking: () => boolean) {
  const seconds = createStore(0);
  let timer: ReturnType<typeof setInterval> | null = null;
  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  return {
    seconds,
    stop,
    /** Called after every change. */
    follow: () => {
      if (!isTicking()) stop();
      else if (timer === null) {
        timer = setInterval(() => seconds.set(seconds.get() + 1), 1_000);
        timer.unref();
      }
    },
  };
}
