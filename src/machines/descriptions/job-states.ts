import {inside, stopRequestStates} from './requests.ts';

export const engineStates = {
  idle: 'no job is running; the next one can start',
  working: 'a job is running and holds the project lock',
  ...inside('working', {
    ...stopRequestStates,
    'wish.forcing': 'a pause was requested again: everything still running is killed',
    work: 'runs the steps of the job in order',
    'work.resolving': 'reads the settings the job starts with',
    'work.locking': 'takes the project lock, so that no other job can run',
    'work.handingOver': 'hands a decision to the Blackbird that holds the lock',
    'work.opening': 'writes the job record before anything starts',
    'work.recovering': 'repairs runs left behind by a Blackbird that died',
    'work.choosing': 'chooses the next step of the job',
    'work.executing': 'runs the plan',
    'work.tasking': 'runs a task that was requested by id',
    'work.undoing': 'undoes the change of a task',
    'work.planning': 'has a planner propose a change to the plan',
    'work.reviewing': 'reviews parents whose children are done',
    'work.ending': 'works out how the job ended',
    'work.surveying': 'finds out what keeps the plan from being done',
    'work.closing': 'writes the outcome into the job record',
    'work.releasing': 'releases the project lock',
    'work.stopped': 'reports that the job has ended',
  }),
} as const;

export const executorStates = {
  executing: 'the plan is running',
  ...inside('executing', {
    ...stopRequestStates,
    loop: 'runs one task after another until there is a reason to stop',
    'loop.recallingDecisions': 'looks for a task that is still at its checkpoint',
    'loop.deciding': 'asks for a decision that an earlier job left open',
    'loop.recalled': 'no checkpoint is open any more',
    'loop.reviewingLeftOpen': 'reviews the parents that an earlier job left open',
    'loop.choosing': 'decides whether to continue or to stop as requested',
    'loop.selecting': 'reads the plan again and selects the next ready task',
    'loop.waitingForRetry': 'waits for a limit or an outage to end',
    'loop.working': 'runs the selected task',
    'loop.retrying': 'starts the same task again and tells the agent what failed',
    'loop.reviewing': 'reviews the parents whose last child was this task',
  }),
  completed: 'nothing is left to do, or the job has run as many tasks as it was asked to',
  paused: 'the job was paused',
  stopped: 'something stopped the plan; the output says what',
} as const;

export const jobTaskStates = {
  executing: 'the requested task is running',
  ...inside('executing', {
    ...stopRequestStates,
    step: 'waits if it has to, then runs the task',
    'step.looking': 'checks whether a limit or an outage delays the start',
    'step.waitingForRetry': 'waits for a limit or an outage to end',
    'step.working': 'runs the task',
    'step.held': 'the run can continue later; it only needs time',
  }),
  ended: 'the task has ended; the output says how',
  left: 'a pause ended the wait',
  waitGivenUp: 'a stop ended the wait; the task only needs time',
  failed: 'the task could not be run',
} as const;

export const retryWaitStates = {
  recording: 'writes into the job record what it waits for',
  looking: 'reads the wall clock',
  waiting: 'waits until the time has come, or until a user wants to try now',
  forgetting: 'clears the recorded limit, because a user wants to try now',
  due: 'the wait is over',
} as const;

export const undoStates = {
  proposing: 'works out what the files look like without the change',
  recording: 'records the undo before it touches any file',
  writing: 'writes the files',
  replacing: 'marks the undone run as replaced',
  settling: 'makes the task ready again in the plan',
  recordingFailure: 'records why the undo failed',
  done: 'the change is undone',
  failed: 'the change could not be undone',
} as const;
