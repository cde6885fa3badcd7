import path from 'node:path';
import {expect, test} from 'vitest';
import {stopSession} from '../../src/cli/session/session-stop.ts';
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
