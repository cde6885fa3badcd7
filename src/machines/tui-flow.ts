import {createActor} from 'xstate';
import type {PauseReason} from '../services/contracts/run.ts';
import {type DraftedQuestions, draftedQuestions} from './actors/draft-answers.actor.ts';
import type {QuestionsActorRef, QuestionsOutput} from './questions.machine.ts';
import {type TuiCommand, type TuiSnapshot, tuiMachine} from './tui.machine.ts';

/** The running screen chart, and the only way for the terminal UI to reach it. */
export type TuiFlow = {
  snapshot(): TuiSnapshot;
  /** A command that does not apply here does nothing. */
  send(command: TuiCommand): void;
  subscribe(listener: (snapshot: TuiSnapshot) => void): void;
};

export type TuiEffects = {
  pause(reason: PauseReason): void;
  /** Starts the job that was waiting. */
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

/** Asks the questions of a waiting run on a screen; `onEnd` gets the answers, or the reason why there are none. */
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
