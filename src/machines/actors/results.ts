import type {DoneActorEvent, ErrorActorEvent} from 'xstate';

/** For guards: what an actor answered to a question of yes or no. */
export const answerIn = ({event}: {event: DoneActorEvent<boolean>}) => ({answer: event.output});

/** For actions: why an actor failed. */
export const errorOf = ({event}: {event: ErrorActorEvent}) => ({error: event.error});
