import {sessionName} from '../../machines/policies/session/session-names.ts';
import type {SessionMeta} from '../../services/contracts/session.ts';
import {interruptKey} from '../../services/contracts/tmux.ts';
import {type Sessions, withoutInterruption} from './session-composition.ts';

/** Presses Ctrl+C in a session. False if none runs, which is not a failure. */
export const stopSession = (sessions: Sessions, run: SessionMeta): Promise<boolean> =>
  onRunning(sessions, run, async ({tmux, events, store, lock}, name) => {
    await tmux.sendKeys(name, [interruptKey]);
    await events.append(run, {event: 'stop', data: {session_name: name, keys: [interruptKey]}});
    // The record is read and written as a whole: an archiving at the same time must not be lost.
    await lock.acquire(run.repo_id);
    try {
      await store.update(run, {flags: {needs_attention: true}});
    } finally {
      await lock.release();
    }
  });

/** Ends a session; worktree, branch and record stay. False if none runs. */
export const killSession = (sessions: Sessions, run: SessionMeta): Promise<boolean> =>
  onRunning(sessions, run, async ({tmux, events}, name) => {
    await tmux.killSession(name);
    await events.append(run, {event: 'kill_session', data: {session_name: name}});
  });

async function onRunning(
  sessions: Sessions,
  run: SessionMeta,
  job: (sessions: Sessions, name: string) => Promise<void>,
): Promise<boolean> {
  const name = sessionName(run.run_id);
  if (!(await sessions.tmux.hasSession(name))) return false;
  await withoutInterruption(() => job(sessions, name));
  return true;
}
