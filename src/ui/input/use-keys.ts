import {useStdin} from 'ink';
import {useEffectEvent, useLayoutEffect} from 'react';
import {createKeyDecoder} from './key-decoder.ts';
import type {KeyPress} from './key-press.ts';

type Emitter = ReturnType<typeof useStdin>['internal_eventEmitter'];
type Listener = (key: KeyPress) => void;

/**
 * Keys while the component is shown. Unlike Ink's `useInput` it knows pastes, takes what was typed quickly
 * apart into keys, and waits for the second half of a sequence that a slow line delivers in two.
 * The handler sees the newest props, but several keys can come before React renders again: keep what keys
 * change in a store (see `useStepper`), not in state that a closure remembers. React mounts what is inside before
 * what is around it: who must see a key before the others says that it is first.
 */
export function useKeys(
  handler: Listener,
  {isActive = true, isFirst = false}: {readonly isActive?: boolean; readonly isFirst?: boolean} = {},
): void {
  // The public alternative, `data` events of stdin, comes before Ink has delivered the same key to others.
  const {setRawMode, internal_eventEmitter: emitter} = useStdin();
  const onKey = useEffectEvent(handler);
  // Before the next key can come in: what is seen already answers.
  useLayoutEffect(() => {
    if (!isActive) return;
    setRawMode(true);
    const unsubscribe = sourceOf(emitter).subscribe((key) => onKey(key), isFirst);
    return () => {
      unsubscribe();
      setRawMode(false);
    };
  }, [isActive, isFirst, setRawMode, emitter]);
}

type KeySource = {subscribe(listener: Listener, isFirst: boolean): () => void};

/** One decoder for each terminal: two would each keep half a paste. */
const sources = new WeakMap<Emitter, KeySource>();

function sourceOf(emitter: Emitter): KeySource {
  const known = sources.get(emitter);
  if (known) return known;
  const source = createSource(emitter);
  sources.set(emitter, source);
  return source;
}

function createSource(emitter: Emitter): KeySource {
  let listeners: readonly Listener[] = [];
  const decoder = createKeyDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const deliver = (keys: readonly KeyPress[]) => {
    for (const key of keys) {
      // Who comes in while a key is delivered did not ask for that key.
      for (const listener of listeners) listener(key);
    }
  };
  const onInput = (input: string) => {
    clearTimeout(timer);
    deliver(decoder.push(input));
    const wait = decoder.waitMs();
    if (wait !== null) timer = setTimeout(() => deliver(decoder.flush()), wait);
  };

  return {
    subscribe: (listener, isFirst) => {
      if (listeners.length === 0) emitter.on('input', onInput);
      listeners = isFirst ? [listener, ...listeners] : [...listeners, listener];
      return () => {
        listeners = listeners.filter((each) => each !== listener);
        if (listeners.length > 0) return;
        emitter.removeListener('input', onInput);
        clearTimeout(timer);
        decoder.flush();
      };
    },
  };
}
