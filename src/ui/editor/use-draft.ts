import {useEffect, useEffectEvent} from 'react';
import type {OpenDraft} from '../../machines/drafts.ts';
import type {Stepper} from '../input/use-stepper.ts';

/**
 * Restores the draft once it is read, and keeps it when the editor is closed. Keys pressed in the meantime
 * are in the state that `restored` gets.
 */
export function useDraft<State>(
  draft: OpenDraft | null,
  {update}: Pick<Stepper<State>, 'update'>,
  {
    restored,
    textOf,
    initialText = '',
  }: {
    readonly restored: (state: State, recalled: string) => State;
    readonly textOf: (state: State) => string;
    /** The text the editor opened with; kept only once it was changed. */
    readonly initialText?: string;
  },
): void {
  const onRecalled = useEffectEvent((recalled: string) =>
    update((state) => {
      const next = restored(state, recalled);
      const text = textOf(next);
      if (text !== recalled && text !== initialText) draft?.change(text);
      return next;
    }),
  );
  useEffect(() => {
    if (draft === null) return;
    let isShown = true;
    void draft.recalled.then((recalled) => {
      if (isShown) onRecalled(recalled);
    });
    return () => {
      isShown = false;
      void draft.close();
    };
  }, [draft]);
}
