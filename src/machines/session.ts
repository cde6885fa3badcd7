import {createActor, toPromise} from 'xstate';
import {defineSessionActors, type SessionPorts} from './actors/session-effects.actor.ts';
import {type SessionInput, type SessionOutput, sessionMachine} from './session.machine.ts';
import {sessionChangeMachine} from './session-change.machine.ts';

/** Opens one session for the user and reports how it went. */
export async function openSession(ports: SessionPorts, input: SessionInput): Promise<SessionOutput> {
  const {findRun, confirm, resolveRunner, attach, ...changing} = defineSessionActors(ports);
  const {hasWorktree, hasSession, recordEvent} = changing;
  const delays = {settleTime: ports.settleMilliseconds};
  const change = sessionChangeMachine.provide({actors: changing, delays});
  const actor = createActor(
    sessionMachine.provide({
      actors: {findRun, hasWorktree, hasSession, confirm, resolveRunner, change, recordEvent, attach},
    }),
    {input},
  );
  const finished = toPromise(actor);
  actor.on('attach.unrecorded', ({error}) => ports.warn(error));
  actor.start();
  return finished;
}
