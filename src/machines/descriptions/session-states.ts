import {inside} from './wish.ts';

export const sessionStates = {
  resolving: 'finds the session that was named',
  checkingWorktree: 'is its folder still there?',
  recordingFailure: 'records that its folder is gone',
  checkingSession: 'does it still run in tmux?',
  deciding: 'attach, ask, or begin again?',
  confirming: 'asks whether a running one may be replaced',
  resolvingRunner: 'finds the program, before anything is ended',
  changing: 'makes it, under the lock of its repository',
  recordingAttach: 'records that somebody attached',
  showing: 'attach, or stay in the background?',
  attaching: 'the terminal is in the session',
  done: 'it runs, or was left',
  canceled: 'nothing was changed',
  failed: 'it could not be made or reached',
} as const;

export const sessionChangeStates = {
  locking: 'takes the lock of the repository',
  locked: 'nobody else changes the sessions of the repository',
  ...inside('locked', {
    checkingWorktree: 'is its folder still there?',
    worktreeMissing: 'its folder is gone',
    recordingFailure: 'records that its folder is gone',
    checkingSession: 'does it run already?',
    killing: 'ends the running one',
    creating: 'makes the new one in tmux',
    settling: 'gives its program a moment',
    checkingRunner: 'did its program stay alive?',
    recordingExit: 'records that its program ended at once',
    removing: 'removes what is left of it',
    recording: 'records that it was made',
    settled: 'made, or why not is known',
  }),
  unlocking: 'gives the lock back',
  done: 'over; its output says how',
} as const;
