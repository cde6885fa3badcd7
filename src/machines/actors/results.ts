import type {DoneActorEvent, ErrorActorEvent} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';

/** For guards: what an actor answered to a question of yes or no. */
export const answerIn = ({event}: {event: DoneActorEvent<boolean>}) => ({answer: event.output});

/** For actions: why an actor failed. */
export const errorIn = ({event}: {event: ErrorActorEvent}) => ({error: event.error});

/** For actions: the record as an actor wrote it. */
export const recordIn = ({event}: {event: DoneActorEvent<RunRecord>}) => ({run: event.output});
