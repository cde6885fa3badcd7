import {displayLine} from '../text/display-text.ts';
import {nearTime} from '../text/durations.ts';
import type {TaskCommand, TaskFacts} from './task-options.ts';

/** Commands that the project lock refuses while a job is running. A decision is handed over to the job instead. */
const needsProject: ReadonlySet<TaskCommand> = new Set([
  'resume',
  'answer',
  'sendBack',
  'execute',
  'restart',
  'undo',
  'withdraw',
] as const satisfies readonly TaskCommand[]);

/** What will happen to the task, if the lock would refuse the command now; null if it would not. */
export function jobHold({job, task}: TaskFacts, command: TaskCommand): 'goesOn' | 'inTurn' | 'ends' | null {
  if (!job || !needsProject.has(command)) return null;
  if (job.waitsFor?.taskId === task.id) return 'goesOn';
  const isTaken = job.takes === 'all' || job.takes.includes(task.id);
  return command === 'execute' && isTaken ? 'inTurn' : 'ends';
}

/** The same as text; `said` is the command as typed. */
export function jobHoldWords(facts: TaskFacts, command: TaskCommand, said: string): string | null {
  const pid = facts.job?.pid ?? null;
  const who = pid === null ? 'the running job' : `the job of process ${pid}`;
  const until = facts.job?.waitsFor?.until ?? '';
  switch (jobHold(facts, command)) {
    case 'goesOn':
      return `${who} continues with it at ${nearTime(until, facts.now)}`;
    case 'inTurn':
      return `${who} will get to it`;
    case 'ends':
      return `once ${who} has ended: ${displayLine(said)}`;
    case null:
      return null;
  }
}
