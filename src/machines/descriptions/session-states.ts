import {inside} from './requests.ts';

export const sessionStates = {
  resolving: 'finds the named session',
  checkingWorktree: 'checks that its folder still exists',
  recordingFailure: 'records that its folder is missing',
  checkingSession: 'checks whether it is still running in tmux',
  deciding: 'decides whether to attach, ask or start it again',
  confirming: 'asks whether a running session may be replaced',
  resolvingRunner: 'finds the program before anything is stopped',
  changing: 'creates the session under the repository lock',
  recordingAttach: 'records that someone attached',
  showing: 'decides whether to attach or stay in the background',
  attaching: 'the terminal is attached to the session',
  done: 'the session is running, or the user detached',
  canceled: 'nothing was changed',
  failed: 'the session could not be created or reached',
} as const;

export const sessionChangeStates = {
  locking: 'takes the repository lock',
  locked: 'no other Blackbird can change the sessions of the repository',
  ...inside('locked', {
    checkingWorktree: 'checks that its folder still exists',
    worktreeMissing: 'its folder is missing',
    recordingFailure: 'records that its folder is missing',
    checkingSession: 'checks whether it is already running',
    killing: 'stops the running session',
    creating: 'creates the new session in tmux',
    settling: 'gives its program a moment to start',
    checkingRunner: 'checks that its program is still running',
    recordingExit: 'records that its program ended at once',
    removing: 'removes what is left of the session',
    recording: 'records that the session was created',
    settled: 'the session was created, or the reason why not is known',
  }),
  unlocking: 'releases the repository lock',
  done: 'finished; the output says how',
} as const;
