import {useStdin} from 'ink';
import {useEffectEvent, useLayoutEffect} from 'react';
import {createKeyDecoder} from './key-decoder.ts';
import type {KeyPress} from './key-press.ts';

type Emitter = ReturnType<typeof useStdin>['internal_eventEmitter'];
type Listener = (key: KeyPress) => void;

/**
 * Receives keys while the component is mounted. Unlike Ink's `useInput` it supports pastes, splits fast
 * typing into keys, and waits for the rest of a sequence that a slow line delivers in two parts. The handler
 * sees the latest props, but several keys can arrive before React renders again: keep what keys change in a
 * store (see `useStepper`), not in closure state. React mounts children before their parents: a component
 * that must see a key first sets `isFirst`.
 */
export function useKeys(
  handler: Listener,
  {isActive = true, isFirst = false}: {readonly isActive?: boolean; readonly isFirst?: boolean} = {},
): void {
  // The public alternative, `data` events of stdin, fires before Ink has delivered the same key to others.
  const {setRawMode, internal_eventEmitter: emitter} = useStdin();
  const onKey = useEffectEvent(handler);
  // Before the next key can arrive: what is visible already responds.
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

/** One decoder per terminal: two would each keep half a paste. */
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
      // A listener added during delivery must not get the current key.
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
