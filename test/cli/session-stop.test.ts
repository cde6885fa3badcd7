import path from 'node:path';
import {expect, test} from 'vitest';
import {cleanRun} from '../../src/cli/session/session-clean.ts';
import {killSession, stopSession} from '../../src/cli/session/session-stop.ts';
import {createProcessLock} from '../../src/services/lock/process-lock.ts';
import {repoId, session} from '../fakes/session-runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {sessionProject} from '../helpers/session-project.ts';

test('a stop keeps what another process writes into the record in the meantime', async () => {
  const {sessions: open, addRun, metaText, events, data, tmux, worktree} = sessionProject();
  const run = addRun();
  tmux.sessions.set(session, {name: session, cwd: worktree, argv: ['claude'], env: {}});
  const sessions = await open();
  // The archiving process has the lock, and read the record before.
  const attempt = await createProcessLock(path.join(data, 'repos', repoId, '.lock')).acquire({
    waitSeconds: 0,
  });
  if (!attempt.acquired) throw new Error('the lock is taken');
  const stopped = stopSession(sessions, run);
  await eventually(() => expect(events()).toMatchObject([{event: 'stop'}]));
  await sessions.store.update(run, {archive: {archived_at: '2026-01-12T08:30:00Z'}});
  expect(JSON.parse(metaText())).not.toHaveProperty('flags');
  await attempt.lock.release();
  expect(await stopped).toBe(true);
  expect(JSON.parse(metaText())).toMatchObject({
    archive: {archived_at: '2026-01-12T08:30:00Z'},
    flags: {needs_attention: true},
  });
});

test('stop and kill reach a session that runs, are recorded afterwards, and leave the lock free', async () => {
  const {sessions: open, addRun, events, data, tmux, worktree} = sessionProject();
  const run = addRun();
  const sessions = await open();
  expect([await stopSession(sessions, run), await killSession(sessions, run)]).toEqual([false, false]);
  expect(tmux.keys).toEqual([]);
  tmux.sessions.set(session, {name: session, cwd: worktree, argv: ['claude'], env: {}});
  expect(await stopSession(sessions, run)).toBe(true);
  expect(tmux.keys).toEqual(['C-c']);
  const attempt = await createProcessLock(path.join(data, 'repos', repoId, '.lock')).acquire({
    waitSeconds: 0,
  });
  expect(attempt.acquired).toBe(true);
  if (attempt.acquired) await attempt.lock.release();
  expect(await killSession(sessions, run)).toBe(true);
  expect([...tmux.sessions.keys()]).toEqual([]);
  expect(events()).toMatchObject([{event: 'stop'}, {event: 'kill_session'}]);
});

test('a clean waits for the lock, and finds what another process archived meanwhile', async () => {
  const {sessions: open, addRun, events, data, worktree} = sessionProject();
  addRun({run_id: '20260101000000-aaaa', worktree_path: worktree});
  const run = addRun({worktree_path: path.join(data, 'none')});
  const sessions = await open();
  const lock = createProcessLock(path.join(data, 'repos', repoId, '.lock'));
  const attempt = await lock.acquire({waitSeconds: 0});
  if (!attempt.acquired) throw new Error('the lock is taken');
  const cleaned = cleanRun(sessions, run, {force: true});
  await sessions.store.update(run, {archive: {archived_at: '2026-01-12T08:30:00Z'}});
  await attempt.lock.release();
  expect(await cleaned).toEqual({isNew: false, lost: null});
  expect(events()).toEqual([]);
  const again = await lock.acquire({waitSeconds: 0});
  expect(again.acquired).toBe(true);
  if (again.acquired) await again.lock.release();
});
