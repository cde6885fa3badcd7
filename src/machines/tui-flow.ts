import {createActor} from 'xstate';
import type {PauseReason} from '../services/contracts/run.ts';
import {type DraftedQuestions, draftedQuestions} from './actors/draft-answers.actor.ts';
import type {QuestionsActorRef, QuestionsOutput} from './questions.machine.ts';
import {type TuiCommand, type TuiSnapshot, tuiMachine} from './tui.machine.ts';

/** The chart of the screens at work. The only door to it for the terminal UI. */
export type TuiFlow = {
  snapshot(): TuiSnapshot;
  /** A command that means nothing here changes nothing. */
  send(command: TuiCommand): void;
  subscribe(listener: (snapshot: TuiSnapshot) => void): void;
};

export type TuiEffects = {
  pause(reason: PauseReason): void;
  /** The turn of the job that waited. */
  beginJob(): void;
  dropJob(): void;
};

export function createTuiFlow({pause, beginJob, dropJob}: TuiEffects): TuiFlow {
  const actor = createActor(
    tuiMachine.provide({actions: {pauseEngine: (_, {reason}) => pause(reason), beginJob, dropJob}}),
  );
  actor.start();
  return {
    snapshot: () => actor.getSnapshot(),
    send: (command) => actor.send(command),
    subscribe: (listener) => void actor.subscribe(listener),
  };
}

/** The questions of a waiting run, asked on a screen; `onEnd` hears the answers, or why there are none. */
export function askOnScreen(
  asked: DraftedQuestions,
  onEnd: (output: QuestionsOutput) => void,
): QuestionsActorRef {
  const actor = createActor(draftedQuestions(asked), {input: {questions: asked.run.questions ?? []}});
  actor.subscribe({
    complete: () => {
      const {output} = actor.getSnapshot();
      if (output) onEnd(output);
    },
  });
  actor.start();
  return actor;
}
