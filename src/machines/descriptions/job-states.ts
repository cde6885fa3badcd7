import {inside, stopWishStates} from './wish.ts';

export const engineStates = {
  idle: 'no job: it takes the next one',
  working: 'one job is at work, under the lock of the project',
  ...inside('working', {
    ...stopWishStates,
    'wish.forcing': 'a pause was asked for again: what still runs is killed',
    work: 'the steps of the job, one after another',
    'work.resolving': 'reads the settings and rules the job begins with',
    'work.locking': 'takes the lock of the project, so that nobody else works in it',
    'work.handingOver': 'hands a decision to the Blackbird that has the lock',
    'work.opening': 'writes the record of the job before anything begins',
    'work.recovering': 'repairs runs that a Blackbird that died has left behind',
    'work.choosing': 'chooses the next step of the job',
    'work.executing': 'works through the plan',
    'work.tasking': 'works on a task that was asked for by its name',
    'work.undoing': 'takes back what a task changed',
    'work.planning': 'has a change of the plan proposed',
    'work.reviewing': 'reviews parents whose children are done',
    'work.ending': 'says how the job ended',
    'work.surveying': 'looks for what keeps the plan from being done',
    'work.closing': 'writes how the job ended into its record',
    'work.releasing': 'gives the lock of the project back',
    'work.stopped': 'tells everybody that the job has ended',
  }),
} as const;

export const executorStates = {
  executing: 'the plan is worked through',
  ...inside('executing', {
    ...stopWishStates,
    loop: 'from task to task until there is a reason to stop',
    'loop.recallingDecisions': 'looks for a task that still stands at its checkpoint',
    'loop.deciding': 'asks for the decision that an earlier job left open',
    'loop.recalled': 'no checkpoint is open any more',
    'loop.reviewingLeftOpen': 'reviews the parents that an earlier job left open',
    'loop.choosing': 'may it go on, or was it asked to stop?',
    'loop.selecting': 'reads the plan again and selects the next ready task',
    'loop.waitingForRetry': 'waits until a limit or an outage is over',
    'loop.working': 'works on the selected task',
    'loop.retrying': 'begins the same task again, told what failed',
    'loop.reviewing': 'reviews the parents that the task has made due',
  }),
  completed: 'nothing more is to be done, or it was enough',
  paused: 'a pause ended it',
  stopped: 'something stopped the plan; its output says what',
} as const;

export const jobTaskStates = {
  executing: 'the task that was asked for is worked on',
  ...inside('executing', {
    ...stopWishStates,
    step: 'wait where there is something to wait for, then work',
    'step.looking': 'looks whether a limit or an outage keeps it from starting',
    'step.waitingForRetry': 'waits until a limit or an outage is over',
    'step.working': 'works on the task',
    'step.held': 'only time keeps its run from going on',
  }),
  ended: 'the task came to an end; its output says which',
  left: 'nobody waits for it any longer',
  failed: 'it could not be worked on',
} as const;

export const retryWaitStates = {
  recording: 'writes what it waits for into the record of the job',
  looking: 'reads the wall clock',
  waiting: 'waits for its time, or until somebody wants to try now',
  forgetting: 'forgets the limit, because somebody wants to try now',
  due: 'the time has come',
} as const;

export const undoStates = {
  proposing: 'works out how the files would be without the change',
  recording: 'records the undo before any file is touched',
  writing: 'writes the files',
  replacing: 'tells the undone run that it is over',
  settling: 'lets the plan say that the task is ready again',
  recordingFailure: 'records why the undo did not work',
  done: 'the change is taken back',
  failed: 'the change could not be taken back',
} as const;
