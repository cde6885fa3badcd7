import {expect, test} from 'vitest';
import {isYes} from '../../../src/machines/policies/session/session-resume.ts';
import {
  type SessionFacts,
  type SessionStatus,
  sessionStatus,
} from '../../../src/machines/policies/session/session-status.ts';
import type {SessionMeta} from '../../../src/services/contracts/session.ts';
import {brokenEntry, sessionEntry} from '../../fakes/session-runs.ts';

const archive = {archived_at: '2026-01-11T00:00:00Z'};
const flags = {needs_attention: true};

test.each<[SessionStatus, Partial<SessionMeta>, Partial<SessionFacts>]>([
  ['active', {}, {hasSession: true}],
  ['idle', {}, {}],
  ['worktree missing', {}, {hasWorktree: false}],
  ['worktree missing', {}, {hasWorktree: false, hasSession: true}],
  ['archived', {archive}, {hasWorktree: false}],
  ['idle', {archive}, {}],
  ['needs attention', {flags}, {hasSession: true, lastEvent: 'stop'}],
  ['needs attention', {flags}, {lastEvent: 'stop'}],
  ['active', {flags}, {hasSession: true, lastEvent: 'resume_attach'}],
  ['idle', {flags}, {lastEvent: 'kill_session'}],
  ['active', {}, {hasSession: true, lastEvent: 'stop'}],
])('%s: %j %j', (status, meta, facts) => {
  const usual = {hasWorktree: true, hasSession: false, lastEvent: null};
  expect(sessionStatus(sessionEntry(meta), {...usual, ...facts})).toBe(status);
});

test('an unreadable session is broken, whatever runs', () => {
  const facts = {hasWorktree: true, hasSession: true, lastEvent: null};
  expect(sessionStatus(brokenEntry('x'), facts)).toBe('broken');
});

test.each(['y', 'Y', 'yes', 'YES', 'Yes', 'y\r', ' yes '])('%j is a yes', (answer) => {
  expect(isYes(answer)).toBe(true);
});

test.each(['', 'n', 'no', 'yep', 'yes please', 'j', 'ye', null])('%j is a no', (answer) => {
  expect(isYes(answer)).toBe(false);
});
