import {type EventObject, fromCallback, fromPromise} from 'xstate';

/** Machines name the effects they need; running one without them fails with the missing name. */
export const promiseNotProvided = <TOutput, TInput>(name: string) =>
  fromPromise<TOutput, TInput>(() => Promise.reject(new Error(`Actor "${name}" was not provided`)));

export const callbackNotProvided = <TEvent extends EventObject, TInput>(name: string) =>
  fromCallback<TEvent, TInput>(() => {
    throw new Error(`Actor "${name}" was not provided`);
  });
