import {useEffect, useEffectEvent, useState, useSyncExternalStore} from 'react';
import type {KeyPress} from './key-press.ts';
import {useKeys} from './use-keys.ts';

/** The result of a key: a new state, and possibly an outcome for the outside. */
export type Step<State, Outcome> = {readonly state: State; readonly outcome?: Outcome};

export type Stepper<State> = {
  readonly state: State;
  /** For changes that do not come from a key, such as a loaded diff. */
  update(change: (state: State) => State): void;
};

/**
 * A component's state as a fold over keys. It is kept outside React, so that when several keys arrive at once
 * each sees the effect of the previous one.
 */
export function useStepper<State, Outcome>({
  initial,
  step,
  onChange,
  onOutcome,
  away,
  isActive = true,
}: {
  readonly initial: () => State;
  readonly step: (state: State, key: KeyPress) => Step<State, Outcome>;
  /** Called synchronously before the next key, for what cannot wait for a render. */
  readonly onChange?: (state: State, before: State) => void;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Applied when another pane gets the keys. */
  readonly away?: (state: State) => State;
  readonly isActive?: boolean;
}): Stepper<State> {
  const [store] = useState(() => createStore(initial()));
  const state = useSyncExternalStore(store.subscribe, store.get);
  useKeys(
    (key) => {
      const before = store.get();
      const {state: next, outcome} = step(before, key);
      store.set(next);
      if (next !== before) onChange?.(next, before);
      if (outcome !== undefined) onOutcome(outcome);
    },
    {isActive},
  );
  const update = (change: (state: State) => State) => store.set(change(store.get()));
  const leave = useEffectEvent(() => away && update(away));
  useEffect(() => {
    if (!isActive) leave();
  }, [isActive]);
  return {state, update};
}

function createStore<State>(first: State) {
  const listeners = new Set<() => void>();
  let current = first;
  return {
    get: () => current,
    set: (next: State) => {
      if (Object.is(next, current)) return;
      current = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
